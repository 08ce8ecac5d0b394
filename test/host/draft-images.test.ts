import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ConversationHost } from '../../src/host/conversation-host.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { makePlace } from '../support/headless.ts';
import { openedHost } from './opened-host.ts';
import { double, folder } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const DRAFT = {
  type: 'draft',
  session_id: 's1',
  text: 'look',
  attachments: [{ id: 'i1', kind: 'image', data: 'AAAA' }],
  at: 7,
};

let place: Awaited<ReturnType<typeof makePlace>>;
let host: ConversationHost;
let messages: HostMessage[] = [];

beforeEach(async () => {
  double.reset();
  messages = [];
  place = await makePlace();
  double.folders = [folder(place.workspace)];
  double.settings = { provider: 'offline' };
  host = openedHost(place, (message) => messages.push(message));
  await host.receive({ type: 'ready' });
  await host.receive(DRAFT);
});

afterEach(async () => {
  await host.dispose();
  await place.remove();
});

/** The bytes of the last draft that the page was told, image by image. */
function told(): readonly (string | undefined)[] | null {
  const last = messages.findLast((message) => message.type === 'draft');
  return last?.type === 'draft' ? last.attachments.map(({ data }) => data) : null;
}

test('a snapshot for the page that is there names the images of its draft, without their bytes', async () => {
  await host.refresh();
  await host.renamed();
  expect(messages.filter((message) => message.type === 'snapshot').length).toBeGreaterThan(2);
  expect(told()).toEqual([undefined]);
  expect(JSON.stringify(messages)).not.toContain('AAAA');
});

test('a draft that is too long to be kept is said once', async () => {
  const long = { ...DRAFT, text: 'x'.repeat(300_000) };
  await host.receive({ ...long, at: 8 });
  await host.receive({ ...long, at: 9 });
  expect(messages.filter((message) => message.type === 'notice')).toMatchObject([
    { level: 'warning', message: expect.stringContaining('too long to be kept') },
  ]);
});

test('a page that comes gets them, once', async () => {
  await host.receive({ type: 'ready' });
  expect(told()).toEqual(['AAAA']);
  await host.refresh();
  expect(told()).toEqual([undefined]);
});

test('a page that showed another session gets them again', async () => {
  for (const id of ['s1', 's2']) await writeFile(join(place.storage, 'sessions', `${id}.jsonl`), '');
  await host.receive({ type: 'open_session', session_id: 's2' });
  await host.receive({ type: 'open_session', session_id: 's1' });
  expect(told()).toEqual(['AAAA']);
});
