// @ts-check
// npm run page [-- --port N] [-- --no-open] | npm run page -- --pictures [FOLDER] [FILTER]
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { REQUIRE_BANNER, styleBundle, TOOL_CHAIN_APART, webviewBundle } from './bundle-options.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node.mjs';
import { pageHostBundle } from './page-host.mjs';
import { runMain, say, SetupError } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';
import { browserCommand, hasDisplay } from './start-options.mjs';
import { capture } from './subprocess.mjs';

/** @typedef {typeof import('../../test/page/gallery/main.ts')} GalleryCode */
/** @typedef {'page' | 'extension' | 'gallery'} Part */

const GALLERY = projectPath('dist', 'page', 'gallery.mjs');

/** What has changed since it was last looked at. */
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
  await ensureNode();
  await ensureDependencies();
  const options = parseOptions(process.argv.slice(2));
  if (options.kind === 'pictures') await ensureChromium();
  const leave = await withoutPerson();
  try {
    return options.kind === 'pictures' ? await pictures(options) : await gallery(options);
  } finally {
    await leave();
  }
});

/**
 * @param {readonly string[]} args
 * @returns {{kind: 'pictures', folder: string, filter: string} | {kind: 'gallery', port: number, open: boolean}}
 */
function parseOptions(args) {
  const [first, ...rest] = args;
  if (first === '--pictures') {
    const [folder = projectPath('dist', 'pictures'), filter = ''] = rest;
    return { kind: 'pictures', folder: path.resolve(folder), filter };
  }
  const options = { kind: /** @type {const} */ ('gallery'), port: 0, open: true };
  for (const [index, arg] of args.entries()) {
    if (arg === '--no-open') options.open = false;
    else if (arg === '--port') options.port = Number(args[index + 1]);
    else if (args[index - 1] !== '--port')
      throw new SetupError(
        `unknown option ${arg}: one of --port N, --no-open, --pictures [FOLDER] [FILTER].`,
      );
  }
  return options;
}

/** Whoever looks may have skills of their own: here their folder is an empty one. */
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
    await rm(person, { recursive: true, force: true });
  };
}

/** @param {{folder: string, filter: string}} options */
async function pictures({ folder, filter }) {
  const esbuild = await import('esbuild');
  await Promise.all(bundles().map(({ options }) => esbuild.build(options)));
  const { takePictures, groupsWith } = await loadGallery();
  const groups = groupsWith(filter);
  if (groups.length === 0) throw new SetupError(`no state has "${filter}" in its name.`);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  const faults = await takePictures({ folder, groups, signal: stop.signal });
  for (const fault of faults) say(fault);
  say(
    `Pictures of ${groups.flatMap(({ states }) => states).length} states: ${path.join(folder, 'index.html')}`,
  );
  return faults.length === 0 ? 0 : 1;
}

/** @param {{port: number, open: boolean}} options */
async function gallery({ port, open }) {
  const news = new News();
  process.once('SIGINT', () => news.tell('end'));
  process.once('SIGTERM', () => news.tell('end'));
  // It stays the same while the gallery's own code changes, so that the page finds its way back.
  const address = randomUUID();
  const contexts = await watch((part) => news.tell(part));
  let shown = await (await loadGallery()).startGallery({ port, address });
  try {
    say(`The gallery is at ${shown.url}\nIt follows what you change; Ctrl+C ends it.`);
    if (open && hasDisplay({ platform: process.platform, env: process.env })) await openBrowser(shown.url);
    for (let parts = await news.next(); !parts.includes('end'); parts = await news.next()) {
      if (parts.includes('gallery')) {
        await shown.close();
        shown = await (await loadGallery()).startGallery({ port: shown.port, address });
      } else if (parts.includes('extension')) shown.openAnew();
      else shown.redraw();
    }
  } finally {
    await Promise.all(contexts.map((context) => context.dispose()));
    await shown.close();
  }
  return 0;
}

/**
 * Builds each part, and again when it changes. Resolves when all are there.
 * @param {(part: Part) => void} rebuilt
 */
async function watch(rebuilt) {
  const esbuild = await import('esbuild');
  const all = bundles().map(({ part, options }) => {
    /** @type {PromiseWithResolvers<void>} */
    const first = Promise.withResolvers();
    let isThere = false;
    /** @param {import('esbuild').BuildResult} result */
    const ended = ({ errors }) => {
      if (isThere && errors.length === 0) rebuilt(part);
      if (!isThere && errors.length > 0) first.reject(new SetupError('the build failed.'));
      isThere = true;
      first.resolve();
    };
    /** @type {import('esbuild').Plugin} */
    const tell = { name: 'tell', setup: (build) => build.onEnd(ended) };
    return { first, options: { ...options, plugins: [...(options.plugins ?? []), tell] } };
  });
  const contexts = await Promise.all(all.map(({ options }) => esbuild.context(options)));
  await Promise.all(contexts.map((context) => context.watch()));
  try {
    await Promise.all(all.map(({ first }) => first.promise));
    return contexts;
  } catch (error) {
    await Promise.all(contexts.map((context) => context.dispose()));
    throw error;
  }
}

/** @returns {{part: Part, options: import('esbuild').BuildOptions}[]} */
function bundles() {
  const written = { write: true, logLevel: /** @type {const} */ ('warning') };
  const mode = 'development';
  const style = styleBundle({ mode });
  return [
    { part: 'page', options: { ...webviewBundle({ mode }), ...written } },
    ...(style === undefined
      ? []
      : [{ part: /** @type {const} */ ('page'), options: { ...style, ...written } }]),
    { part: 'extension', options: pageHostBundle() },
    { part: 'gallery', options: galleryBundle() },
  ];
}

/**
 * Names stay as they are: what runs in the browser is taken from the source of functions.
 * @returns {import('esbuild').BuildOptions}
 */
function galleryBundle() {
  return {
    absWorkingDir: PROJECT,
    entryPoints: [projectPath('test', 'page', 'gallery', 'main.ts')],
    outfile: GALLERY,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['vscode', 'playwright-core'],
    plugins: [TOOL_CHAIN_APART],
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE_BANNER },
    sourcemap: true,
    logLevel: 'warning',
  };
}

/**
 * As it is on disk now.
 * @returns {Promise<GalleryCode>}
 */
function loadGallery() {
  return import(`${pathToFileURL(GALLERY).href}?${randomUUID()}`);
}

/** @param {string} url */
async function openBrowser(url) {
  const { code } = await capture(browserCommand({ platform: process.platform, url }));
  if (code !== 0) say('No browser could be opened: open the address above.');
}
