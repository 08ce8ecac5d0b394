import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Drafts } from '../../src/app/drafts.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { WatchedDisk, WRITTEN_FOR_GOOD } from '../storage/watched-disk.ts';

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

function images(): Promise<string[]> {
  return readdir(join(folder, 'storage', 'drafts'));
}

describe('the bytes of an image', () => {
  test('come over once, are in a file of their own, and are there in another window later', async () => {
    const drafts = await opened();
    drafts.write(draft('one', 'look', { image: 'AAAA' }));
    drafts.write({ ...draft('one', 'look here'), attachments: [IMAGE] });
    await drafts.close();
    expect(drafts.read('one').attachments).toEqual([{ ...IMAGE, data: 'AAAA' }]);
    expect(await readFile(file, 'utf8')).not.toContain('AAAA');
    expect((await opened()).read('one').attachments).toEqual([{ ...IMAGE, data: 'AAAA' }]);
  });

  test('are removed with the draft, and not those of another session or window', async () => {
    const drafts = await opened();
    drafts.write(draft('one', 'look', { image: 'AAAA' }));
    drafts.write({
      ...draft('two', 'look', { image: 'BBBB' }),
      attachments: [{ ...IMAGE, id: 'i2', data: 'BBBB' }],
    });
    await drafts.close();
    expect(await images()).toHaveLength(2);
    const later = await opened();
    later.write(draft('one', '', { at: 8 }));
    await later.close();
    expect(await images()).toHaveLength(1);
    expect((await opened()).read('two').attachments).toMatchObject([{ data: 'BBBB' }]);
  });

  test('are durable before the file that names them', async () => {
    const calls: string[] = [];
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) => {
      if (kind !== 'read' && kind !== 'remove')
        calls.push(`${kind} ${path.includes('json') ? 'drafts' : 'image'}`);
      return undefined;
    });
    const drafts = new Drafts(disk, file, (reason) => failures.push(reason));
    await drafts.load();
    drafts.write(draft('one', 'look', { image: 'AAAA' }));
    await drafts.close();
    const image = WRITTEN_FOR_GOOD.map((kind) => `${kind} image`);
    expect(calls.slice(-8)).toEqual([...image, 'open drafts', 'append drafts', 'rename drafts']);
  });

  test('that are damaged, or gone, are none', async () => {
    const drafts = await opened();
    drafts.write(draft('one', 'look', { image: 'AAAA' }));
    await drafts.close();
    for (const name of await images()) await writeFile(join(folder, 'storage', 'drafts', name), 'other');
    expect((await opened()).read('one').attachments).toEqual([IMAGE]);
  });

  test('that a window left behind when it died are removed after a while', async () => {
    const left = join(folder, 'storage', 'drafts', 'a'.repeat(64));
    const fresh = join(folder, 'storage', 'drafts', 'b'.repeat(64));
    await mkdir(join(folder, 'storage', 'drafts'), { recursive: true });
    for (const path of [left, fresh]) await writeFile(path, 'x');
    await utimes(left, 1, 1);
    await opened();
    expect(await images()).toEqual(['b'.repeat(64)]);
  });
});

test('only the latest sessions are kept', async () => {
  const drafts = await opened();
  for (let n = 0; n < 60; n += 1) drafts.write(draft(`s${n}`, 'x', { at: n }));
  await drafts.close();
  const kept = ['s0', 's9', 's10', 's59'].map((id) => drafts.read(id).text);
  expect(kept).toEqual(['', '', 'x', 'x']);
});

test('a draft that is too long is told, is there while the window is, and takes no other one away', async () => {
  const drafts = await opened();
  expect(drafts.write(draft('short', 'words', { at: 1 }))).toBe('kept');
  expect(drafts.write(draft('long', 'x'.repeat(2_000_000), { at: 2 }))).toBe('too_long');
  await drafts.close();
  expect(drafts.read('long').text.length).toBe(2_000_000);
  const later = await opened();
  expect([later.read('long').text, later.read('short').text]).toEqual(['', 'words']);
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

test('words are kept, however many sessions had none to send since', async () => {
  const drafts = await opened();
  drafts.write(draft('unsent', 'still to be said', { at: 1 }));
  for (let n = 0; n < 200; n += 1) drafts.write(draft(`s${n}`, '', { at: 2 + n }));
  await drafts.close();
  const later = await opened();
  expect(later.read('unsent').text).toBe('still to be said');
  expect((await readFile(file, 'utf8')).match(/session_id/g)).toHaveLength(51);
});

describe('a draft of a session that is gone for good', () => {
  test('is gone with its images, also where another window still holds it', async () => {
    const [other, here] = [await opened(), await opened()];
    other.write(draft('gone', 'a secret', { at: 5, image: Buffer.from('pixels').toString('base64') }));
    other.write(draft('stays', 'words', { at: 6 }));
    await other.close();
    await here.forget('gone', 4);
    other.write(draft('more', 'typed since', { at: 7 }));
    await other.close();
    const text = await readFile(file, 'utf8');
    expect([text.includes('a secret'), text.includes('words'), text.includes('typed since')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await readdir(join(folder, 'storage', 'drafts'))).toEqual([]);
    expect((await opened()).read('gone')).toMatchObject({ text: '', attachments: [] });
    expect(failures).toEqual([]);
  });

  test('costs nothing where there is none', async () => {
    await (await opened()).forget('gone', 1);
    expect(await readdir(folder)).toEqual([]);
  });
});
