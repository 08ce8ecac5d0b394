import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { hangs } from '../lifecycle/held-replies.ts';
import { readEvents } from '../support/headless.ts';
import { type Reply } from '../support/responses-server/reply.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { hostFixture } from './opened-host.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const QUESTION = 'A turn is running in this session. Leaving it stops the turn.';
const LEAVE = 'Stop and leave';

const on = hostFixture();

/** A window with a session in which the model has been asked once. */
async function asked(reply: Reply): Promise<void> {
  await on.openWith(reply, responds({ text: 'Second.' }));
  await on.host.receive({ type: 'send', client_turn_id: 't1', text: 'Go.' });
}

async function reaches(state: string): Promise<void> {
  await expect
    .poll(() => on.messages.some((message) => message.type === 'turn_state' && message.state === state))
    .toBe(true);
}

async function logs(): Promise<readonly string[]> {
  const files = await readdir(join(on.place.storage, 'sessions'));
  return files.filter((name) => name.endsWith('.jsonl')).toSorted();
}

async function endOf(): Promise<string | undefined> {
  const failed = (await readEvents(on.place)).find((event) => event.type === 'turn_failed');
  return failed?.data.interrupted_reason;
}

describe('leaving a session in which a turn runs', () => {
  test.each([
    { type: 'new_session' },
    { type: 'open_session', session_id: 's2' },
    { type: 'fork' },
    { type: 'fork', at_seq: 1, summary: true },
    { type: 'edit_prompt', seq: 2 },
  ])('is asked about first, and without a yes nothing happens: %j', async (message) => {
    await asked(hangs('Half'));
    await reaches('running');
    await writeFile(join(on.place.storage, 'sessions', 's2.jsonl'), '');
    await on.host.receive(message);
    expect([double.questions, on.host.sessionId]).toEqual([[QUESTION], 's1']);
    expect(await endOf()).toBeUndefined();
    expect(await logs()).toEqual(['s1.jsonl', 's2.jsonl']);
  });

  test.each([{ type: 'fork' }, { type: 'edit_prompt', seq: 2 }])(
    'for a fork stops the turn after a yes, and the fork is what is shown: %j',
    async (message) => {
      await asked(hangs('Half'));
      await reaches('running');
      double.answer = LEAVE;
      await on.host.receive(message);
      expect(double.questions).toEqual([QUESTION]);
      expect(await endOf()).toBe('user_cancelled');
      expect(await logs()).toEqual([`${on.host.sessionId}.jsonl`, 's1.jsonl'].toSorted());
      expect(on.host.sessionId).not.toBe('s1');
    },
  );

  test('is not asked about for a session that is not there, and the turn goes on', async () => {
    await asked(hangs('Half'));
    await reaches('running');
    await on.host.receive({ type: 'open_session', session_id: 'gone' });
    expect([double.questions, on.host.sessionId]).toEqual([[], 's1']);
    expect(on.messages.at(-1)).toMatchObject({ type: 'failure', kind: 'unknown_session' });
    expect(await endOf()).toBeUndefined();
  });

  test('stays with Enter, which takes the first button, and with Escape', async () => {
    await asked(hangs('Half'));
    await reaches('running');
    await on.host.receive({ type: 'new_session' });
    expect([double.buttons, double.escape]).toEqual([['Stay here', LEAVE], 'Stay here']);
    double.answer = 'Stay here';
    await on.host.receive({ type: 'new_session' });
    expect(on.host.sessionId).toBe('s1');
    expect(await endOf()).toBeUndefined();
  });

  test('stops the turn after a yes, as what it is: stopped by the person', async () => {
    await asked(hangs('Half'));
    await reaches('running');
    double.answer = LEAVE;
    await writeFile(join(on.place.storage, 'sessions', 's2.jsonl'), '');
    await on.host.receive({ type: 'open_session', session_id: 's2' });
    expect([double.questions, on.host.sessionId]).toEqual([[QUESTION], 's2']);
    expect(await endOf()).toBe('user_cancelled');
  });

  test('is not leaving when it is opened again', async () => {
    await asked(hangs('Half'));
    await reaches('running');
    await on.host.receive({ type: 'ready' });
    expect(double.questions).toEqual([]);
    expect(await endOf()).toBeUndefined();
  });

  test('is not asked about when nothing runs any more', async () => {
    await asked(responds({ text: 'Done.' }));
    await reaches('completed');
    await on.host.receive({ type: 'new_session' });
    expect(double.questions).toEqual([]);
    expect(on.host.sessionId).not.toBe('s1');
  });
});
