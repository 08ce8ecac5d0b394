import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { edit, write } from './calls.ts';
import { isMove, wayOf } from './log-file.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

interface Question {
  readonly id: string;
  readonly message: string;
  readonly parameters: {
    readonly basis: { readonly sha256: string };
    readonly changed_since?: boolean;
  };
}

/** The questions about a call, in order. */
function questions(window: Window, callId: string): readonly Question[] {
  return window.messages.flatMap((message) =>
    message.type === 'tool_state' && message.call_id === callId && message.state === 'suspended'
      ? [message.suspension as Question]
      : [],
  );
}

/** A window in which an edit waits for a person, of a file that has become this since. */
async function editOf(now: string): Promise<Window> {
  await on.write('a.txt', 'one two');
  const window = await on.turn('Edit.', [asks(edit('c1', 'one', 'ONE')), says('Done.')]);
  await on.write('a.txt', now);
  return window;
}

describe('an edit whose file changed since it was asked', () => {
  it('is asked again with what is there now, and runs only when that is approved', async () => {
    const window = await editOf('one three');
    expect(await window.decided('c1', 'resume')).toBe('waiting');
    expect(await on.read('a.txt')).toBe('one three');
    expect(on.requests).toHaveLength(1);
    const [first, second] = questions(window, 'c1');
    expect(second?.parameters.changed_since).toBe(true);
    expect(second?.message).toContain('changed after you approved this');
    expect(second?.parameters.basis.sha256).not.toBe(first?.parameters.basis.sha256);
    expect(JSON.stringify(second?.parameters)).toContain('three');
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe('ONE three');
    expect(wayOf(await on.events(), 'c1')).toBe('suspended resuming suspended resuming running succeeded');
  });

  it('is not approved by an answer to the question before', async () => {
    const window = await editOf('one three');
    const decision = { type: 'decide', target_id: 'c1', decision_id: 'd1', action: 'resume' };
    await window.receive(decision);
    expect(await window.rests()).toBe('waiting');
    await window.receive(decision);
    expect(await window.decided(questions(window, 'c1')[0]?.id ?? '', 'resume')).toBe('waiting');
    expect(window.failures).toMatchObject([
      { for: 'decide', kind: 'asked_again' },
      { for: 'decide', kind: 'unknown_target' },
    ]);
    expect(await on.read('a.txt')).toBe('one three');
  });

  it('is asked again across a restart as well', async () => {
    await (await editOf('one three')).close();
    const again = await on.open();
    expect(await again.decided('c1', 'resume')).toBe('waiting');
    expect(await on.read('a.txt')).toBe('one three');
  });

  it('that cannot be made any more fails and asks nobody', async () => {
    const window = await editOf('something else');
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe('something else');
    expect((await on.of('tool_result')).map(({ ok }) => ok)).toEqual([false]);
    expect(questions(window, 'c1')).toHaveLength(1);
  });

  it('or a new file that has come to exist meanwhile is asked again', async () => {
    const window = await on.turn('Write.', [asks(write('c1', 'a.txt', 'mine')), says('Done.')]);
    await on.write('a.txt', 'theirs');
    expect(await window.decided('c1', 'resume')).toBe('waiting');
    expect(await on.read('a.txt')).toBe('theirs');
    expect(await window.decided('c1', 'cancel')).toBe('completed');
    expect(await on.read('a.txt')).toBe('theirs');
  });

  it('by another approved call of the same turn is not asked again', async () => {
    await on.write('a.txt', 'one two');
    const window = await on.turn('Edit.', [
      asks(edit('c1', 'one', 'ONE'), edit('c2', 'two', 'TWO')),
      says('Done.'),
    ]);
    expect(await window.decided('c1', 'resume')).toBe('waiting');
    expect(await on.read('a.txt')).toBe('ONE two');
    expect(await window.decided('c2', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe('ONE TWO');
    expect(questions(window, 'c2')).toHaveLength(1);
  });

  it('first by another call of the turn and then by someone else is asked again', async () => {
    await on.write('a.txt', 'one two');
    const window = await on.turn('Edit.', [
      asks(edit('c1', 'one', 'ONE'), edit('c2', 'two', 'TWO')),
      says('Done.'),
    ]);
    await window.decide('c1', 'resume');
    await window.rests();
    await on.write('a.txt', 'ONE two, and theirs');
    expect(await window.decided('c2', 'resume')).toBe('waiting');
    expect(await on.read('a.txt')).toBe('ONE two, and theirs');
  });
});

describe('a pending write whose way has changed', () => {
  it('does not leave the workspace by a link that was put there after it was asked', async () => {
    const outside = `${on.place.workspace}-outside`;
    await mkdir(outside);
    await on.write('sub/keep.txt', '');
    const window = await on.turn('Write.', [asks(write('c1', 'sub/a.txt', 'new')), says('I see.')]);
    await rm(join(on.place.workspace, 'sub'), { recursive: true });
    await symlink(outside, join(on.place.workspace, 'sub'));
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect((await on.of('tool_result')).map(({ ok }) => ok)).toEqual([false]);
    expect(await readdir(outside)).toEqual([]);
  });
});

describe('writers to one path', () => {
  it('of which the first undoes what the second is about: the second fails, nothing is lost', async () => {
    await on.write('a.txt', 'one');
    const window = await on.turn('Edit.', [
      asks(edit('c1', 'one', 'first'), edit('c2', 'one', 'second')),
      says('Done.'),
    ]);
    await Promise.all(['c1', 'c2'].map((id) => window.decide(id, 'resume')));
    expect(await window.rests()).toBe('completed');
    expect((await on.of('tool_result')).map(({ call_id, ok }) => [call_id, ok])).toEqual([
      ['c1', true],
      ['c2', false],
    ]);
    expect(await on.read('a.txt')).toBe('first');
  });

  it.each(['auto', 'ask'])('run one after the other and both succeed, in mode %s', async (permissionMode) => {
    await on.write('a.txt', 'one two three');
    await on.script(
      asks(edit('c1', 'one', 'ONE'), edit('c2', 'two', 'TWO'), edit('c3', 'three', 'THREE')),
      says('Done.'),
    );
    const window = await on.open({ permissionMode });
    const state = await window.turn('Edit all.');
    if (permissionMode === 'ask') {
      expect(state).toBe('waiting');
      await Promise.all(['c1', 'c2', 'c3'].map((id) => window.decide(id, 'resume')));
    }
    expect(await window.rests()).toBe('completed');
    expect(await on.read('a.txt')).toBe('ONE TWO THREE');
    expect((await on.of('tool_result')).map(({ ok }) => ok)).toEqual([true, true, true]);
    const events = await on.events();
    for (const [before, after] of [
      ['c1', 'c2'],
      ['c2', 'c3'],
    ] as const)
      expect(events.findIndex(isMove(before, 'succeeded'))).toBeLessThan(
        events.findIndex(isMove(after, 'running')),
      );
    const changes = await on.of('file_change');
    expect(changes.slice(1).map((change) => change.before_sha256)).toEqual(
      changes.slice(0, -1).map((change) => change.after_sha256),
    );
  });

  it('and a command, which may write anything, take turns as well', async () => {
    await on.write('a.txt', 'one');
    const window = await on.turn(
      'Both.',
      [
        asks(
          ['c1', 'run_command', { command: 'sleep 0.1; printf " by command" >> a.txt' }],
          edit('c2', 'by command', 'by both'),
        ),
        says('Done.'),
      ],
      { permissionMode: 'auto' },
    );
    expect(window.state).toBe('completed');
    expect(await on.read('a.txt')).toBe('one by both');
  });
});
