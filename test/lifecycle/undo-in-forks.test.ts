import { describe, expect, it } from 'vitest';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const OF_PARENT =
  'This turn is from the session that this one was forked from. What it changed is on record there, and is undone there.';

/** A fork of a session that changed a file, and the turn that did. */
async function forked(): Promise<{ readonly window: Window; readonly turn_id: string }> {
  await on.write('a.txt', 'one');
  const window = await on.turn(
    'Change it.',
    [
      asks(['c1', 'edit_file', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }]),
      says('Done.'),
      asks(['c2', 'edit_file', { path: 'a.txt', old_text: 'ONE', new_text: 'TWO' }]),
      says('Done again.'),
    ],
    { permissionMode: 'auto' },
  );
  const turn_id = (await on.of('user_message'))[0]?.turn_id ?? '';
  await window.receive({ type: 'fork' });
  return { window, turn_id };
}

describe('a turn that a fork has of its parent', () => {
  it('is said to be undone there, and never to have changed nothing', async () => {
    const { window, turn_id } = await forked();
    await window.receive({ type: 'undo', turn_id });
    await window.receive({ type: 'undo', turn_id, path: 'a.txt' });
    await window.receive({ type: 'redo', turn_id });
    expect(window.failures.map(({ kind, message }) => [kind, message])).toEqual([
      ['nothing_to_undo', OF_PARENT],
      ['nothing_to_undo', OF_PARENT],
      ['nothing_to_redo', OF_PARENT],
    ]);
    const { changes } = window.conversation;
    expect(await changes.preview({ turn_id, way: 'undo' })).toMatchObject({ files: [], inherited: true });
    expect(await changes.shown({ turn_id })).toEqual([{ kind: 'refused', message: OF_PARENT }]);
    expect(await changes.shown({ turn_id, call_id: 'c1' })).toEqual([
      { kind: 'refused', message: OF_PARENT },
    ]);
    expect(await on.read('a.txt')).toBe('ONE');
  });

  it('leaves the turns of the fork itself as they are: they are undone here', async () => {
    const { window } = await forked();
    await window.turn('Again.');
    const own = (await on.events(window.conversation.sessionId)).findLast(
      ({ type }) => type === 'user_message',
    );
    const turn_id = own?.type === 'user_message' ? own.data.turn_id : '';
    expect(await window.conversation.changes.preview({ turn_id, way: 'undo' })).toMatchObject({
      files: [{ path: 'a.txt' }],
      inherited: false,
    });
    await window.receive({ type: 'undo', turn_id });
    expect([await on.read('a.txt'), window.failures]).toEqual(['ONE', []]);
  });
});
