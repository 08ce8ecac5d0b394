import { build, type Plugin } from 'esbuild';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  importsOf,
  importViolations,
  impurities,
  layerOf,
  LAYERS,
  lengthViolations,
  machinePaths,
  nameViolations,
  unfinished,
  type SourceFile,
} from './support/source-rules.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function filesOf(...patterns: readonly string[]): readonly SourceFile[] {
  return globSync([...patterns], { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

const CODE = '*.{ts,tsx,mjs}';
const SOURCE = filesOf(`src/**/${CODE}`, `webview/**/${CODE}`);
const TESTS = filesOf(`test/**/${CODE}`);
const RUNTIME = SOURCE.filter(({ path }) => layerOf(path) === 'runtime');

/** A file that may be longer than the others, and why. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'src/runtime/events.ts': 'the whole vocabulary is one type, read from top to bottom like a table',
};

/** These hold the words that the checks look for. */
const SAMPLES = new Set(['test/architecture.test.ts', 'test/support/source-rules.ts']);

function bad(path: string, text: string): SourceFile {
  return { path, text };
}

describe('the layers of the source', () => {
  it('are all there, so that these checks look at something', () => {
    expect(new Set(SOURCE.map(({ path }) => layerOf(path)))).toEqual(new Set(Object.keys(LAYERS)));
    expect(RUNTIME.length).toBeGreaterThan(30);
    expect(RUNTIME.flatMap(({ text }) => importsOf(text)).length).toBeGreaterThan(100);
  });

  it('import only downwards, and vscode only where it belongs', () => {
    expect(SOURCE.flatMap(importViolations)).toEqual([]);
  });

  it('leave src/dev alone: it makes the program and is no part of it', () => {
    const users = SOURCE.filter(({ path }) => layerOf(path) !== 'dev').filter(({ text }) =>
      importsOf(text).some((specifier) => /(?:^|\/)dev\//.test(specifier)),
    );
    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['src/runtime/a.ts', "import { readFile } from 'node:fs';"],
    ['src/runtime/a.ts', "import { z } from 'zod';"],
    ['src/runtime/a.ts', "import type { Disk } from '../storage/disk.ts';"],
    ['src/runtime/replay/a.ts', "export { x } from '../../tools/tool.ts';"],
    ['src/storage/a.ts', "import {\n  a,\n  b,\n} from '../tools/tool.ts';"],
    ['src/storage/a.ts', "import * as vscode from 'vscode';"],
    ['src/presenter/a.ts', "const { x } = await import('node:os');"],
    ['src/presenter/a.ts', "import '../app/settings.ts';"],
    ['src/app/a.ts', "import { view } from '../host/chat-view.ts';"],
    ['src/headless/a.ts', "import { x } from '../host/chat-view.ts';"],
    ['src/headless/a.ts', "import { x } from 'vscode';"],
    ['src/host/a.ts', "import { x } from '../headless/main.ts';"],
    ['src/host/a.ts', "import { x } from '../dev/build.mjs';"],
    ['webview/a.tsx', "import { x } from '../src/runtime/turn.ts';"],
    ['webview/a.tsx', "import { x } from 'zod';"],
    ['webview/a.tsx', "import { x } from 'node:path';"],
    ['src/dev/a.mjs', "import { x } from '../runtime/turn.ts';"],
    ['src/misc/a.ts', 'export const x = 1;'],
  ])('would be broken by %s with %s', (path, text) => {
    expect(importViolations(bad(path, text))).toHaveLength(1);
  });

  it.each([
    ['src/runtime/replay/a.ts', "import { x } from '../channels.ts';"],
    ['src/runtime/a.ts', "// import { x } from 'vscode';\nexport const importance = 'from node:fs';"],
    [
      'src/storage/a.ts',
      "import { open } from 'node:fs/promises';\nimport { x } from '../runtime/ports.ts';",
    ],
    ['src/extension.ts', "import * as vscode from 'vscode';\nimport { x } from './host/commands.ts';"],
    [
      'webview/a.tsx',
      "import { render } from 'preact/hooks';\nimport { x } from '../src/presenter/feed.ts';",
    ],
  ])('allow %s with %s', (path, text) => {
    expect(importViolations(bad(path, text))).toEqual([]);
  });
});

describe('the runtime', () => {
  it('has no clock, no randomness, no timer and no console of its own', () => {
    expect(RUNTIME.flatMap(impurities)).toEqual([]);
  });

  it.each([
    'const t = Date.now();',
    'const t = new Date().toISOString();',
    'const n = Math.random();',
    'setTimeout(() => undefined, 1);',
    "console.log('x');",
    'const id = crypto.randomUUID();',
    'const where = process.cwd();',
  ])('would be impure with %s', (text) => {
    expect(impurities(bad('src/runtime/a.ts', text))).toHaveLength(1);
  });

  it('may turn a time it was given into a date', () => {
    expect(impurities(bad('a.ts', 'new Date(ms); // not Date.now()'))).toEqual([]);
  });

  it('bundles for a platform that is neither Node nor a browser', async () => {
    const bundled = await neutralBundle(RUNTIME.map(({ path }) => join(ROOT, path)));
    expect(bundled.toSorted()).toEqual(RUNTIME.map(({ path }) => path));
  });

  it('would not bundle with a module of Node in it', async () => {
    const withNode: Plugin = {
      name: 'sample',
      setup: (building) => {
        building.onResolve({ filter: /^sample$/ }, () => ({ path: 'sample', namespace: 'sample' }));
        building.onLoad({ filter: /.*/, namespace: 'sample' }, () => ({
          contents: "import 'node:fs'; export const x = 1;",
        }));
      },
    };
    await expect(neutralBundle(['sample'], [withNode])).rejects.toThrow('Could not resolve "node:fs"');
  });
});

async function neutralBundle(
  entryPoints: readonly string[],
  plugins: readonly Plugin[] = [],
): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    plugins: [...plugins],
    outdir: join(ROOT, 'dist'),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'neutral',
    format: 'esm',
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

describe('every file', () => {
  it('of the source has at most 300 lines, or a reason', () => {
    expect(SOURCE.flatMap((file) => lengthViolations(file, LONG_FILES))).toEqual([]);
  });

  it('that is named as an exception is there and needs it', () => {
    const needed = SOURCE.filter((file) => lengthViolations(file, {}).length > 0).map(({ path }) => path);
    expect(needed).toEqual(Object.keys(LONG_FILES).toSorted());
  });

  it('of 301 lines would be found', () => {
    expect(lengthViolations(bad('a.ts', 'x\n'.repeat(301)), {})).toEqual(['a.ts has 301 lines']);
    expect(lengthViolations(bad('a.ts', 'x\n'.repeat(300)), {})).toEqual([]);
  });

  it('has a kebab-case name that says what it holds', () => {
    expect([...SOURCE, ...TESTS].flatMap(nameViolations)).toEqual([]);
  });

  it.each(['src/app/utils.ts', 'src/app/pathHelpers.ts', 'src/app/path-helpers.ts', 'src/common/a.ts'])(
    'could not be called %s',
    (path) => {
      expect(nameViolations({ path })).toHaveLength(1);
    },
  );

  it('is finished, and every test of it runs', () => {
    const files = [...SOURCE, ...TESTS].filter(({ path }) => !SAMPLES.has(path));
    expect(files.flatMap(unfinished)).toEqual([]);
  });

  it.each(['// TODO: later', '/* FIXME */', "it.only('x', f);", "describe.skip('x', f);"])(
    'would be found unfinished with %s',
    (text) => {
      expect(unfinished(bad('a.ts', text))).toHaveLength(1);
    },
  );

  it('names no path of one machine', () => {
    const config = filesOf('*.json', '.oxlintrc.json', '.vscodeignore', 'docs/**/*.md', 'README.md');
    expect([...SOURCE, ...config].flatMap(machinePaths)).toEqual([]);
  });

  // Put together here, so that this file does not name one itself.
  const rooted = ['', 'work', 'main', 'src'].join('/');
  it.each(["const a = '/home/jane/x';", 'see /Users/jane', rooted, String.raw`C:\\Users\\jane`])(
    'would be found with %s',
    (text) => {
      expect(machinePaths(bad('a.ts', text))).toHaveLength(1);
    },
  );
});
