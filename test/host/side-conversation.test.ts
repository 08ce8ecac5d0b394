import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { commitRequest, NO_REPLY, type Reply, replyAfter } from '../../src/host/commit-message.ts';
import type { ConversationHost } from '../../src/host/conversation-host.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { hangs } from '../lifecycle/held-replies.ts';
import { makePlace, readEvents } from '../support/headless.ts';
import { streamOf, type Reply as Answer } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { startResponsesServer, type ResponsesServer } from '../support/responses-server/server.ts';
import { openedHost } from './opened-host.ts';
import { double, folder } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

let place: Awaited<ReturnType<typeof makePlace>>;
let server: ResponsesServer;
let host: ConversationHost;
let shown: HostMessage[];
let reply: Reply;

async function open(...script: readonly Answer[]): Promise<void> {
  server = await startResponsesServer({ script: [...script] });
  double.settings = { baseUrl: server.url, model: 'gpt-test' };
  host = openedHost(place, (message) => shown.push(message));
  await host.receive({ type: 'ready' });
}

beforeEach(async () => {
  double.reset();
  shown = [];
  reply = NO_REPLY;
  place = await makePlace();
  double.folders = [folder(place.workspace)];
});

afterEach(async () => {
  await host.dispose();
  await server.close();
  await place.remove();
});

function hear(message: HostMessage): void {
  reply = replyAfter(reply, message, 'c1');
}

function request(): ReturnType<typeof commitRequest> {
  return commitRequest({ staged: false, diff: 'diff --git a/x b/x\n+y\n' }, 'c1');
}

/** Asks beside the chat; answers in which session. */
function aside(): Promise<string> {
  return host.aside(hear, async (side) => {
    await side.send(request());
    await side.settled();
    return side.sessionId;
  });
}

describe('a question beside the chat', () => {
  test('is answered in a session of its own, and the chat that is open hears nothing of it', async () => {
    await open(streamOf(responseEvents({ text: 'Fix it' })));
    const before = shown.length;
    const session = await aside();
    expect(reply).toEqual({ kind: 'answered', message: 'Fix it' });
    expect([host.sessionId, shown.length - before]).toEqual(['s1', 0]);
    const types = (await readEvents(place, session)).map(({ type }) => type);
    expect(types).toContain('assistant_message');
    // Who wants to look at it can have it.
    expect(await readdir(join(place.storage, 'sessions'))).not.toContain(`${session}.lease`);
  });

  test('leaves a turn alone that runs in the chat', async () => {
    await open(hangs('Half'), streamOf(responseEvents({ text: 'Fix it' })));
    await host.receive({ type: 'send', client_turn_id: 't1', text: 'Go.' });
    await expect.poll(() => server.requests.length, { timeout: 4000 }).toBe(1);
    await aside();
    expect([reply.kind, double.questions]).toEqual(['answered', []]);
    expect((await readEvents(place)).some(({ type }) => type === 'turn_failed')).toBe(false);
  });

  test('ends with the window', async () => {
    await open(hangs('Half'));
    const asked = aside();
    await expect.poll(() => server.requests.length, { timeout: 4000 }).toBe(1);
    await host.dispose();
    const failed = (await readEvents(place, await asked)).find(({ type }) => type === 'turn_failed');
    expect(failed?.data).toMatchObject({ interrupted_reason: 'disconnect' });
  });

  test('can be stopped', async () => {
    await open(hangs('Half'));
    await host.aside(hear, async (side) => {
      await side.send(request());
      await side.stop();
      await side.settled();
    });
    expect(reply).toMatchObject({ kind: 'none', state: 'interrupted' });
  });

  test('does not leave for an endpoint that is not certain', async () => {
    await open();
    double.settings = { baseUrl: 'nowhere', model: 'gpt-test' };
    const session = await aside();
    expect(reply).toMatchObject({ kind: 'none', state: null });
    await expect(readEvents(place, session)).rejects.toThrow('ENOENT');
    expect(server.requests).toEqual([]);
  });
});
