// @ts-check
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isErrorCode } from './cache-lock.mjs';
import { say } from './progress.mjs';
import { projectPath } from './project.mjs';

/** @typedef {{workspace: string, dataDir: string, extensionsDir: string}} StartFolder */

const LEDGERLINE_SETTINGS = { 'ledgerline.provider': 'offline' };

const WORKBENCH_SETTINGS = {
  'workbench.startupEditor': 'none',
  // One chat is enough: the built-in one would sit beside Ledgerline and ask to sign in.
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'git.openRepositoryInParentFolders': 'never',
  // Looking at the sample fetches nothing.
  'js/ts.tsserver.automaticTypeAcquisition.enabled': false,
  'telemetry.telemetryLevel': 'off',
};

/**
 * The sample project beside VS Code's own folders. All of them are kept from one start to the next: what somebody
 * made of the project is theirs. `fresh` puts it back as it is shipped.
 * @param {string} folder
 * @param {{fresh: boolean}} options
 * @returns {Promise<StartFolder>}
 */
export async function prepareStartFolder(folder, { fresh }) {
  const workspace = path.join(folder, 'sample-workspace');
  if (fresh) await rm(workspace, { recursive: true, force: true });
  if (existsSync(workspace))
    say('The sample workspace is as you left it; npm start -- --fresh puts it back as it is shipped.');
  else await copyWhole(projectPath('test', 'sample-workspace'), workspace);
  return { workspace, dataDir: path.join(folder, 'data'), extensionsDir: path.join(folder, 'extensions') };
}

/**
 * A copy that was cut off is not taken for the project.
 * @param {string} from
 * @param {string} to
 */
async function copyWhole(from, to) {
  const unfinished = `${to}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(path.dirname(to), { recursive: true });
  await cp(from, unfinished, { recursive: true });
  await rename(unfinished, to);
}

/**
 * The server reads machine-scoped settings, such as the choice of provider, from a file of its own; in the
 * user's file a remote window does not reliably see them.
 * @param {string} dataDir
 */
export async function writeServerSettings(dataDir) {
  await addSettings({
    file: path.join(dataDir, 'data', 'User', 'settings.json'),
    settings: WORKBENCH_SETTINGS,
  });
  await addSettings({
    file: path.join(dataDir, 'data', 'Machine', 'settings.json'),
    settings: LEDGERLINE_SETTINGS,
  });
}

/** @param {string} dataDir */
export async function writeDesktopSettings(dataDir) {
  await addSettings({
    file: path.join(dataDir, 'User', 'settings.json'),
    settings: { ...WORKBENCH_SETTINGS, ...LEDGERLINE_SETTINGS },
  });
}

/**
 * What a person has chosen since stays chosen.
 * @param {{file: string, settings: Record<string, unknown>}} options
 */
async function addSettings({ file, settings }) {
  await mkdir(path.dirname(file), { recursive: true });
  const present = await readSettings(file);
  // A file with comments is a person's work and complete: it was written here first.
  if (present === 'unreadable') return;
  await writeFile(file, `${JSON.stringify({ ...settings, ...present }, undefined, 2)}\n`);
}

/**
 * @param {string} file
 * @returns {Promise<Record<string, unknown> | 'unreadable'>}
 */
async function readSettings(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return {};
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}
