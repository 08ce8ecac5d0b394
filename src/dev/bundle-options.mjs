// @ts-check
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { SetupError } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';

/** @typedef {'production' | 'development'} Mode */

const EXTENSION_ENTRY = 'src/extension.ts';
const HEADLESS_ENTRY = 'src/headless/main.ts';
const WEBVIEW_ENTRY = 'webview/main.tsx';
const WEBVIEW_STYLE = 'webview/main.css';

// Bundled CommonJS packages that call require() for a Node module find none in an ES module.
export const REQUIRE_BANNER =
  "import{createRequire as bundledRequire}from'node:module';const require=bundledRequire(import.meta.url);";

/** What esbuild leaves behind where such a call is left. */
export const REQUIRE_SHIM = 'Dynamic require of "';

/**
 * For programs of the tests, which use the tool chain: it finds its files from where it is, so it stays there.
 * @type {import('esbuild').Plugin}
 */
export const TOOL_CHAIN_APART = {
  name: 'tool-chain-apart',
  setup(build) {
    build.onResolve({ filter: /\/dev\/[\w-]+\.mjs$/ }, ({ path: specifier, resolveDir }) => ({
      path: pathToFileURL(path.resolve(resolveDir, specifier)).href,
      external: true,
    }));
  },
};

/**
 * @param {Mode} mode
 * @returns {import('esbuild').BuildOptions & {write: false, metafile: true}}
 */
function shared(mode) {
  return {
    absWorkingDir: PROJECT,
    bundle: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
    minify: mode === 'production',
    keepNames: false,
    // External maps are not named in the bundle, so they can be kept out of the package.
    sourcemap: mode === 'production' ? 'external' : 'linked',
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
  };
}

/**
 * What VS Code loads when it activates the extension: CommonJS, because it loads that several times faster than
 * an ES module. Whatever it imports later, on demand, stays an ES module of the other build.
 * @param {{mode: Mode, onLazy?: (name: string, file: string) => void}} options
 */
export function extensionBundle({ mode, onLazy = () => undefined }) {
  return {
    ...shared(mode),
    entryPoints: { extension: existingEntry(EXTENSION_ENTRY) },
    outdir: projectPath('dist'),
    outExtension: { '.js': '.cjs' },
    platform: /** @type {const} */ ('node'),
    target: 'node20',
    format: /** @type {const} */ ('cjs'),
    external: ['vscode'],
    define: {},
    plugins: [lazyImports(onLazy), PLAIN_VSCODE],
  };
}

/**
 * Leaves `import()` of our own modules to the other build, under the name it has there.
 * @param {(name: string, file: string) => void} onLazy
 * @returns {import('esbuild').Plugin}
 */
function lazyImports(onLazy) {
  return {
    name: 'lazy-imports',
    setup: (build) =>
      build.onResolve({ filter: /^\./ }, ({ kind, path: specifier, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const file = path.relative(projectPath('src'), path.resolve(resolveDir, specifier));
        const name = file.replace(/\.ts$/, '').replaceAll(path.sep, '-');
        onLazy(name, path.join('src', file));
        return { path: `./${name}.js`, external: true };
      }),
  };
}

/**
 * As an ES module namespace, the API of VS Code would be copied name by name for each of our modules: some ten
 * milliseconds of every activation.
 * @type {import('esbuild').Plugin}
 */
const PLAIN_VSCODE = {
  name: 'plain-vscode',
  setup: (build) =>
    build.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => ({
      loader: 'ts',
      contents: (await readFile(file, 'utf8')).replace(
        /^import \* as vscode from ('vscode');$/m,
        'const vscode = require($1);',
      ),
    })),
};

/**
 * The headless presenter, and what the extension loads on demand: one build, so that what they share is split
 * into chunks.
 * @param {{mode: Mode, banner: string, lazy: Readonly<Record<string, string>>}} options
 */
export function nodeBundle({ mode, banner, lazy }) {
  return {
    ...shared(mode),
    entryPoints: Object.fromEntries(
      Object.entries({ headless: HEADLESS_ENTRY, ...lazy }).map(([name, file]) => [
        name,
        existingEntry(file),
      ]),
    ),
    outdir: projectPath('dist'),
    platform: /** @type {const} */ ('node'),
    // The headless presenter runs on the oldest Node in `engines`, not only inside VS Code.
    target: 'node20',
    format: /** @type {const} */ ('esm'),
    splitting: true,
    chunkNames: 'chunk-[hash]',
    external: ['vscode'],
    mainFields: ['module', 'main'],
    banner: { js: banner },
    // `process.env` of a program is the user's; only the webview's is settled at build time. What `ws` would be faster
    // with is not in the package, and is not looked for in the folders around it.
    define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
  };
}

/** @param {{mode: Mode}} options */
export function webviewBundle({ mode }) {
  return { ...browserBundle(mode), entryPoints: { main: existingEntry(WEBVIEW_ENTRY) } };
}

/**
 * The style sheet by itself, for a webview that does not import it.
 * @param {{mode: Mode}} options
 */
export function styleBundle({ mode }) {
  if (!existsSync(projectPath(WEBVIEW_STYLE))) return undefined;
  return { ...browserBundle(mode), entryPoints: { main: projectPath(WEBVIEW_STYLE) } };
}

/** @param {Mode} mode */
function browserBundle(mode) {
  return {
    ...shared(mode),
    outdir: projectPath('dist', 'webview'),
    platform: /** @type {const} */ ('browser'),
    format: /** @type {const} */ ('iife'),
    target: 'es2022',
    loader: { '.ttf': /** @type {const} */ ('file'), '.svg': /** @type {const} */ ('file') },
    assetNames: '[name]',
  };
}

/** @param {string} file */
function existingEntry(file) {
  const entry = projectPath(file);
  if (!existsSync(entry)) throw new SetupError(`cannot build: ${file} does not exist.`);
  return entry;
}
