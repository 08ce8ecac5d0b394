import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { nodeBundle } from '../../src/dev/bundle-options.mjs';

type Output = { readonly bytes: number; readonly inputs: Readonly<Record<string, unknown>> };

/** What runs before the view is opened, in every window: the entry, and the chunks that it imports statically. */
async function eagerPart(): Promise<{ bytes: number; inputs: readonly string[] }> {
  const { metafile } = await build(nodeBundle({ mode: 'production', banner: '' }));
  const seen = new Map<string, Output>();
  const waiting = ['dist/extension.js'];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const output = metafile.outputs[file];
    if (output === undefined || seen.has(file)) continue;
    seen.set(file, output);
    waiting.push(...output.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path));
  }
  const outputs = [...seen.values()];
  return {
    bytes: outputs.reduce((sum, { bytes }) => sum + bytes, 0),
    inputs: outputs.flatMap(({ inputs }) => Object.keys(inputs)),
  };
}

/** The host and the small pure files that its views name states and sessions with. */
const EAGER =
  /^src\/(extension\.ts|host\/|presenter\/|runtime\/(title|inspection\/node-state)\.ts|storage\/session-paths\.ts)/;

test('activation loads neither the conversation nor a package, and little of anything', async () => {
  const { bytes, inputs } = await eagerPart();
  expect(inputs).toContain('src/extension.ts');
  expect(inputs.filter((file) => !EAGER.test(file))).toEqual([]);
  expect(inputs).not.toContain('src/presenter/protocol.ts');
  expect(inputs).not.toContain('src/host/conversation-host.ts');
  expect(bytes).toBeLessThan(64 * 1024);
});
