import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Drafts } from '../../src/app/drafts.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';

const IMAGE = { id: 'i1', kind: 'image', label: 'shot.png', mime: 'image/png' };

let folder: string;
let file: string;
const failures: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledgerline-drafts-'));
  file = join(folder, 'storage', 'drafts.json');
  failures.length = 0;
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function opened(): Promise<Drafts> {
  const drafts = new Drafts(new NodeDisk(), file, (reason) => failures.push(reason));
  await drafts.load();
  return drafts;
}

function draft(session_id: string, text: string, more: { at?: number; image?: string } = {}) {
  const attachments = more.image === undefined ? [] : [{ ...IMAGE, data: more.image }];
  return { session_id, text, attachments, at: more.at ?? 7 };
}

test('each session has its own, also in another window later', async () => {
  const drafts = await opened();
  drafts.write(draft('one', 'for one'));
  drafts.write(draft('two', 'for two'));
  await drafts.close();
  const later = await opened();
  expect([later.read('one'), later.read('two')]).toEqual([draft('one', 'for one'), draft('two', 'for two')]);
  expect(later.read('three')).toEqual({ session_id: 'three', text: '', attachments: [], at: 0 });
});

test('two windows keep what each has, and the later draft of one session', async () => {
  const [first, second] = [await opened(), await opened()];
  first.write(draft('one', 'of the first', { at: 1 }));
  first.write(draft('both', 'earlier', { at: 2 }));
  second.write(draft('two', 'of the second', { at: 3 }));
  second.write(draft('both', 'later', { at: 4 }));
  await second.close();
  await first.close();
  const later = await opened();
  expect(['one', 'two', 'both'].map((id) => later.read(id).text)).toEqual([
    'of the first',
    'of the second',
    'later',
  ]);
});

test('what was left for an earlier prompt is kept with the draft', async () => {
  const drafts = await opened();
  const left = { ...draft('one', 'an earlier prompt'), walk: { back: 1, texts: { 0: 'half a thought' } } };
  drafts.write(left);
  await drafts.close();
  expect((await opened()).read('one')).toEqual(left);
});

test('words that a page had before are no news, however late it says them', async () => {
  const drafts = await opened();
  drafts.write(draft('one', 'typed last', { at: 9 }));
  drafts.write(draft('one', 'typed before', { at: 4 }));
  expect(drafts.read('one').text).toBe('typed last');
});

test('the bytes of an image are there while the window is, come over once, and are never in the file', async () => {
  const drafts = await opened();
  drafts.write(draft('one', 'look', { image: 'AAAA' }));
  drafts.write({ ...draft('one', 'look here'), attachments: [IMAGE] });
  await drafts.close();
  expect(drafts.read('one').attachments).toEqual([{ ...IMAGE, data: 'AAAA' }]);
  expect(await readFile(file, 'utf8')).not.toContain('AAAA');
  expect((await opened()).read('one').attachments).toEqual([IMAGE]);
});

test('only the latest sessions are kept, and no more of them than fits', async () => {
  const drafts = await opened();
  for (let n = 0; n < 60; n += 1) drafts.write(draft(`s${n}`, 'x', { at: n }));
  await drafts.close();
  const kept = ['s0', 's9', 's10', 's59'].map((id) => drafts.read(id).text);
  expect(kept).toEqual(['', '', 'x', 'x']);
  drafts.write(draft('long', 'x'.repeat(3_000_000), { at: 100 }));
  await drafts.close();
  const later = await opened();
  expect([later.read('long').text.length, later.read('s59').text]).toEqual([2_000_000, '']);
});

test.each([
  ['', 1],
  ['no json', 1],
  ['[]', 0],
  ['{"drafts":[{"session":1},null]}', 0],
])('a file with %j has no drafts, and one that cannot be read is told', async (content, told) => {
  const drafts = await opened();
  drafts.write(draft('one', 'words'));
  await drafts.close();
  await writeFile(file, content);
  expect((await opened()).read('one').text).toBe('');
  expect(failures).toHaveLength(told);
});

test('a disk that fails is told, and the draft stays on screen', async () => {
  const drafts = await opened();
  await writeFile(join(folder, 'storage'), 'a file where the folder should be');
  drafts.write(draft('one', 'words'));
  await drafts.close();
  expect(failures.length).toBeGreaterThan(0);
  expect(drafts.read('one').text).toBe('words');
});
