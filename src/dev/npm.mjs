// @ts-check
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from './progress.mjs';
import { captureOrFail } from './subprocess.mjs';

const QUIET = ['--no-audit', '--no-fund', '--no-progress', '--ignore-scripts', '--loglevel=error'];

/**
 * npm's own entry file, run with `process.execPath`: no shell, and none of the differences between npm and
 * npm.cmd.
 * @returns {string}
 */
export function npmCli() {
  const candidates = [
    process.env['npm_execpath'],
    ...(process.env['PATH'] ?? '')
      .split(path.delimiter)
      .flatMap((folder) => [
        path.join(folder, process.platform === 'win32' ? 'node_modules/npm/bin/npm-cli.js' : 'npm'),
      ]),
  ];
  for (const candidate of candidates) {
    if (candidate === undefined || !existsSync(candidate)) continue;
    const file = realpathSync(candidate);
    if (path.basename(file) === 'npm-cli.js') return file;
  }
  throw new SetupError('npm was not found. Install Node.js 24 with npm and try again.');
}

/** @returns {string} the node-gyp that npm brings along */
export function nodeGypCli() {
  return path.resolve(path.dirname(npmCli()), '../node_modules/node-gyp/bin/node-gyp.js');
}

/**
 * Install scripts never run: nothing that is installed here needs its own, and a script that downloads would
 * fail on a closed network.
 * @param {{args: readonly string[], cwd: string, what: string}} options
 */
export async function npm({ args, cwd, what }) {
  await captureOrFail({ what, command: process.execPath, args: [npmCli(), ...args, ...QUIET], cwd });
}

/**
 * The environment without what npm tells the scripts it runs. node-gyp prefers `npm_config_*` variables to
 * its own arguments, so a `nodedir` in somebody's npmrc would win over the one passed to it.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutNpmVariables(env) {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^npm_(config|package|lifecycle|node_execpath|command)/i.test(name),
    ),
  );
}
