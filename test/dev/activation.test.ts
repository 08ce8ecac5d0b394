import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { extensionBundle, nodeBundle } from '../../src/dev/bundle-options.mjs';

const root = new URL('../../', import.meta.url);

/** The host and the small pure files that its views name states and sessions with. */
const EAGER =
  /^src\/(extension\.ts|host\/|presenter\/|runtime\/(title|turn-changes|change-facts|loose-fields|inspection\/(node-state|spoken-words))\.ts|storage\/session-paths\.ts)/;

test('activation loads neither the conversation nor a package, and little of anything', async () => {
  const { metafile } = await build(extensionBundle({ mode: 'production' }));
  const inputs = Object.keys(metafile.inputs);
  expect(inputs).toContain('src/extension.ts');
  expect(inputs.filter((file) => !EAGER.test(file))).toEqual([]);
  expect(inputs).not.toContain('src/presenter/protocol.ts');
  expect(inputs).not.toContain('src/host/conversation-host.ts');
  expect(metafile.outputs['dist/extension.cjs']?.bytes).toBeLessThan(96 * 1024);
});

test('what is in both bundles has no memory of its own: there would be two of it', async () => {
  const lazy: Record<string, string> = {};
  const onLazy = (name: string, file: string): void => {
    lazy[name] = file;
  };
  const eager = await build(extensionBundle({ mode: 'production', onLazy }));
  const rest = await build(nodeBundle({ mode: 'production', banner: '', lazy }));
  const both = Object.keys(eager.metafile.inputs).filter((file) => file in rest.metafile.inputs);
  expect(both.length).toBeGreaterThan(3);
  for (const file of both) {
    const text = await readFile(new URL(file, root), 'utf8');
    expect([file, /^(export )?(let |const \w+ = new (Map|WeakMap|Set)\()/m.test(text)]).toEqual([
      file,
      false,
    ]);
  }
});
