// @ts-check
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  REQUIRE_BANNER,
  REQUIRE_SHIM,
  extensionBundle,
  nodeBundle,
  styleBundle,
  webviewBundle,
} from './bundle-options.mjs';
import { noticesOf } from './notices.mjs';
import { SetupError, say } from './progress.mjs';
import { NOTICES, projectPath } from './project.mjs';

/** @typedef {import('./bundle-options.mjs').Mode} Mode */
/** @typedef {import('esbuild').BuildResult<{write: false, metafile: true}>} Bundle */
/** @typedef {import('esbuild').BuildOptions & {write: false, metafile: true}} BundleOptions */

const DIST = projectPath('dist');

/**
 * Builds everything that is packaged, into dist/.
 * @param {{mode: Mode, meta?: boolean}} options
 * @returns {Promise<{bytes: number}>} of the code, without source maps
 */
export async function buildBundles({ mode, meta = false }) {
  const built = await Promise.all((await bundleOptions(mode)).map(build));
  await removeOldBundles();
  const bytes = await Promise.all(built.map((bundle) => write({ bundle, mode })));
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  await writeFile(NOTICES, await noticesOf(inputs));
  if (meta) await writeMeta(built);
  return { bytes: bytes.reduce((sum, each) => sum + each, 0) };
}

/**
 * Builds for development and again at every change, until the signal.
 * @param {{signal: AbortSignal}} options
 */
export async function watchBundles({ signal }) {
  const esbuild = await import('esbuild');
  await removeOldBundles();
  const contexts = await Promise.all(
    (await bundleOptions('development')).map((options) =>
      esbuild.context({
        ...options,
        logLevel: 'warning',
        plugins: [
          ...(options.plugins ?? []),
          { name: 'write', setup: (build) => build.onEnd((result) => writeWhenGood(result)) },
        ],
      }),
    ),
  );
  await Promise.all(contexts.map((context) => context.watch()));
  say('Watching for changes; Ctrl+C ends.');
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
  await Promise.all(contexts.map((context) => context.dispose()));
}

/** @param {import('esbuild').BuildResult} result */
async function writeWhenGood(result) {
  if (result.errors.length > 0 || result.outputFiles === undefined) return;
  await write({ bundle: { outputFiles: result.outputFiles }, mode: 'development' });
  say(`Built ${result.outputFiles.length} files`);
}

/**
 * @param {Mode} mode
 * @returns {Promise<BundleOptions[]>}
 */
async function bundleOptions(mode) {
  const webview = webviewBundle({ mode });
  /** @type {Record<string, string>} */
  const lazy = {};
  await build(extensionBundle({ mode, onLazy: (name, file) => (lazy[name] = file) }));
  const [plainNode, builtWebview] = await Promise.all([
    build(nodeBundle({ mode, banner: '', lazy })),
    build(webview),
  ]);
  const needsRequire = plainNode.outputFiles.some(
    (file) => file.path.endsWith('.js') && file.text.includes(REQUIRE_SHIM),
  );
  const hasStyle = builtWebview.outputFiles.some((file) => file.path.endsWith('.css'));
  const style = hasStyle ? undefined : styleBundle({ mode });
  return [
    extensionBundle({ mode }),
    nodeBundle({ mode, banner: needsRequire ? REQUIRE_BANNER : '', lazy }),
    webview,
    ...(style === undefined ? [] : [style]),
  ];
}

/**
 * @param {BundleOptions} options
 * @returns {Promise<Bundle>}
 */
async function build(options) {
  const esbuild = await import('esbuild');
  try {
    const result = await esbuild.build(options);
    for (const line of await esbuild.formatMessages(result.warnings, { kind: 'warning' })) say(line);
    return result;
  } catch (error) {
    if (!(error instanceof Error && 'errors' in error)) throw error;
    const messages = /** @type {import('esbuild').BuildFailure} */ (error).errors;
    const lines = await esbuild.formatMessages(messages, { kind: 'error' });
    throw new SetupError(`the build failed.\n${lines.join('').trimEnd()}`, { cause: error });
  }
}

/** Chunks are named by their content: without this, those of earlier builds would be packaged as well. */
async function removeOldBundles() {
  await mkdir(DIST, { recursive: true });
  const stale = (await readdir(DIST)).filter((name) =>
    /\.(c?js|map)$|^(webview|maps|meta\.json)$/.test(name),
  );
  await Promise.all(stale.map((name) => rm(path.join(DIST, name), { recursive: true, force: true })));
}

/**
 * @param {{bundle: {outputFiles: readonly import('esbuild').OutputFile[]}, mode: Mode}} options
 * @returns {Promise<number>}
 */
async function write({ bundle, mode }) {
  let bytes = 0;
  for (const file of bundle.outputFiles) {
    const isMap = file.path.endsWith('.map');
    const target =
      isMap && mode === 'production' ? path.join(DIST, 'maps', path.relative(DIST, file.path)) : file.path;
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, file.contents);
    if (!isMap) bytes += file.contents.length;
  }
  return bytes;
}

/** @param {readonly Bundle[]} built */
async function writeMeta(built) {
  const esbuild = await import('esbuild');
  const metafile = {
    inputs: Object.assign({}, ...built.map((bundle) => bundle.metafile.inputs)),
    outputs: Object.assign({}, ...built.map((bundle) => bundle.metafile.outputs)),
  };
  await writeFile(path.join(DIST, 'meta.json'), JSON.stringify(metafile));
  say(await esbuild.analyzeMetafile(metafile));
}
