// @ts-check
import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { binOf } from './checks.mjs';
import { SetupError } from './progress.mjs';
import { PROJECT, VSIX } from './project.mjs';
import { capture } from './subprocess.mjs';

/**
 * Packages dist/ as the extension users get. A warning of vsce is a defect of the package, so it fails.
 * @returns {Promise<{file: string, bytes: number}>}
 */
export async function packageVsix() {
  await mkdir(path.dirname(VSIX), { recursive: true });
  // Nothing may take the package of an earlier build for this one when vsce fails.
  await rm(VSIX, { force: true });
  const { code, output } = await capture({
    command: process.execPath,
    args: [
      binOf({ packageName: '@vscode/vsce', bin: 'vsce' }),
      'package',
      '--no-dependencies',
      '--out',
      VSIX,
    ],
    cwd: PROJECT,
  });
  if (code !== 0 || /warning/i.test(output))
    throw new SetupError(`vsce is not content.\n${output.trimEnd()}`);
  return { file: VSIX, bytes: (await stat(VSIX)).size };
}
