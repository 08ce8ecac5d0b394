import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ShownChange } from '../../src/app/changes.ts';
import { edit } from './calls.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const plan = (call_id: string, status: string) =>
  [call_id, 'update_plan', { steps: [{ step: 'Read', status }], explanation: null }] as const;
const AUTO = { permissionMode: 'auto' };

async function turnIds(): Promise<readonly string[]> {
  return (await on.of('user_message')).map(({ turn_id }) => turn_id);
}

async function shown(
  window: Window,
  what: { readonly call_id?: string; readonly path?: string },
  turn = 0,
): Promise<readonly ShownChange[]> {
  const turn_id = (await turnIds())[turn] ?? '';
  return window.conversation.changes.shown({ turn_id, ...what });
}

describe('a change that is asked about', () => {
  it('is shown whole, before anything is written', async () => {
    const long = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n');
    await on.write('a.txt', `one\n${long}`);
    const window = await on.turn('Edit.', [asks(edit('c1', 'one', 'ONE')), says('Done.')]);
    expect(await shown(window, { call_id: 'c1' })).toEqual([
      { kind: 'shown', path: 'a.txt', before: `one\n${long}`, after: `ONE\n${long}`, standing: 'proposed' },
    ]);
    expect(await on.read('a.txt')).toBe(`one\n${long}`);
  });

  it('of a file that is not there starts from nothing', async () => {
    const window = await on.turn('Write.', [
      asks(['c1', 'write_file', { path: 'new.txt', content: 'new' }]),
      says('Done.'),
    ]);
    expect(await shown(window, { call_id: 'c1' })).toMatchObject([{ before: '', after: 'new' }]);
  });

  it('that cannot be made any more says why', async () => {
    await on.write('a.txt', 'one');
    const window = await on.turn('Edit.', [asks(edit('c1', 'one', 'ONE')), says('Done.')]);
    await on.write('a.txt', 'something else');
    const [change] = await shown(window, { call_id: 'c1' });
    expect(change?.kind).toBe('refused');
  });
});

describe('a change that was made', () => {
  it('is shown from the first content to the last', async () => {
    await on.write('a.txt', 'one two');
    const window = await on.turn(
      'Edit.',
      [asks(edit('c1', 'one', 'ONE'), edit('c2', 'two', 'TWO')), says('Done.')],
      AUTO,
    );
    expect(await shown(window, { path: 'a.txt' })).toEqual([
      { kind: 'shown', path: 'a.txt', before: 'one two', after: 'ONE TWO', standing: 'made' },
    ]);
    // The file is past it; the next edit of it kept what this one had made.
    expect(await shown(window, { call_id: 'c1' })).toMatchObject([
      { before: 'one two', after: 'ONE two', standing: 'changed_since' },
    ]);
    expect(await shown(window, {})).toHaveLength(1);
  });

  it('is worked out again when the file went on, and is only shown if the hash agrees', async () => {
    await on.write('a.txt', 'one\r\ntwo\r\n');
    const window = await on.turn('Edit.', [asks(edit('c1', 'one', 'ONE')), says('Done.')], AUTO);
    await on.write('a.txt', 'theirs');
    expect(await shown(window, { path: 'a.txt' })).toEqual([
      {
        kind: 'shown',
        path: 'a.txt',
        before: 'one\r\ntwo\r\n',
        after: 'ONE\r\ntwo\r\n',
        standing: 'changed_since',
      },
    ]);
  });

  it('is still there after a restart, and says when it was undone', async () => {
    await on.write('a.txt', 'one');
    const window = await on.turn('Edit.', [asks(edit('c1', 'one', 'ONE')), says('Done.')], AUTO);
    await window.receive({ type: 'undo', turn_id: (await turnIds())[0] });
    await window.close();
    const again = await on.open(AUTO);
    expect(await shown(again, { path: 'a.txt' })).toMatchObject([
      { before: 'one', after: 'ONE', standing: 'undone' },
    ]);
  });

  it('is not shown where a tool could not read it any more', async () => {
    await on.write('a.txt', 'one');
    const window = await on.turn('Edit.', [asks(edit('c1', 'one', 'ONE')), says('Done.')], AUTO);
    const outside = `${on.place.workspace}-outside.txt`;
    await writeFile(outside, 'ONE');
    await rm(join(on.place.workspace, 'a.txt'));
    await symlink(outside, join(on.place.workspace, 'a.txt'));
    const [change] = await shown(window, { path: 'a.txt' });
    expect(change).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(change)).not.toContain('ONE');
    await rm(outside);
  });

  it('of what is no text is not shown as if it were', async () => {
    await writeFile(join(on.place.workspace, 'a.bin'), Buffer.from([1, 0, 2]));
    const window = await on.turn(
      'Write.',
      [asks(['c1', 'write_file', { path: 'a.bin', content: 'text' }]), says('Done.')],
      AUTO,
    );
    expect(await shown(window, { path: 'a.bin' })).toEqual([
      { kind: 'refused', message: 'a.bin is not text, so there is no diff of it.' },
    ]);
  });

  it('by nobody is refused', async () => {
    await on.script(asks(['c1', 'read_file', { path: 'a.txt' }]), says('Done.'));
    await on.write('a.txt', 'one');
    const window = await on.open(AUTO);
    await window.turn('Read.');
    const all = [
      await shown(window, {}),
      await shown(window, { call_id: 'c1' }),
      await shown(window, { path: 'x' }),
    ];
    expect(all.flat().map(({ kind }) => kind)).toEqual(['refused', 'refused', 'refused']);
    expect(await window.conversation.changes.shown({ turn_id: 'nobody' })).toMatchObject([
      { kind: 'refused' },
    ]);
  });
});

describe('the output of a call', () => {
  it('is there whole, where the model saw a part', async () => {
    const command = 'i=0; while [ $i -lt 20000 ]; do echo "row $i"; i=$((i+1)); done';
    const window = await on.turn('Count.', [asks(['c1', 'run_command', { command }]), says('Done.')], AUTO);
    const [turn_id = ''] = await turnIds();
    const output = await window.conversation.changes.output({ turn_id, call_id: 'c1' });
    expect(output.kind === 'shown' && output.text.split('\n')).toHaveLength(20_001);
    expect((await on.of('tool_result'))[0]?.output).toContain('bytes of output were left out here');
    expect(await window.conversation.changes.output({ turn_id, call_id: 'c9' })).toMatchObject({
      kind: 'refused',
    });
  });
});

function told(window: Window): readonly unknown[] {
  return window.messages.flatMap((message) => (message.type === 'plan' ? message.steps : []));
}

it('a plan is told when it changes, in every mode, and again after a reload', async () => {
  const window = await on.turn(
    'Plan.',
    [asks(plan('c1', 'in_progress')), asks(plan('c2', 'completed')), says('Done.')],
    { permissionMode: 'read_only' },
  );
  expect(window.state).toBe('completed');
  expect(told(window)).toEqual([
    { step: 'Read', status: 'in_progress' },
    { step: 'Read', status: 'completed' },
  ]);
  expect((await on.of('permission_decision')).map(({ decision }) => decision)).toEqual(['allow', 'allow']);
  await window.close();
  expect(told(await on.open())).toEqual([{ step: 'Read', status: 'completed' }]);
});
