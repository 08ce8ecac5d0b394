import { beforeEach, describe, expect, it } from 'vitest';
import { nodeStorePorts } from '../../src/app/node-ports.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { says, stage, type Window } from '../lifecycle/window.ts';
import { programTime } from '../support/program-time.ts';
import { openChild, recordChild } from '../storage/child-log.ts';
import { openSession, record, TALK, type Ready } from '../storage/recorded-session.ts';
import { processOf } from '../storage/storage-place.ts';

const on = stage();
const time = programTime();
beforeEach(() => on.script(says('More.')));

const CHILD = { id: 'child', of: 'parent', agent: 'worker', task: 'Find the test' };

function store(): SessionStore {
  return new SessionStore(
    nodeStorePorts(() => undefined),
    on.place.storage,
  );
}

function snapshotOf(window: Window): Extract<HostMessage, { type: 'snapshot' }> {
  const last = window.messages.findLast((message) => message.type === 'snapshot');
  if (last?.type !== 'snapshot') throw new Error('nothing was shown');
  return last;
}

function becomes(window: Window, kind: string): Promise<HostMessage> {
  return time.fly(window.until((message) => message.type === 'snapshot' && message.access.kind === kind));
}

describe('the transcript of a child', () => {
  it('says whose child it is, by the name that the parent has', async () => {
    await record(store(), [{ ...TALK, say: 'Fix the test' }], 'parent');
    await recordChild(store(), CHILD);
    const window = await on.open({}, 'child');
    expect(snapshotOf(window)).toMatchObject({
      access: { kind: 'writer' },
      title: 'Find the test',
      parent: {
        session_id: 'parent',
        subagent_id: 'sub-child',
        agent: 'worker',
        depth: 1,
        title: 'Fix the test',
      },
    });
    await window.receive({ type: 'open_session', session_id: 'parent' });
    expect(snapshotOf(window).parent).toBeUndefined();
  });

  it('says so also where the parent is gone', async () => {
    await recordChild(store(), CHILD);
    const window = await on.open({}, 'child');
    expect(snapshotOf(window).parent).toMatchObject({ session_id: 'parent', title: '' });
  });

  it('is looked at while this process runs it for its parent, and cannot be taken over', async () => {
    const running = await openChild(store(), CHILD);
    const window = await on.open({}, 'child');
    const access = {
      kind: 'read_only',
      reason: 'held',
      message: 'This agent is working for another session. What it asks is decided there.',
      next_actions: [{ label: 'Open parent session', command: 'ledgerline.openSession', args: ['parent'] }],
    };
    expect(snapshotOf(window).access).toEqual(access);
    await window.receive({ type: 'take_over' });
    await window.decide('call', 'resume');
    await window.send('Go on.');
    expect(window.failures.map(({ for: what, kind }) => [what, kind])).toEqual([
      ['take_over', 'session_held'],
      ['decide', 'session_held'],
      ['send', 'session_held'],
    ]);
    // It still has its log, and what it writes is seen.
    await running.play({ ...TALK, say: 'Find the test' });
    await time.fly(
      window.until(
        (message) =>
          message.type === 'append' && message.items.some(({ type }) => type === 'assistant_message'),
      ),
    );
    await running.close();
  });

  it('can be written to by itself once the child is done', async () => {
    const running = await openChild(store(), CHILD);
    const window = await on.open({}, 'child');
    await running.play({ ...TALK, say: 'Find the test' });
    expect(snapshotOf(window).access.kind).toBe('read_only');
    await running.close();
    await becomes(window, 'writer');
    expect(await window.turn('And then?')).toBe('completed');
  });

  it('can be taken over from another window, as every session can', async () => {
    const ports = nodeStorePorts(() => undefined);
    const processes = { ...processOf(process.ppid), host: ports.processes.host };
    const elsewhere = new SessionStore({ ...ports, processes }, on.place.storage);
    const running = await openChild(elsewhere, CHILD);
    const window = await time.fly(on.open({}, 'child'));
    const { access } = snapshotOf(window);
    expect(access.kind === 'read_only' ? access.next_actions.map(({ label }) => label) : []).toEqual([
      'Take over',
      'Open parent session',
    ]);
    await window.receive({ type: 'take_over' });
    await becomes(window, 'writer');
    await running.close();
  });
});

describe('a log that another conversation of this process needs', () => {
  it('is let go of while that takes it, and followed from then', async () => {
    await recordChild(store(), CHILD);
    const window = await on.open({}, 'child');
    expect(snapshotOf(window).access.kind).toBe('writer');
    const taken = Promise.withResolvers<Ready>();
    await window.conversation.lend(async () => taken.resolve(await openSession(store(), 'child')));
    const running = await taken.promise;
    expect(snapshotOf(window).access).toMatchObject({ kind: 'read_only', reason: 'held' });
    await running.close();
    await time.fly(
      window.until(
        (message) =>
          message === snapshotOf(window) && message.type === 'snapshot' && message.access.kind === 'writer',
      ),
    );
  });
});
