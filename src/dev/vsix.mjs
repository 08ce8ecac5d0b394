// @ts-check
import { copyFile, cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { binOf } from './checks.mjs';
import { SetupError } from './progress.mjs';
import { NOTICES, projectPath, VSIX } from './project.mjs';
import { capture } from './subprocess.mjs';

/** What goes into the package is put together here, as VS Code wants to find it. */
const STAGE = projectPath('dist', 'package');
const TOP_FILES = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', '.vscodeignore'];
const LARGEST_BYTES = 800 * 1024;

/** Words of the manifest: beside package.json in the package, and out of the way in the repository. */
const MANIFEST_WORDS = /^package\.nls(\.[\w-]+)?\.json$/;
/** The README names its pictures by their address: they are shown from the repository. */
const NOT_PACKAGED = new Set(['screenshots']);

/**
 * Packages dist/ as the extension users get. A warning of vsce is a defect of the package, so it fails; so does
 * a package that has grown too large.
 * @returns {Promise<{file: string, bytes: number}>}
 */
export async function packageVsix() {
  await mkdir(path.dirname(VSIX), { recursive: true });
  // Nothing may take the package of an earlier build for this one when vsce fails.
  await rm(VSIX, { force: true });
  await stage();
  const { code, output } = await capture({
    command: process.execPath,
    args: [
      binOf({ packageName: '@vscode/vsce', bin: 'vsce' }),
      'package',
      '--no-dependencies',
      '--out',
      VSIX,
    ],
    cwd: STAGE,
  });
  if (code !== 0 || /warning/i.test(output))
    throw new SetupError(`vsce is not content.\n${output.trimEnd()}`);
  const bytes = (await stat(VSIX)).size;
  if (bytes > LARGEST_BYTES)
    throw new SetupError(`the package has ${bytes} bytes, more than the ${LARGEST_BYTES} it may have.`);
  return { file: VSIX, bytes };
}

async function stage() {
  await rm(STAGE, { recursive: true, force: true });
  await mkdir(path.join(STAGE, 'dist'), { recursive: true });
  for (const name of TOP_FILES) await copyFile(projectPath(name), path.join(STAGE, name));
  await copyFile(NOTICES, path.join(STAGE, path.basename(NOTICES)));
  for (const name of await readdir(projectPath('dist'))) {
    if (/\.c?js$/.test(name)) await copyFile(projectPath('dist', name), path.join(STAGE, 'dist', name));
  }
  await cp(projectPath('dist', 'webview'), path.join(STAGE, 'dist', 'webview'), { recursive: true });
  await cp(projectPath('media'), path.join(STAGE, 'media'), {
    recursive: true,
    filter: (file) => !NOT_PACKAGED.has(path.basename(file)) && !MANIFEST_WORDS.test(path.basename(file)),
  });
  for (const name of await readdir(projectPath('media', 'l10n'))) {
    if (MANIFEST_WORDS.test(name)) await copyFile(projectPath('media', 'l10n', name), path.join(STAGE, name));
  }
}
