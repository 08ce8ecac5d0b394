import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Sessions } from '../../src/app/sessions.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { programTime } from '../support/program-time.ts';
import { says, stage, type Window } from './window.ts';

const on = stage();
const time = programTime();

const NEW_SESSION = { label: 'New session', command: 'ledgerline.newSession' };

/** One window has the session, the other looks on. */
async function twoWindows(): Promise<{ readonly owner: Window; readonly viewer: Window }> {
  await on.script(says('Hello.'), says('Again.'));
  const owner = await on.open();
  await owner.turn('Hi.');
  const viewer = await on.open();
  expect(accessOf(viewer)).toMatchObject({ kind: 'read_only', reason: 'held' });
  return { owner, viewer };
}

function sessions(): Sessions {
  return new Sessions(on.place.storage, (message) => {
    throw new Error(message);
  });
}

function accessOf(window: Window): Extract<HostMessage, { type: 'snapshot' }>['access'] | undefined {
  const last = window.messages.findLast((message) => message.type === 'snapshot');
  return last?.type === 'snapshot' ? last.access : undefined;
}

const isRefusal = (message: HostMessage): boolean =>
  message.type === 'snapshot' && message.access.kind === 'read_only' && message.access.reason === 'failed';

const isNotice = (message: HostMessage): boolean => message.type === 'notice';

async function filesOf(session: string): Promise<readonly string[]> {
  const files = await readdir(join(on.place.storage, 'sessions'));
  return files.filter((file) => file.startsWith(`${session}.`));
}

describe('a session that is deleted while another window looks at it', () => {
  it('is named as deleted there, stays readable, and nothing is made in its place', async () => {
    const { owner, viewer } = await twoWindows();
    await owner.receive({ type: 'new_session' });
    expect(await sessions().delete('s1')).toMatchObject({ kind: 'moved' });
    expect(await time.fly(viewer.until(isNotice))).toMatchObject({
      level: 'warning',
      message: expect.stringMatching(/^This session was deleted: it is in the trash/),
      next_actions: [NEW_SESSION],
    });
    await viewer.conversation.answered();
    expect(accessOf(viewer)).toMatchObject({
      kind: 'read_only',
      reason: 'deleted',
      next_actions: [NEW_SESSION],
    });
    const last = viewer.messages.findLast((message) => message.type === 'snapshot');
    expect(last?.type === 'snapshot' ? last.items.length : 0).toBeGreaterThan(0);
    await viewer.send('Are you there?', 'c2');
    expect(viewer.failures.at(-1)).toMatchObject({ kind: 'session_deleted', next_actions: [NEW_SESSION] });
    expect(await filesOf('s1')).toEqual([]);
    expect(on.requests).toHaveLength(1);
  });

  it.each([{ type: 'ready' }, { type: 'take_over' }, { type: 'send', client_turn_id: 'c9', text: 'Hi?' }])(
    'is noticed with whatever is asked for next: %j',
    async (message) => {
      const { owner, viewer } = await twoWindows();
      await owner.receive({ type: 'new_session' });
      await sessions().delete('s1');
      await viewer.receive(message);
      expect(accessOf(viewer)).toMatchObject({ reason: 'deleted' });
      expect(await filesOf('s1')).toEqual([]);
      expect(on.requests).toHaveLength(1);
    },
  );

  it('can be left for a new one, and is whole when it was restored', async () => {
    const { owner, viewer } = await twoWindows();
    await owner.receive({ type: 'new_session' });
    const moved = await sessions().delete('s1');
    await viewer.receive({ type: 'ready' });
    expect(await sessions().restore(moved.kind === 'moved' ? moved.name : '')).toMatchObject({
      kind: 'moved',
    });
    await viewer.receive({ type: 'ready' });
    expect(accessOf(viewer)).toEqual({ kind: 'writer' });
    expect(await viewer.turn('And now?', 'c2')).toBe('completed');
  });

  it('is not said to be in the trash where it is not', async () => {
    const { owner, viewer } = await twoWindows();
    await owner.receive({ type: 'new_session' });
    await rm(join(on.place.storage, 'sessions', 's1.jsonl'));
    await viewer.receive({ type: 'ready' });
    expect(viewer.messages.find(isNotice)).toMatchObject({
      message: expect.stringMatching(/^The log of this session is no longer in its place\./),
    });
  });
});

it('a session that can no longer be read along is named as that, and what was seen stays', async () => {
  const { viewer } = await twoWindows();
  const lease = join(on.place.storage, 'sessions', 's1.lease');
  await rename(lease, `${lease}.aside`);
  await mkdir(lease);
  const told = await time.fly(viewer.until(isRefusal));
  expect(told).toMatchObject({
    access: {
      message: 'This session is open in another window, and its log can no longer be read here.',
      next_actions: [{ label: 'Open again', command: 'ledgerline.reopenSession' }],
    },
    items: expect.arrayContaining([expect.objectContaining({ type: 'user_message' })]),
  });
  await rmdir(lease);
  await rename(`${lease}.aside`, lease);
});

it('a session that never had a log is free when its owner leaves', async () => {
  await on.script(says('Hello.'));
  const owner = await on.open();
  const viewer = await on.open();
  await owner.receive({ type: 'new_session' });
  await viewer.receive({ type: 'ready' });
  expect(accessOf(viewer)).toEqual({ kind: 'writer' });
});
