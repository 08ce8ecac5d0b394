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

/** As a shell reports Ctrl+C. */
const STOPPED = 130;

/** What has changed since somebody last asked. */
class News {
  /** @type {Set<Part | 'end'>} */
  #parts = new Set();
  /** @type {PromiseWithResolvers<void>} */
  #come = Promise.withResolvers();

  /** @param {Part | 'end'} part */
  tell(part) {
    this.#parts.add(part);
    this.#come.resolve();
  }

  /** @returns {Promise<(Part | 'end')[]>} all that came meanwhile */
  async next() {
    await this.#come.promise;
    const parts = [...this.#parts];
    this.#parts.clear();
    this.#come = Promise.withResolvers();
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
  const leave = await withoutPerson();
  try {
    return options.kind === 'pictures'
      ? await pictures({ ...options, stop })
      : await gallery({ ...options, stop, env });
  } finally {
    await leave();
  }
});

/** Aborts at the first signal. npm passes Ctrl+C on, so that it comes twice: the second one changes nothing. */
function stopSignal() {
  const stop = new AbortController();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => stop.abort());
  // A terminal that was closed takes no more words; the folders are to be removed all the same.
  process.stderr.on('error', () => stop.abort());
  return stop.signal;
}

/** The person may have skills of their own, which the states must not show: their home is an empty folder meanwhile. */
async function withoutPerson() {
  const person = await mkdtemp(path.join(tmpdir(), 'ledgerline-person-'));
  const names = ['HOME', 'USERPROFILE'];
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = person;
  return async () => {
    for (const [index, name] of names.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
    await rm(person, { recursive: true, force: true, maxRetries: 5 });
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
  const news = new News();
  if (stop.aborted) news.tell('end');
  stop.addEventListener('abort', () => news.tell('end'));
  // It stays the same while the gallery's own code changes, so that the page finds its way back.
  const address = randomUUID();
  const endWatch = await watchParts((part) => news.tell(part));
  /** @type {Gallery | null} */
  let shown = null;
  try {
    shown = await start(await loadGallery(), { port, address });
    say(`Gallery: ${shown.url}\nIt reloads as you edit. Press Ctrl+C to stop.`);
    if (open) openBrowser(shown.url, env);
    for (let parts = await news.next(); !parts.includes('end'); parts = await news.next()) {
      const code = parts.includes('gallery') ? await loadChanged() : null;
      if (code !== null) {
        await shown.close();
        shown = await start(code, { port: shown.port, address });
      } else if (parts.includes('extension')) shown.openAnew();
      else if (parts.includes('page')) shown.redraw();
    }
  } finally {
    await endWatch();
    await shown?.close();
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

/** The gallery's code after a change, or `null` when it throws. */
async function loadChanged() {
  try {
    return await loadGallery();
  } catch (error) {
    say(`The changed gallery does not load; the one before stays.\n${String(error)}`);
    return null;
  }
}

/**
 * @param {string} url
 * @param {NodeJS.ProcessEnv} env the person's own: their browser finds its profile at home
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
