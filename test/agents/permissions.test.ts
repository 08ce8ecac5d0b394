import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { asks, childOf, says, spawn, stage, wait, type Window } from './cast.ts';

const on = stage();

const write = (call_id: string, path: string) =>
  [call_id, 'write_file', { path, content: `by ${call_id}` }] as const;

async function question(window: Window): Promise<string> {
  const asked = await window.until(
    (message) => message.type === 'children' && message.items.some((one) => one.questions.length > 0),
  );
  const [first] = asked.type === 'children' ? asked.items.flatMap((one) => one.questions) : [];
  const { id } = (first?.suspension ?? {}) as { readonly id?: string };
  if (id === undefined) throw new Error('nobody asks');
  return id;
}

/** How each call of the child ended. */
async function results(): Promise<readonly (readonly [string, string])[]> {
  const events = await on.events((await childOf(on, 'a')).child_session_id);
  return events.flatMap((event) =>
    event.type === 'tool_result' ? [[event.data.call_id, event.data.error?.kind ?? 'ok'] as const] : [],
  );
}

describe('a mode that becomes stricter', () => {
  it('counts at once for a child that works', async () => {
    const second = held(asks(write('y', 'two.txt')));
    await on.cast({
      Go: [asks(spawn('1', 'a', { agent: 'worker' })), asks(wait('w')), says('Done.')],
      a: [asks(write('x', 'one.txt')), second.reply, says('A.')],
    });
    const window = await on.open({ permissionMode: 'auto' });
    const turn = window.turn('Go');
    await second.arrived;
    await window.receive({ type: 'set', mode: 'read_only' });
    second.release();
    expect(await turn).toBe('completed');
    expect(await results()).toEqual([
      ['x', 'ok'],
      ['y', 'permission_denied'],
    ]);
    expect(await on.read('two.txt')).toBeNull();
  });

  it.each([
    ['waits for nothing else', []],
    ['does something else as well', [['l', 'list_files', {}] as const]],
  ])('counts for what a child asks that %s, whatever is answered', async (_, others) => {
    const next = held(says('A.'));
    await on.cast({
      Go: [asks(spawn('1', 'a', { agent: 'worker' })), asks(wait('w')), says('Done.')],
      a: [asks(write('x', 'one.txt'), ...others), next.reply, says('A.')],
    });
    const window = await on.open({ permissionMode: 'ask' });
    const turn = window.turn('Go');
    const asked = await question(window);
    await window.receive({ type: 'set', mode: 'read_only' });
    await window.decide(asked, 'resume');
    await next.arrived;
    next.release();
    expect(await turn).toBe('completed');
    expect(await results()).toContainEqual(['x', 'permission_denied']);
    expect(await on.read('one.txt')).toBeNull();
  });

  it('counts at once for the turn itself', async () => {
    const second = held(asks(write('y', 'two.txt')));
    await on.cast({ Go: [asks(write('x', 'one.txt')), second.reply, says('Done.')] });
    const window = await on.open({ permissionMode: 'auto' });
    const turn = window.turn('Go');
    await second.arrived;
    await window.receive({ type: 'set', mode: 'read_only' });
    second.release();
    expect(await turn).toBe('completed');
    expect([await on.read('one.txt'), await on.read('two.txt')]).toEqual(['by x', null]);
  });
});

it('a mode that becomes wider gives nothing more to the children of a turn that began without it', async () => {
  const second = held(asks(spawn('1', 'a', { agent: 'worker' })));
  await on.cast({
    Go: [asks(['l', 'list_files', { path: null, glob: null }]), second.reply, asks(wait('w')), says('Done.')],
    a: [asks(write('x', 'one.txt')), says('A.')],
  });
  const window = await on.open({ permissionMode: 'read_only' });
  const turn = window.turn('Go');
  await second.arrived;
  await window.receive({ type: 'set', mode: 'auto' });
  second.release();
  expect(await turn).toBe('completed');
  expect(await results()).toEqual([['x', 'permission_denied']]);
  expect(await on.read('one.txt')).toBeNull();
});
