import { mkdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { OpenedSession } from '../../src/app/open-session.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { says, stage } from '../lifecycle/window.ts';
import { NOBODY_WATCHES } from '../support/session-watch.ts';
import { BOX, record, TALK } from '../storage/recorded-session.ts';
import { freshFolder, logPath, readLog, storeIn } from '../storage/storage-place.ts';
import { WatchedDisk, type DiskCall } from '../storage/watched-disk.ts';

let root = '';

beforeEach(async () => {
  root = freshFolder();
  await record(storeIn(root), [TALK]);
});

/** The first time that a log is opened is to write what a dead process left. */
function firstOpen(): (call: DiskCall) => boolean {
  let opened = 0;
  return ({ kind, path }) => kind === 'open' && path === logPath(root) && (opened += 1) === 1;
}

describe('a log that can be read and not written', () => {
  it.each([
    ['its file', firstOpen],
    [
      'its folder',
      () =>
        ({ kind, path }: DiskCall) =>
          kind === 'open' && path.includes('.lease'),
    ],
  ])('is shown, and says why nothing can be sent, when %s is write-protected', async (_, denies) => {
    const isDenied = denies();
    const disk = new WatchedDisk(new NodeDisk(), (call) => (isDenied(call) ? { fail: 'denied' } : undefined));
    const warnings: string[] = [];
    const before = await readLog(root);
    const store = storeIn(root, { disk, warn: (message) => void warnings.push(message) });
    const opened = await OpenedSession.open(store, 's1', NOBODY_WATCHES, { take_over: false });
    await opened.load(async () => BOX);
    expect(opened.access).toMatchObject({
      kind: 'read_only',
      reason: 'failed',
      message: expect.stringContaining('write-protected'),
      next_actions: [{ label: 'Open again' }, { label: 'New session' }, { label: 'Show output' }],
    });
    expect({ title: opened.title, state: opened.state.turn?.turn_id }).toEqual({
      title: TALK.say,
      state: expect.any(String),
    });
    expect(warnings).toEqual([expect.stringContaining('s1 cannot be opened for writing')]);
    await opened.close();
    expect(disk.held.size).toBe(0);
    expect(await readLog(root)).toEqual(before);
  });
});

const on = stage();

describe('a log that cannot be read', () => {
  it('of the last session is named on arrival, with ways out', async () => {
    await on.script(says('Hello.'));
    await mkdir(`${on.place.storage}/sessions/s1.jsonl`, { recursive: true });
    const window = await on.open();
    const snapshot = await window.until((message) => message.type === 'snapshot');
    expect(snapshot).toMatchObject({
      session_id: 's1',
      title: 's1',
      items: [],
      access: {
        kind: 'read_only',
        reason: 'failed',
        message: expect.stringMatching(/^The session “s1” could not be opened\. The files/),
        next_actions: [
          { label: 'Open again' },
          { label: 'Open session' },
          { label: 'New session' },
          { label: 'Show output' },
        ],
      },
    });
    await window.receive({ type: 'send', client_turn_id: 'c1', text: 'hello' });
    expect(window.messages.at(-1)).toMatchObject({
      type: 'failure',
      kind: expect.stringMatching(/^storage_/),
      client_turn_id: 'c1',
      message: expect.stringContaining('“s1”'),
    });
    await window.receive({ type: 'new_session' });
    await window.until((message) => message.type === 'snapshot' && message.access.kind === 'writer');
  });

  it('is named where another session stays open', async () => {
    await on.script(says('Hello.'));
    const window = await on.open();
    await mkdir(`${on.place.storage}/sessions/bad.jsonl`, { recursive: true });
    await window.receive({ type: 'open_session', session_id: 'bad' });
    const failure = await window.until((message) => message.type === 'failure');
    expect(failure).toMatchObject({
      for: 'open_session',
      message: expect.stringContaining('The session “bad” could not be opened.'),
      next_actions: [{ label: 'Open session' }, { label: 'New session' }, { label: 'Show output' }],
    });
    expect(window.conversation.sessionId).toBe('s1');
  });
});
