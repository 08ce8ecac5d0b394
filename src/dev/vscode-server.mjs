// @ts-check
import { existsSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { provision } from './cache-folder.mjs';
import { ensureNodeHome, withNodeFirst } from './node.mjs';
import { nodeGypCli, npm, withoutNpmVariables } from './npm.mjs';
import { step } from './progress.mjs';
import { captureOrFail } from './subprocess.mjs';

/**
 * @typedef {object} Recipe
 * @property {string} version of code-server: VS Code 1.139.1 is in 4.139.1
 * @property {import('./node.mjs').NodeMajor} nodeMajor the Node that this VS Code brings along, so that extensions find no newer one
 * @property {readonly string[]} nativeModules what the server loads at its start; its other native modules bring prebuilt files or
 *   are not needed
 * @property {string} [ripgrep] where the server's own package of ripgrep fetches the program in an install script, which never runs
 *   here: the version of the package that has it inside
 * @property {number} revision raised when the steps below change, so that folders made by the old steps are not taken for new ones
 */

/** @typedef {'current' | 'oldest'} VsCodeChoice */

/**
 * `current` is what people see and most tests run on; `oldest` is the oldest that `engines` in package.json allows.
 * @type {Readonly<Record<VsCodeChoice, Recipe>>}
 */
export const RECIPES = {
  current: {
    version: '4.139.1',
    nodeMajor: 24,
    nativeModules: ['@vscode/sqlite3', '@vscode/spdlog', '@vscode/native-watchdog', '@vscode/fs-copyfile'],
    revision: 2,
  },
  oldest: {
    version: '4.100.0',
    nodeMajor: 20,
    nativeModules: ['@vscode/spdlog', 'native-watchdog'],
    ripgrep: '1.18.0',
    revision: 1,
  },
};

/**
 * @param {VsCodeChoice} choice
 * @returns {string} such as `1.100.0`
 */
export function vsCodeVersion(choice) {
  return RECIPES[choice].version.replace(/^4\./, '1.');
}

/**
 * @typedef {object} VsCodeServer
 * @property {string} node the Node to run it with: its native modules are built for that one
 * @property {string} main the server's entry file
 */

/**
 * A whole VS Code server, from the cache or made there: about two minutes the first time.
 * @param {VsCodeChoice} [choice]
 * @returns {Promise<VsCodeServer>}
 */
export async function ensureVsCodeServer(choice = 'current') {
  const recipe = RECIPES[choice];
  const node = await ensureNodeHome(recipe.nodeMajor);
  const folder = await provision({
    name: `code-server-${recipe.version}-node-${node.version}-${recipe.revision}`,
    make: (making) => makeServer({ folder: making, node, recipe }),
  });
  return { node: node.executable, main: path.join(vsCodeIn(folder), 'out', 'server-main.js') };
}

/** @param {string} folder */
function vsCodeIn(folder) {
  return path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
}

/** @param {{folder: string, node: import('./node.mjs').NodeHome, recipe: Recipe}} options */
async function makeServer({ folder, node, recipe: { version, nativeModules, ripgrep } }) {
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  const ripgrepPackage = `@vscode/ripgrep-${process.platform}-${process.arch}`;
  await step(`Fetching VS Code server ${version}`, () =>
    npm({
      what: 'Fetching the VS Code server',
      cwd: folder,
      args: [
        'install',
        '--no-package-lock',
        `code-server@${version}`,
        ...(ripgrep === undefined ? [] : [`${ripgrepPackage}@${ripgrep}`]),
      ],
    }),
  );
  const vsCode = vsCodeIn(folder);
  await step(`Installing VS Code server ${version}`, async () => {
    // Its own extensions share packages: without them the first script that is opened is met with an error about TypeScript.
    for (const cwd of [vsCode, path.join(vsCode, 'extensions')])
      await npm({ what: "Installing the VS Code server's packages", cwd, args: ['install', '--omit=dev'] });
    if (ripgrep !== undefined)
      await cp(
        path.join(folder, 'node_modules', ripgrepPackage, 'bin'),
        path.join(vsCode, 'node_modules', '@vscode', 'ripgrep', 'bin'),
        { recursive: true },
      );
  });
  await step(`Building native modules of VS Code server ${version}`, () =>
    Promise.all(
      nativeModules.map((name) => buildNative({ folder: path.join(vsCode, 'node_modules', name), node })),
    ),
  );
}

/** @param {{folder: string, node: import('./node.mjs').NodeHome}} options */
async function buildNative({ folder, node }) {
  // The Windows package of Node has no headers; there node-gyp fetches them itself.
  const headers = existsSync(path.join(node.home, 'include', 'node', 'node.h'))
    ? [`--nodedir=${node.home}`]
    : [];
  await captureOrFail({
    what: `Building ${path.basename(folder)} (needs Python 3, make and a C++ compiler)`,
    command: node.executable,
    args: [nodeGypCli(), 'rebuild', ...headers],
    cwd: folder,
    // Less optimisation than the packages ask for: it halves the build, and the server is only looked at.
    env: {
      ...withNodeFirst({ env: withoutNpmVariables(process.env), executable: node.executable }),
      CFLAGS: '-O1',
      CXXFLAGS: '-O1',
    },
  });
}
