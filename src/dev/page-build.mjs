// @ts-check
import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { REQUIRE_BANNER, styleBundle, TOOL_CHAIN_APART, webviewBundle } from './bundle-options.mjs';
import { pageHostBundle } from './page-host.mjs';
import { SetupError } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';

/** @typedef {typeof import('../../test/page/gallery/main.ts')} GalleryCode */
/** @typedef {'page' | 'extension' | 'gallery'} Part */

const GALLERY = projectPath('dist', 'page', 'gallery.mjs');

export async function buildParts() {
  const esbuild = await import('esbuild');
  try {
    await Promise.all(bundles().map(({ options }) => esbuild.build(options)));
  } catch {
    // esbuild has printed the reason.
    throw new SetupError('the build failed.');
  }
}

/**
 * Builds every part now and again after each change. Resolves after the first builds, to a function that stops it.
 * @param {(part: Part) => void} rebuilt
 * @returns {Promise<() => Promise<void>>}
 */
export async function watchParts(rebuilt) {
  const esbuild = await import('esbuild');
  const all = bundles().map(({ part, options }) => {
    /** @type {PromiseWithResolvers<boolean>} Whether the first build succeeded. */
    const first = Promise.withResolvers();
    let isLater = false;
    /** @param {import('esbuild').BuildResult} result */
    const ended = ({ errors }) => {
      if (isLater && errors.length === 0) rebuilt(part);
      isLater = true;
      first.resolve(errors.length === 0);
    };
    /** @type {import('esbuild').Plugin} */
    const tell = { name: 'tell', setup: (build) => build.onEnd(ended) };
    return { first, options: { ...options, plugins: [...(options.plugins ?? []), tell] } };
  });
  const contexts = await Promise.all(all.map(({ options }) => esbuild.context(options)));
  const end = async () => {
    await Promise.all(contexts.map((context) => context.dispose()));
  };
  try {
    await Promise.all(contexts.map((context) => context.watch()));
    const built = await Promise.all(all.map(({ first }) => first.promise));
    if (built.includes(false)) throw new SetupError('the build failed.');
    return end;
  } catch (error) {
    await end();
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
 * Keeps names as they are, because the browser runs the source text of some functions.
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
 * Loads what is on disk now, past the module cache.
 * @returns {Promise<GalleryCode>}
 */
export function loadGallery() {
  return import(`${pathToFileURL(GALLERY).href}?${randomUUID()}`);
}
