import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { commitRequest, NO_REPLY, type Reply, replyAfter } from '../../src/host/commit-message.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { hangs } from '../lifecycle/held-replies.ts';
import { readEvents } from '../support/headless.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { hostFixture } from './opened-host.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const on = hostFixture();
let reply: Reply;

beforeEach(() => {
  reply = NO_REPLY;
});

function hear(message: HostMessage): void {
  reply = replyAfter(reply, message, 'c1');
}

function request(): ReturnType<typeof commitRequest> {
  return commitRequest({ staged: false, diff: 'diff --git a/x b/x\n+y\n' }, 'c1');
}

/** Asks beside the chat; answers in which session. */
function aside(): Promise<string> {
  return on.host.aside(hear, async (side) => {
    await side.send(request());
    await side.settled();
    return side.sessionId;
  });
}

describe('a question beside the chat', () => {
  test('is answered in a session of its own, and the chat that is open hears nothing of it', async () => {
    await on.openWith(responds({ text: 'Fix it' }));
    const before = on.messages.length;
    const session = await aside();
    expect(reply).toEqual({ kind: 'answered', message: 'Fix it' });
    expect([on.host.sessionId, on.messages.length - before]).toEqual(['s1', 0]);
    const types = (await readEvents(on.place, session)).map(({ type }) => type);
    expect(types).toContain('assistant_message');
    // Who wants to look at it can have it.
    expect(await readdir(join(on.place.storage, 'sessions'))).not.toContain(`${session}.lease`);
  });

  test('leaves a turn alone that runs in the chat', async () => {
    await on.openWith(hangs('Half'), responds({ text: 'Fix it' }));
    await on.host.receive({ type: 'send', client_turn_id: 't1', text: 'Go.' });
    await expect.poll(() => on.server.requests.length).toBe(1);
    await aside();
    expect([reply.kind, double.questions]).toEqual(['answered', []]);
    expect((await readEvents(on.place)).some(({ type }) => type === 'turn_failed')).toBe(false);
  });

  test('ends with the window', async () => {
    await on.openWith(hangs('Half'));
    const asked = aside();
    await expect.poll(() => on.server.requests.length).toBe(1);
    await on.host.dispose();
    const failed = (await readEvents(on.place, await asked)).find(({ type }) => type === 'turn_failed');
    expect(failed?.data).toMatchObject({ interrupted_reason: 'disconnect' });
  });

  test('can be stopped', async () => {
    await on.openWith(hangs('Half'));
    await on.host.aside(hear, async (side) => {
      await side.send(request());
      await side.stop();
      await side.settled();
    });
    expect(reply).toMatchObject({ kind: 'none', state: 'interrupted' });
  });

  test('does not leave for an endpoint that is not certain', async () => {
    await on.openWith();
    double.settings = { baseUrl: 'nowhere', model: 'gpt-test' };
    const session = await aside();
    expect(reply).toMatchObject({ kind: 'none', state: null });
    await expect(readEvents(on.place, session)).rejects.toThrow('ENOENT');
    expect(on.server.requests).toEqual([]);
  });
});
