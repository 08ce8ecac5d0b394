// @ts-check
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withoutNpmVariables } from './npm.mjs';
import { SetupError } from './progress.mjs';
import { captureOrFail } from './subprocess.mjs';

const GUARD = fileURLToPath(new URL('server-guard.mjs', import.meta.url));
const START_MS = 60_000;
const POLL_MS = 50;
const END_MS = 5_000;
const TAIL_LINES = 10;
// Without this the server asks a public gallery about the installed extension.
const NO_GALLERY = { EXTENSIONS_GALLERY: '{}' };

const LISTENING = /Extension host agent listening on (\d+)/;

/**
 * @typedef {object} ServerOptions
 * @property {import('./vscode-server.mjs').VsCodeServer} server
 * @property {string} dataDir
 * @property {string} extensionsDir
 * @property {number} [port] a free one unless given
 * @property {string} [tokenFile] holds a secret the browser must know; without it any local process may connect
 * @property {boolean} [trust] false leaves workspace trust on, so that a folder opens in restricted mode
 * @property {number} [graceSeconds] how long an extension host waits for a window that left without a goodbye; three hours by default
 * @property {NodeJS.ProcessEnv} [env] added to this process's environment
 */

/**
 * @typedef {object} RunningServer
 * @property {number} port
 * @property {number} pid
 * @property {string} logFile what the server printed
 * @property {Promise<number>} ended its exit code
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the server on the loopback address and waits until it serves the workbench.
 * @param {ServerOptions} options
 * @returns {Promise<RunningServer>}
 */
export async function startVsCodeServer(options) {
  await mkdir(options.dataDir, { recursive: true });
  const logFile = path.join(options.dataDir, 'server-output.log');
  const log = createWriteStream(logFile, { flags: 'a' });
  const child = spawn(options.server.node, [GUARD, ...serverArguments(options)], {
    env: { ...serverEnvironment(process.env), ...NO_GALLERY, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: its extension hosts and terminals end with it.
    detached: process.platform !== 'win32',
  });
  const { pid } = child;
  if (pid === undefined) throw new SetupError(`the VS Code server did not start: ${options.server.node}`);
  /** @type {Promise<number>} */
  const ended = new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
  });
  // What it had printed last may come after its exit.
  const logged = new Promise((resolve) => {
    child.once('close', () => log.end(() => resolve(undefined)));
  });
  const stop = async () => {
    endTree({ pid, signal: 'SIGTERM' });
    await Promise.race([ended, delay(END_MS, undefined, { ref: false })]);
    // The server may be gone while a child of it is not.
    endTree({ pid, signal: 'SIGKILL' });
    await ended;
    await logged;
  };
  try {
    const port = await portOf({ child, log, ended });
    await answers({ port, ended });
    return { port, pid, logFile, ended, stop };
  } catch (error) {
    await stop();
    const said = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-TAIL_LINES).join('\n');
    throw new SetupError(`the VS Code server did not start.\n${said}`, { cause: error });
  }
}

/** @param {ServerOptions} options */
function serverArguments({
  server,
  dataDir,
  extensionsDir,
  port = 0,
  tokenFile,
  trust = true,
  graceSeconds,
}) {
  return [
    server.main,
    '--host=127.0.0.1',
    `--port=${port}`,
    ...(tokenFile === undefined ? ['--without-connection-token'] : [`--connection-token-file=${tokenFile}`]),
    '--accept-server-license-terms',
    `--server-data-dir=${dataDir}`,
    `--extensions-dir=${extensionsDir}`,
    '--telemetry-level=off',
    ...(trust ? ['--disable-workspace-trust'] : []),
    ...(graceSeconds === undefined ? [] : [`--reconnection-grace-time=${graceSeconds}`]),
  ];
}

/**
 * Without what a test runner, npm or an outer VS Code leaves in the environment.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function serverEnvironment(env) {
  return Object.fromEntries(
    Object.entries(withoutNpmVariables(env)).filter(
      ([name]) => !/^(VSCODE_|VITEST|ELECTRON_|NODE_OPTIONS$|NODE_ENV$|TEST$)/.test(name),
    ),
  );
}

/**
 * @param {{child: import('node:child_process').ChildProcess, log: import('node:stream').Writable, ended: Promise<number>}} options
 * @returns {Promise<number>}
 */
async function portOf({ child, log, ended }) {
  /** @type {Promise<number>} */
  const announced = new Promise((resolve) => {
    let seen = '';
    /** @param {Buffer} chunk */
    const read = (chunk) => {
      log.write(chunk);
      if (seen.length > 1e5) return;
      seen += chunk.toString();
      const match = LISTENING.exec(seen);
      if (match !== null) resolve(Number(match[1]));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
  return Promise.race([announced, failed(ended), timedOut()]);
}

/** @param {{port: number, ended: Promise<number>}} options */
async function answers({ port, ended }) {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    if (await Promise.race([isServing(port), failed(ended)])) return;
    await delay(POLL_MS);
  }
  await timedOut();
}

/** @param {number} port */
async function isServing(port) {
  try {
    // With a secret the server answers 403 to this; that it answers is enough here.
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.status < 500;
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return false;
    throw error;
  }
}

/**
 * @param {Promise<number>} ended
 * @returns {Promise<never>}
 */
async function failed(ended) {
  throw new Error(`the server ended with exit code ${await ended}`);
}

/** @returns {Promise<never>} */
async function timedOut() {
  await delay(START_MS, undefined, { ref: false });
  throw new Error(`the server did not answer within ${START_MS} ms`);
}

/** @param {{pid: number, signal: NodeJS.Signals}} options */
function endTree({ pid, signal }) {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * Installs a packaged extension as a user's VS Code would.
 * @param {{server: import('./vscode-server.mjs').VsCodeServer, vsix: string, extensionsDir: string, dataDir: string}} options
 */
export async function installExtension({ server, vsix, extensionsDir, dataDir }) {
  await captureOrFail({
    what: `Installing ${path.basename(vsix)}`,
    command: server.node,
    args: [
      server.main,
      `--install-extension=${vsix}`,
      `--extensions-dir=${extensionsDir}`,
      `--server-data-dir=${dataDir}`,
      '--accept-server-license-terms',
      '--force',
    ],
    env: { ...serverEnvironment(process.env), ...NO_GALLERY },
  });
}
