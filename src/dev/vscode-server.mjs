// @ts-check
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { provision } from './cache-folder.mjs';
import { ensureNodeHome, withNodeFirst } from './node.mjs';
import { nodeGypCli, npm, withoutNpmVariables } from './npm.mjs';
import { step } from './progress.mjs';
import { captureOrFail } from './subprocess.mjs';

/** Holds VS Code 1.139 and wants Node 24. */
const VERSION = '4.139.1';

/** Raised when the steps below change, so that folders made by the old steps are not taken for new ones. */
const RECIPE = 2;

/** What the server loads at its start; its other native modules bring prebuilt files or are not needed. */
const NATIVE_MODULES = [
  '@vscode/sqlite3',
  '@vscode/spdlog',
  '@vscode/native-watchdog',
  '@vscode/fs-copyfile',
];

/**
 * @typedef {object} VsCodeServer
 * @property {string} node the Node to run it with: its native modules are built for that one
 * @property {string} main the server's entry file
 */

/**
 * A whole VS Code server, from the cache or made there: about two minutes the first time.
 * @returns {Promise<VsCodeServer>}
 */
export async function ensureVsCodeServer() {
  const node = await ensureNodeHome();
  const folder = await provision({
    name: `code-server-${VERSION}-node-${node.version}-${RECIPE}`,
    make: (making) => makeServer({ folder: making, node }),
  });
  return { node: node.executable, main: path.join(vsCodeIn(folder), 'out', 'server-main.js') };
}

/** @param {string} folder */
function vsCodeIn(folder) {
  return path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
}

/** @param {{folder: string, node: import('./node.mjs').NodeHome}} options */
async function makeServer({ folder, node }) {
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  await step(`Fetching VS Code server ${VERSION}`, () =>
    npm({
      what: 'Fetching the VS Code server',
      cwd: folder,
      args: ['install', '--no-package-lock', `code-server@${VERSION}`],
    }),
  );
  const vsCode = vsCodeIn(folder);
  await step('Installing the VS Code server', async () => {
    // Its own extensions share packages: without them the first script that is opened is met with an error about TypeScript.
    for (const cwd of [vsCode, path.join(vsCode, 'extensions')])
      await npm({ what: "Installing the VS Code server's packages", cwd, args: ['install', '--omit=dev'] });
  });
  await step('Building native modules of the VS Code server', () =>
    Promise.all(
      NATIVE_MODULES.map((name) => buildNative({ folder: path.join(vsCode, 'node_modules', name), node })),
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
