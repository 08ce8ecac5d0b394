import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { CallPreview, PreviewResult, ToolContext } from '../../src/runtime/ports.ts';
import { defineTool, succeeded } from '../../src/tools/tool.ts';
import { ok } from '../../src/tools/tool-faults.ts';
import { Fixture, RecordingContext, sha } from './tool-fixture.ts';

async function preview(fixture: Fixture, name: string, args: unknown): Promise<PreviewResult> {
  return await fixture.box.preview(fixture.prepare(name, args), new AbortController().signal);
}

/** Runs a call as somebody approved it. */
async function approved(fixture: Fixture, name: string, args: unknown, basis: CallPreview['basis']) {
  const { signal } = new AbortController();
  const context: ToolContext = { signal, basis, progress() {}, started: () => Promise.resolve() };
  return await fixture.box.run(fixture.prepare(name, args), context);
}

test('an edit is shown with its diff and with what it starts from, and is not made', async () => {
  using fixture = new Fixture();
  fixture.write('src/a.txt', 'one\ntwo\n');
  expect(await preview(fixture, 'edit_file', { path: 'src/a.txt', old_text: 'two', new_text: '2' })).toEqual({
    ok: true,
    preview: {
      parameters: {
        change: {
          path: 'src/a.txt',
          created: false,
          before_sha256: sha('one\ntwo\n'),
          added: 1,
          removed: 1,
          diff: '@@ line 1 @@\n one\n-two\n+2',
        },
      },
      basis: { path: 'src/a.txt', sha256: sha('one\ntwo\n') },
    },
  });
  expect(fixture.read('src/a.txt')).toBe('one\ntwo\n');
});

test('a new file is shown as created, and nothing is', async () => {
  using fixture = new Fixture();
  expect(await preview(fixture, 'write_file', { path: './new/b.txt', content: 'x\ny\n' })).toEqual({
    ok: true,
    preview: {
      parameters: {
        change: {
          path: 'new/b.txt',
          created: true,
          before_sha256: null,
          added: 2,
          removed: 0,
          diff: '@@ line 1 @@\n+x\n+y',
        },
      },
      basis: { path: 'new/b.txt', sha256: null },
    },
  });
  expect(fixture.names()).toEqual([]);
});

test('tools that change no file have nothing to show', async () => {
  using fixture = new Fixture({ asks: true });
  for (const [name, args] of [
    ['read_file', { path: 'a.txt' }],
    ['run_command', { command: 'touch made' }],
    ['ask_user', { question: 'Which?' }],
  ] as const) {
    expect(await preview(fixture, name, args)).toEqual({ ok: true, preview: null });
  }
  expect(fixture.names()).toEqual([]);
});

test('a change that changes nothing has an empty diff, one that cannot be seen says so', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'same');
  const diffOf = async (content: string) => {
    const result = await preview(fixture, 'write_file', { path: 'a.txt', content });
    return result.ok ? result.preview?.parameters['change'] : result;
  };
  expect(await diffOf('same')).toMatchObject({ added: 0, removed: 0, diff: '' });
  expect(await diffOf('same\n')).toMatchObject({
    added: 0,
    removed: 0,
    diff: '[Only line ends, or bytes that are no text, change.]',
  });
});

test.each([
  ['200 lines', 'x', 201],
  ['16 KiB', 'ä'.repeat(200), 42],
])('a large change is shown in part, up to %s', async (_, line, rows) => {
  using fixture = new Fixture();
  const content = `${line}\n`.repeat(1_000);
  const result = await preview(fixture, 'write_file', { path: 'a.txt', content });
  const change = result.ok ? result.preview?.parameters['change'] : undefined;
  const { diff, added } = change as { diff: string; added: number };
  expect([added, diff.split('\n').length, diff.split('\n').at(-1)]).toEqual([
    1_000,
    rows,
    '[The rest of the change is not shown.]',
  ]);
  expect(Buffer.byteLength(diff)).toBeLessThan(17 * 1_024);
});

test('a change that cannot be made fails as it would when it runs, and leaves everything as it was', async () => {
  using fixture = new Fixture({ limits: { writeBytes: 100 } });
  fixture.write('a.txt', 'x x');
  fixture.write('locked.txt', 'x');
  chmodSync(fixture.path('locked.txt'), 0o444);
  mkdirSync(fixture.path('dir'));
  const calls = [
    ['edit_file', { path: 'a.txt', old_text: 'y', new_text: 'z' }, 'no_match'],
    ['edit_file', { path: 'a.txt', old_text: 'x', new_text: 'z' }, 'many_matches'],
    ['edit_file', { path: 'none.txt', old_text: 'x', new_text: 'z' }, 'not_found'],
    ['write_file', { path: 'dir', content: '' }, 'is_directory'],
    ['write_file', { path: 'b.txt', content: 'x'.repeat(101) }, 'too_large'],
    ['write_file', { path: 'locked.txt', content: 'y' }, 'io_error'],
    ['write_file', { path: 'a.txt/b', content: 'y' }, 'not_found'],
    ['write_file', { path: `${'n'.repeat(300)}.txt`, content: 'y' }, 'invalid_path'],
  ] as const;
  for (const [name, args, kind] of calls) {
    const prepared = fixture.box.prepare({ call_id: 'c', name, args: JSON.stringify(args) });
    // A path that can be refused without looking at the file is refused even earlier.
    const shown = prepared.ok ? await preview(fixture, name, args) : prepared;
    const run = await fixture.run(name, args);
    expect([shown, run]).toMatchObject([
      { ok: false, error: { kind } },
      { kind: 'failure', error: { kind } },
    ]);
    expect(shown).toEqual({ ok: false, error: run.kind === 'failure' ? run.error : undefined });
  }
  expect(fixture.names()).toEqual(['a.txt', 'dir', 'locked.txt']);
});

test('looking at a call that is stopped is an error result too', async () => {
  using fixture = new Fixture();
  const call = fixture.prepare('write_file', { path: 'a.txt', content: '' });
  expect(await fixture.box.preview(call, AbortSignal.abort())).toMatchObject({
    ok: false,
    error: { kind: 'cancelled' },
  });
});

test('the whole text before and after is there for a diff editor', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'one\n');
  const { signal } = new AbortController();
  const edit = fixture.prepare('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' });
  expect(await fixture.box.changeOf(edit, signal)).toEqual({
    ok: true,
    value: {
      path: 'a.txt',
      real_path: fixture.path('a.txt'),
      before: 'one\n',
      before_sha256: sha('one\n'),
      after: 'two\n',
      is_noop: false,
    },
  });
  const write = fixture.prepare('write_file', { path: 'b.txt', content: 'new' });
  expect(await fixture.box.changeOf(write, signal)).toMatchObject({
    value: { before: null, before_sha256: null, after: 'new' },
  });
  const run = fixture.prepare('run_command', { command: 'ls' });
  expect(await fixture.box.changeOf(run, signal)).toBeUndefined();
  expect([fixture.names(), fixture.read('a.txt')]).toEqual([['a.txt'], 'one\n']);
});

test('an approved change is made as long as the file is what was shown', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'one');
  const args = { path: 'a.txt', old_text: 'one', new_text: 'two' };
  const shown = await preview(fixture, 'edit_file', args);
  if (!shown.ok || shown.preview === null) throw new Error('shown');
  const outcome = await approved(fixture, 'edit_file', args, shown.preview.basis);
  expect(outcome).toMatchObject({ kind: 'success', changes: [{ path: shown.preview.basis.path }] });
  expect(fixture.read('a.txt')).toBe('two');
  const created = { path: 'b.txt', sha256: null };
  expect(await approved(fixture, 'write_file', { path: 'b.txt', content: 'x' }, created)).toMatchObject({
    kind: 'success',
  });
});

test.each([
  ['another text', (fixture: Fixture) => void fixture.write('a.txt', 'theirs')],
  ['no file', (fixture: Fixture) => rmSync(fixture.path('a.txt'))],
])('an approval of a change does not hold where there is %s by now', async (_, meddle) => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'mine');
  const basis = { path: 'a.txt', sha256: sha('mine') };
  meddle(fixture);
  const names = fixture.names();
  const error = {
    kind: 'file_changed',
    message: 'a.txt was changed after this call was approved, so nothing was written. Call the tool again.',
  };
  const failure = { kind: 'failure', error, changes: [] };
  // For an edit too: that its text is not found any more is not what matters.
  const edit = { path: 'a.txt', old_text: 'mine', new_text: 'new' };
  expect(await approved(fixture, 'edit_file', edit, basis)).toEqual(failure);
  expect(await approved(fixture, 'write_file', { path: 'a.txt', content: 'new' }, basis)).toEqual(failure);
  expect(fixture.names()).toEqual(names);
});

test('an approval to create a file does not hold once there is one', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', '');
  const basis = { path: 'a.txt', sha256: null };
  expect(await approved(fixture, 'write_file', { path: 'a.txt', content: 'new' }, basis)).toMatchObject({
    error: { kind: 'file_changed' },
  });
  expect(fixture.read('a.txt')).toBe('');
});

test('a decision reaches the tool that asked for it', async () => {
  const tool = defineTool({
    name: 'x',
    description: 'x',
    effect: 'interact',
    schema: z.strictObject({ a: z.string() }),
    target: () => ok({ subject: 'x', writes: [] }),
    run: (_, { decision }) => Promise.resolve(succeeded(JSON.stringify(decision))),
  });
  const context = Object.assign(new RecordingContext(), { decision: { result: { chosen: 2 } } });
  expect(await tool.run({ a: '' }, context, 'x')).toMatchObject({ output: '{"result":{"chosen":2}}' });
});
