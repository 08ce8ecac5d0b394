// @ts-check
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isErrorCode } from './cache-lock.mjs';
import { projectPath } from './project.mjs';

/** @typedef {{workspace: string, dataDir: string, extensionsDir: string}} StartFolder */

const LEDGERLINE_SETTINGS = { 'ledgerline.provider': 'offline' };

const WORKBENCH_SETTINGS = {
  'workbench.startupEditor': 'none',
  // One chat is enough: the built-in one would sit beside Ledgerline and ask to sign in.
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'git.openRepositoryInParentFolders': 'never',
  'telemetry.telemetryLevel': 'off',
};

/**
 * The sample project as it is shipped, whatever became of it last time, beside VS Code's own folders, which
 * keep their sessions and settings from one start to the next.
 * @param {string} folder
 * @returns {Promise<StartFolder>}
 */
export async function prepareStartFolder(folder) {
  const workspace = path.join(folder, 'sample-workspace');
  await rm(workspace, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(projectPath('test', 'sample-workspace'), workspace, { recursive: true });
  return { workspace, dataDir: path.join(folder, 'data'), extensionsDir: path.join(folder, 'extensions') };
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
