import { createToolBox } from '../../src/tools/tool-box.ts';

/** Runs a command in a folder and exits, without waiting for it, when its own input ends. */

const [root = '', command = ''] = process.argv.slice(2);
const box = createToolBox({
  roots: [{ name: 'ws', path: root }],
  storageDir: `${root}/.storage`,
  blobs: { put: () => Promise.resolve('') },
});
const prepared = box.prepare({ call_id: 'c', name: 'run_command', args: JSON.stringify({ command }) });
if (!prepared.ok) throw new Error(prepared.error.message);
process.stdin.resume().once('end', () => process.exit(0));
await box.run(prepared.call, {
  signal: new AbortController().signal,
  progress() {},
  started: () => Promise.resolve(),
});
