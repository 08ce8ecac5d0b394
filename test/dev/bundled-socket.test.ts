import { build, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { nodeBundle } from '../../src/dev/bundle-options.mjs';
import { packagesIn } from '../../src/dev/notices.mjs';

/** What is loaded together with an output, before anything is asked for. */
function loadedWith(metafile: Metafile, path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const one of metafile.outputs[path]?.imports ?? [])
    if (one.kind === 'import-statement') loadedWith(metafile, one.path, seen);
  return seen;
}

test('the socket is bundled, named in the notices, loaded on demand, and looks for no package around it', async () => {
  const { metafile, outputFiles } = await build(nodeBundle({ mode: 'production', banner: '', lazy: {} }));
  expect(packagesIn(Object.keys(metafile.inputs))).toContain('ws');
  const holders = Object.entries(metafile.outputs)
    .filter(([, { inputs }]) => Object.keys(inputs).some((input) => input.startsWith('node_modules/ws/')))
    .map(([path]) => path);
  expect(holders.length).toBeGreaterThan(0);
  const first = loadedWith(metafile, 'dist/headless.js');
  expect(holders.filter((path) => first.has(path))).toEqual([]);
  const asking = outputFiles.filter(
    ({ path, text }) => path.endsWith('.js') && /bufferutil|utf-8-validate/u.test(text),
  );
  expect(asking.map(({ path }) => path)).toEqual([]);
});
