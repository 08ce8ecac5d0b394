import { describe, expect, it } from 'vitest';
import { held, type HeldReply } from '../lifecycle/held-replies.ts';
import { agentStage, asks, delegates, says, spawn, suspensionId, wait, write } from './cast.ts';

const on = agentStage();

/** How each call of the child ended. */
async function results(): Promise<readonly (readonly [string, string])[]> {
  const events = await on.logOf('a');
  return events.flatMap((event) =>
    event.type === 'tool_result' ? [[event.data.call_id, event.data.error?.kind ?? 'ok'] as const] : [],
  );
}

/** A turn that begins in one mode and goes on in another, from the reply that is held. */
async function changesMode(from: string, to: string, second: HeldReply): Promise<void> {
  const window = await on.open({ permissionMode: from });
  const turn = window.turn('Go');
  await second.arrived;
  await window.receive({ type: 'set', mode: to });
  second.release();
  expect(await turn).toBe('completed');
}

describe('a mode that becomes stricter', () => {
  it('counts at once for a child that works', async () => {
    const second = held(asks(write('y', 'two.txt')));
    await on.cast({
      Go: delegates('a', 'Done.', { agent: 'worker' }),
      a: [asks(write('x', 'one.txt')), second.reply, says('A.')],
    });
    await changesMode('auto', 'read_only', second);
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
    const { window, turn } = await on.begin(
      {
        Go: delegates('a', 'Done.', { agent: 'worker' }),
        a: [asks(write('x', 'one.txt'), ...others), next.reply, says('A.')],
      },
      { permissionMode: 'ask' },
    );
    const asked = suspensionId(await on.question(window));
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
    await changesMode('auto', 'read_only', second);
    expect([await on.read('one.txt'), await on.read('two.txt')]).toEqual(['by x', null]);
  });
});

it('a mode that becomes wider gives nothing more to the children of a turn that began without it', async () => {
  const second = held(asks(spawn('1', 'a', { agent: 'worker' })));
  await on.cast({
    Go: [asks(['l', 'list_files', { path: null, glob: null }]), second.reply, asks(wait('w')), says('Done.')],
    a: [asks(write('x', 'one.txt')), says('A.')],
  });
  await changesMode('read_only', 'auto', second);
  expect(await results()).toEqual([['x', 'permission_denied']]);
  expect(await on.read('one.txt')).toBeNull();
});
