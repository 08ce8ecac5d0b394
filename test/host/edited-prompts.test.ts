import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { hostFixture } from './opened-host.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const on = hostFixture();

beforeEach(async () => {
  await on.open({ provider: 'offline' });
});

/** A picture of one dot. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function notices(): readonly string[] {
  return on.messages.flatMap((one) => (one.type === 'notice' ? [one.message] : []));
}

type Draft = Extract<HostMessage, { type: 'draft' }>;

/** The seq of the last prompt that the page was told. */
async function sent(message: object): Promise<number> {
  await on.host.receive({ type: 'send', ...message });
  await expect.poll(() => on.messages.findLast((one) => one.type === 'turn_state')?.state).toBe('completed');
  const prompts = on.messages.flatMap((one) =>
    one.type === 'append' ? one.items.filter(({ type }) => type === 'user_message') : [],
  );
  return prompts.at(-1)?.seq ?? -1;
}

async function edited(seq: number): Promise<Draft | undefined> {
  await on.host.receive({ type: 'edit_prompt', seq });
  const told = on.messages.filter((one): one is Draft => one.type === 'draft');
  return told.findLast(({ session_id }) => session_id !== 's1');
}

describe('a prompt that is edited', () => {
  test.each([100, 40_000, 600_000])('comes back whole: %i characters', async (length) => {
    const text = `${'word '.repeat(length / 5)}end`;
    const draft = await edited(await sent({ client_turn_id: 'c1', text }));
    expect(draft?.text.length).toBe(text.length);
    expect(draft?.text).toBe(text);
    expect(notices().filter((notice) => notice.includes('tools'))).toEqual([]);
  });

  test('comes back with what went with it: files by their names, words and images as they were', async () => {
    await writeFile(join(on.place.workspace, 'a.txt'), 'one');
    const given = { kind: 'terminal', label: 'npm test', text: 'all passed\n'.repeat(5_000) };
    const image = { kind: 'image', label: 'dot.png', data: DOT };
    const attachments = [{ kind: 'file', label: 'a.txt', path: 'a.txt' }, given, image];
    const draft = await edited(await sent({ client_turn_id: 'c1', text: 'Look.', attachments }));
    expect(draft?.attachments.map(({ kind, path, text, data }) => ({ kind, path, text, data }))).toEqual([
      { kind: 'file', path: 'a.txt' },
      { kind: 'terminal', text: given.text },
      { kind: 'image', data: DOT },
    ]);
  });

  test('and was sent without tools says that it goes with them from here', async () => {
    await edited(await sent({ client_turn_id: 'c1', text: 'Only words.', tools: 'none' }));
    expect(notices()).toContain('This message was sent without tools. Sent from here, it goes with them.');
  });

  test('and is none is refused, and nothing is forked', async () => {
    const seq = await sent({ client_turn_id: 'c1', text: 'Hello.' });
    expect(await edited(seq + 1)).toBeUndefined();
    expect(on.messages.findLast((one) => one.type === 'failure')).toMatchObject({ for: 'edit_prompt' });
  });
});
