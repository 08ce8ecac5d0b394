import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConversationHost } from '../../src/host/conversation-host.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { hangs } from '../lifecycle/held-replies.ts';
import { makePlace, readEvents } from '../support/headless.ts';
import { streamOf, type Reply } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { startResponsesServer, type ResponsesServer } from '../support/responses-server/server.ts';
import { openedHost } from './opened-host.ts';
import { double, folder } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const QUESTION = 'A turn is running in this session. Leaving it stops the turn.';
const LEAVE = 'Stop and leave';

let place: Awaited<ReturnType<typeof makePlace>>;
let server: ResponsesServer;
let host: ConversationHost;
let messages: HostMessage[];

beforeEach(async () => {
  double.reset();
  messages = [];
  place = await makePlace();
  double.folders = [folder(place.workspace)];
});

afterEach(async () => {
  await host.dispose();
  await server.close();
  await place.remove();
});

/** A window with a session in which the model has been asked once. */
async function asked(reply: Reply): Promise<void> {
  server = await startResponsesServer({ script: [reply, streamOf(responseEvents({ text: 'Second.' }))] });
  double.settings = { baseUrl: server.url, model: 'gpt-test' };
  host = openedHost(place, (message) => messages.push(message));
  await host.receive({ type: 'ready' });
  await host.receive({ type: 'send', client_turn_id: 't1', text: 'Go.' });
}

async function reaches(state: string): Promise<void> {
  await expect
    .poll(() => messages.some((message) => message.type === 'turn_state' && message.state === state), {
      timeout: 4000,
    })
    .toBe(true);
}

async function logs(): Promise<readonly string[]> {
  const files = await readdir(join(place.storage, 'sessions'));
  return files.filter((name) => name.endsWith('.jsonl')).toSorted();
}

async function endOf(): Promise<string | undefined> {
  const failed = (await readEvents(place)).find((event) => event.type === 'turn_failed');
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
    await writeFile(join(place.storage, 'sessions', 's2.jsonl'), '');
    await host.receive(message);
    expect([double.questions, host.sessionId]).toEqual([[QUESTION], 's1']);
    expect(await endOf()).toBeUndefined();
    expect(await logs()).toEqual(['s1.jsonl', 's2.jsonl']);
  });

  test.each([{ type: 'fork' }, { type: 'edit_prompt', seq: 2 }])(
    'for a fork stops the turn after a yes, and the fork is what is shown: %j',
    async (message) => {
      await asked(hangs('Half'));
      await reaches('running');
      double.answer = LEAVE;
      await host.receive(message);
      expect(double.questions).toEqual([QUESTION]);
      expect(await endOf()).toBe('user_cancelled');
      expect(await logs()).toEqual([`${host.sessionId}.jsonl`, 's1.jsonl'].toSorted());
      expect(host.sessionId).not.toBe('s1');
    },
  );

  test('is not asked about for a session that is not there, and the turn goes on', async () => {
    await asked(hangs('Half'));
    await reaches('running');
    await host.receive({ type: 'open_session', session_id: 'gone' });
    expect([double.questions, host.sessionId]).toEqual([[], 's1']);
    expect(messages.at(-1)).toMatchObject({ type: 'failure', kind: 'unknown_session' });
    expect(await endOf()).toBeUndefined();
  });

  test('stays with Enter, which takes the first button, and with Escape', async () => {
    await asked(hangs('Half'));
    await reaches('running');
    await host.receive({ type: 'new_session' });
    expect([double.buttons, double.escape]).toEqual([['Stay here', LEAVE], 'Stay here']);
    double.answer = 'Stay here';
    await host.receive({ type: 'new_session' });
    expect(host.sessionId).toBe('s1');
    expect(await endOf()).toBeUndefined();
  });

  test('stops the turn after a yes, as what it is: stopped by the person', async () => {
    await asked(hangs('Half'));
    await reaches('running');
    double.answer = LEAVE;
    await writeFile(join(place.storage, 'sessions', 's2.jsonl'), '');
    await host.receive({ type: 'open_session', session_id: 's2' });
    expect([double.questions, host.sessionId]).toEqual([[QUESTION], 's2']);
    expect(await endOf()).toBe('user_cancelled');
  });

  test('is not leaving when it is opened again', async () => {
    await asked(hangs('Half'));
    await reaches('running');
    await host.receive({ type: 'ready' });
    expect(double.questions).toEqual([]);
    expect(await endOf()).toBeUndefined();
  });

  test('is not asked about when nothing runs any more', async () => {
    await asked(streamOf(responseEvents({ text: 'Done.' })));
    await reaches('completed');
    await host.receive({ type: 'new_session' });
    expect(double.questions).toEqual([]);
    expect(host.sessionId).not.toBe('s1');
  });
});
