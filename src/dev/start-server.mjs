// @ts-check
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SetupError, say } from './progress.mjs';
import { VSIX } from './project.mjs';
import { writeServerSettings } from './start-folder.mjs';
import { browserCommand, hasDisplay } from './start-options.mjs';
import { installExtension, startVsCodeServer } from './vscode-process.mjs';
import { ensureVsCodeServer } from './vscode-server.mjs';

/**
 * Serves VS Code to the browser until Ctrl+C.
 * @param {{folder: import('./start-folder.mjs').StartFolder, options: import('./start-options.mjs').StartOptions}} input
 * @returns {Promise<number>}
 */
export async function startServer({ folder, options }) {
  const { workspace, dataDir, extensionsDir } = folder;
  const server = await ensureVsCodeServer();
  await installExtension({ server, vsix: VSIX, extensionsDir, dataDir });
  await writeServerSettings(dataDir);
  const secret = await writeSecret(dataDir);
  const running = await startVsCodeServer({
    server,
    dataDir,
    extensionsDir,
    port: options.port,
    tokenFile: secret.file,
  });
  const url = new URL(`http://localhost:${running.port}/`);
  url.searchParams.set('tkn', secret.token);
  url.searchParams.set('folder', workspace);
  if (options.smoke) {
    try {
      await checkAnswer({ port: running.port, token: secret.token });
    } finally {
      await running.stop();
    }
    say('The workbench answers.');
    return 0;
  }
  say('VS Code with Ledgerline is running at');
  process.stdout.write(`${url.href}\n`);
  say('Click the Ledgerline icon in the bar on the left. Ctrl+C ends it.');
  if (options.open) openBrowser(url.href);
  return untilStopped(running);
}

/**
 * The workbench has a terminal: a secret in its address keeps other users and pages of this machine out.
 * @param {string} dataDir
 */
async function writeSecret(dataDir) {
  const token = randomBytes(16).toString('hex');
  const file = path.join(dataDir, 'connection-token');
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, token, { mode: 0o600 });
  return { token, file };
}

/** @param {{port: number, token: string}} options */
async function checkAnswer({ port, token }) {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    headers: { cookie: `vscode-tkn=${token}` },
    signal: AbortSignal.timeout(30_000),
  });
  const page = await response.text();
  if (response.status !== 200 || !page.includes('workbench')) {
    throw new SetupError(`the workbench answered ${response.status}.`);
  }
}

/** @param {string} url */
function openBrowser(url) {
  if (!hasDisplay({ platform: process.platform, env: process.env })) return;
  const { command, args } = browserCommand({ platform: process.platform, url });
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.once('error', () => say('No browser could be opened: open the address above by hand.'));
  child.unref();
}

/**
 * @param {import('./vscode-process.mjs').RunningServer} running
 * @returns {Promise<number>}
 */
async function untilStopped(running) {
  /** @type {Promise<'stop'>} */
  const asked = new Promise((resolve) => {
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      process.once(signal, () => resolve('stop'));
    }
  });
  const outcome = await Promise.race([asked, running.ended]);
  if (outcome !== 'stop') {
    say(`The VS Code server ended by itself (exit ${outcome}); see ${running.logFile}`);
    return 1;
  }
  await running.stop();
  return 0;
}
