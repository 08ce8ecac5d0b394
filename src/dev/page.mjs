// @ts-check
// npm run page [-- --port N] [-- --no-open] | npm run page -- --pictures [FOLDER] [FILTER]
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node.mjs';
import { buildParts, loadGallery, watchParts } from './page-build.mjs';
import { parsePageOptions } from './page-options.mjs';
import { runMain, say, SetupError } from './progress.mjs';
import { browserCommand, hasDisplay } from './start-options.mjs';

/** @typedef {import('./page-build.mjs').Part} Part */
/** @typedef {import('../../test/page/gallery/main.ts').Gallery} Gallery */

/** The exit code that shells use for Ctrl+C. */
const STOPPED = 130;

/** Collects what has changed since the last call of `next`. */
class Changes {
  /** @type {Set<Part | 'end'>} */
  #parts = new Set();
  /** @type {PromiseWithResolvers<void>} */
  #arrived = Promise.withResolvers();

  /** @param {Part | 'end'} part */
  add(part) {
    this.#parts.add(part);
    this.#arrived.resolve();
  }

  /** @returns {Promise<(Part | 'end')[]>} everything new, at least one */
  async next() {
    await this.#arrived.promise;
    const parts = [...this.#parts];
    this.#parts.clear();
    this.#arrived = Promise.withResolvers();
    return parts;
  }
}

await runMain(async () => {
  const options = parsePageOptions(process.argv.slice(2));
  await ensureNode();
  await ensureDependencies();
  if (options.kind === 'pictures') await ensureChromium();
  const stop = stopSignal();
  const env = { ...process.env };
  const restoreHome = await useEmptyHome();
  try {
    return options.kind === 'pictures'
      ? await pictures({ ...options, stop })
      : await gallery({ ...options, stop, env });
  } finally {
    await restoreHome();
  }
});

/** Aborts at the first signal and ignores later ones: npm forwards Ctrl+C, so it arrives twice. */
function stopSignal() {
  const stop = new AbortController();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => stop.abort());
  // Writing to a closed terminal fails; the temporary folders still have to go.
  process.stderr.on('error', () => stop.abort());
  return stop.signal;
}

/** Keeps the skills of the person who runs this out of the states: the home folder is an empty one meanwhile. */
async function useEmptyHome() {
  const home = await mkdtemp(path.join(tmpdir(), 'ledgerline-home-'));
  const names = ['HOME', 'USERPROFILE'];
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = home;
  return async () => {
    for (const [index, name] of names.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** @param {{folder: string, filter: string, stop: AbortSignal}} options */
async function pictures({ folder, filter, stop }) {
  await makeFolder(folder);
  await buildParts();
  const { takePictures, groupsWith } = await loadGallery();
  const groups = groupsWith(filter);
  if (groups.length === 0) throw new SetupError(`No state matches "${filter}".`);
  const count = groups.flatMap(({ states }) => states).length;
  const { taken, faults } = await takePictures({ folder, groups, signal: stop });
  for (const fault of faults) say(fault);
  if (stop.aborted) {
    say(`Stopped after ${taken} of ${count} states.`);
    return STOPPED;
  }
  say(`Pictures of ${taken} states: ${path.join(folder, 'index.html')}`);
  return faults.length === 0 ? 0 : 1;
}

/** @param {string} folder */
async function makeFolder(folder) {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new SetupError(`${folder} is not a folder. Choose another after --pictures.`);
    throw new SetupError(`cannot create ${folder} (${code}). Choose another after --pictures.`);
  }
}

/** @param {{port: number, open: boolean, stop: AbortSignal, env: NodeJS.ProcessEnv}} options */
async function gallery({ port, open, stop, env }) {
  const changes = new Changes();
  if (stop.aborted) changes.add('end');
  stop.addEventListener('abort', () => changes.add('end'));
  // A restart of the gallery keeps its address, so that an open page can reconnect.
  const address = randomUUID();
  const endWatch = await watchParts((part) => changes.add(part));
  /** @type {Gallery | null} */
  let running = null;
  try {
    running = await start(await loadGallery(), { port, address });
    say(`Gallery: ${running.url}\nIt reloads as you edit. Press Ctrl+C to stop.`);
    if (open) openBrowser(running.url, env);
    for (let parts = await changes.next(); !parts.includes('end'); parts = await changes.next()) {
      const code = parts.includes('gallery') ? await loadChanged() : null;
      if (code !== null) {
        await running.close();
        running = await start(code, { port: running.port, address });
      } else if (parts.includes('extension')) running.openAnew();
      else if (parts.includes('page')) running.redraw();
    }
  } finally {
    await endWatch();
    await running?.close();
  }
  return 0;
}

/**
 * @param {import('./page-build.mjs').GalleryCode} code
 * @param {{port: number, address: string}} options
 * @returns {Promise<Gallery>}
 */
async function start({ startGallery }, options) {
  try {
    return await startGallery(options);
  } catch (error) {
    const why = { EADDRINUSE: 'is in use', EACCES: 'is not open to you' }[codeOf(error)];
    if (why === undefined) throw error;
    throw new SetupError(`Port ${options.port} ${why}. Choose another with --port.`);
  }
}

/** Loads the gallery's code after a change; `null` if it throws. */
async function loadChanged() {
  try {
    return await loadGallery();
  } catch (error) {
    say(`The changed gallery doesn't load. The previous one stays open.\n${String(error)}`);
    return null;
  }
}

/**
 * @param {string} url
 * @param {NodeJS.ProcessEnv} env with the real home folder, where the browser keeps its profile
 */
function openBrowser(url, env) {
  if (!hasDisplay({ platform: process.platform, env })) return;
  const { command, args } = browserCommand({ platform: process.platform, url });
  const child = spawn(command, args, { stdio: 'ignore', detached: true, env });
  child.once('error', sayNoBrowser);
  child.once('exit', (code) => {
    if (code !== 0) sayNoBrowser();
  });
  child.unref();
}

function sayNoBrowser() {
  say("Couldn't open a browser. Open the address above.");
}

/** @param {unknown} error */
function codeOf(error) {
  return String(/** @type {{code?: unknown}} */ (error)?.code);
}
