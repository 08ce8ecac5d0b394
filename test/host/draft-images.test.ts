import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { hostFixture } from './opened-host.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const DRAFT = {
  type: 'draft',
  session_id: 's1',
  text: 'look',
  attachments: [{ id: 'i1', kind: 'image', data: 'AAAA' }],
  at: 7,
};

const on = hostFixture();

beforeEach(async () => {
  await on.open({ provider: 'offline' });
  await on.host.receive(DRAFT);
});

/** The bytes of the last draft that the page was told, image by image. */
function told(): readonly (string | undefined)[] | null {
  const last = on.messages.findLast((message) => message.type === 'draft');
  return last?.type === 'draft' ? last.attachments.map(({ data }) => data) : null;
}

test('a snapshot for the page that is there names the images of its draft, without their bytes', async () => {
  await on.host.refresh();
  await on.host.renamed();
  expect(on.messages.filter((message) => message.type === 'snapshot').length).toBeGreaterThan(2);
  expect(told()).toEqual([undefined]);
  expect(JSON.stringify(on.messages)).not.toContain('AAAA');
});

test('a draft that is too long to be kept is said once', async () => {
  const long = { ...DRAFT, text: 'x'.repeat(300_000) };
  await on.host.receive({ ...long, at: 8 });
  await on.host.receive({ ...long, at: 9 });
  expect(on.messages.filter((message) => message.type === 'notice')).toMatchObject([
    { level: 'warning', message: expect.stringContaining('too long to be kept') },
  ]);
  await on.host.receive({ ...DRAFT, at: 10 });
  await on.host.receive({ ...long, at: 11 });
  // Once more, after one that was kept.
  expect(on.messages.filter((message) => message.type === 'notice')).toHaveLength(2);
});

test('a page that comes gets them, once', async () => {
  await on.host.receive({ type: 'ready' });
  expect(told()).toEqual(['AAAA']);
  await on.host.refresh();
  expect(told()).toEqual([undefined]);
});

test('a page that showed another session gets them again', async () => {
  for (const id of ['s1', 's2']) await writeFile(join(on.place.storage, 'sessions', `${id}.jsonl`), '');
  await on.host.receive({ type: 'open_session', session_id: 's2' });
  await on.host.receive({ type: 'open_session', session_id: 's1' });
  expect(told()).toEqual(['AAAA']);
});
