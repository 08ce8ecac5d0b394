import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeHasher } from '../../src/app/node-ports.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { ownerOf, storageUse } from '../../src/storage/storage-use.ts';
import { StorageUseReader } from '../../src/storage/use-reader.ts';
import { freshFolder, storePorts } from './storage-place.ts';
import { WatchedDisk, type DiskCall } from './watched-disk.ts';

const ONE = nodeHasher.sha256('one');
const TWO = nodeHasher.sha256('two');
const THREE = nodeHasher.sha256('three');

describe('whose a file is', () => {
  it.each([
    ['sessions/a.jsonl', { kind: 'session', key: 'a', session_id: 'a', rest: 'jsonl' }],
    ['sessions/a.new.json', { kind: 'session', key: 'a', session_id: 'a', rest: 'new.json' }],
    ['trash/a.7.torn-1', { kind: 'trashed', key: 'a.7', session_id: 'a', deleted_at: 7, rest: 'torn-1' }],
    [`blobs/${ONE}`, { kind: 'blob', name: ONE }],
    [`blobs/${ONE}.x.tmp`, { kind: 'other' }],
    [`blobs-unused/${ONE}.7`, { kind: 'set_aside' }],
    ['drafts.json', { kind: 'draft' }],
    [`drafts/${ONE}`, { kind: 'draft' }],
    ['session-list.json', { kind: 'cache' }],
    ['session-marks.jsonl', { kind: 'other' }],
  ])('%s', (path, owner) => {
    expect(ownerOf(path)).toEqual(owner);
  });
});

it('a body counts for the session that alone names it, else as shared, and once in the whole', () => {
  const use = storageUse([
    { path: 'sessions/a.jsonl', size: 100, names: [ONE, TWO] },
    { path: 'sessions/a.mark', size: 5, names: [] },
    { path: 'sessions/a.torn-1', size: 7, names: [] },
    { path: 'trash/b.9.jsonl', size: 50, names: [TWO, nodeHasher.sha256('gone')] },
    { path: 'trash/b.9.imported.json', size: 2, names: [] },
    { path: `blobs/${ONE}`, size: 1000, names: [] },
    { path: `blobs/${TWO}`, size: 300, names: [] },
    { path: `blobs/${THREE}`, size: 20, names: [] },
    { path: `blobs-unused/${THREE}.1`, size: 20, names: [] },
    { path: 'drafts.json', size: 3, names: [] },
    { path: 'session-list.json', size: 4, names: [] },
    { path: 'permissions.jsonl', size: 6, names: [] },
  ]);
  expect(use).toEqual({
    sessions: [
      {
        key: 'a',
        session_id: 'a',
        deleted_at: null,
        log: 100,
        beside: 12,
        torn: 7,
        imported: false,
        own: { count: 1, bytes: 1000 },
        shared: { count: 1, bytes: 300 },
      },
      {
        key: 'b.9',
        session_id: 'b',
        deleted_at: 9,
        log: 50,
        beside: 2,
        torn: 0,
        imported: true,
        own: { count: 0, bytes: 0 },
        shared: { count: 1, bytes: 300 },
      },
    ],
    logs: 100,
    beside: 5,
    torn: { count: 1, bytes: 7 },
    trash: 52,
    blobs: { count: 3, bytes: 1320 },
    unnamed: { count: 1, bytes: 20 },
    set_aside: { count: 1, bytes: 20 },
    drafts: 3,
    caches: 4,
    other: 6,
    total: 1517,
  });
});

it('what a body names counts for the session that names that body', () => {
  const { sessions, unnamed } = storageUse([
    { path: 'sessions/a.jsonl', size: 1, names: [ONE] },
    { path: `blobs/${ONE}`, size: 10, names: [TWO] },
    { path: `blobs/${TWO}`, size: 5, names: [ONE] },
  ]);
  expect([sessions[0]?.own, unnamed.count]).toEqual([{ count: 2, bytes: 15 }, 0]);
});

it('what was left by something that was cut off is no session, and is counted all the same', () => {
  const { sessions, unnamed, logs, beside, torn, trash, blobs, total } = storageUse([
    { path: 'sessions/half.jsonl.tmp', size: 10, names: [ONE] },
    { path: 'sessions/gone.torn-1', size: 3, names: [] },
    { path: 'trash/b.9.torn-1', size: 7, names: [] },
    { path: 'sessions/empty.jsonl', size: 0, names: [] },
    { path: `blobs/${ONE}`, size: 100, names: [] },
  ]);
  expect([sessions.map(({ key }) => key), unnamed.count]).toEqual([['empty'], 0]);
  expect(logs + beside + torn.bytes + trash + blobs.bytes).toBe(total);
});

describe('a reader', () => {
  let root = '';
  let reads: DiskCall[] = [];

  beforeEach(async () => {
    root = freshFolder();
    reads = [];
    for (const folder of ['sessions', 'blobs', 'else/where'])
      await mkdir(`${root}/${folder}`, { recursive: true });
    await writeFile(`${root}/blobs/${ONE}`, 'one');
    await writeFile(`${root}/blobs/${TWO}`, 'two');
    await writeFile(`${root}/sessions/a.jsonl`, `${' '.repeat(5000)}{"blob":"${ONE}"}\n`);
  });

  function reader(fail = ''): StorageUseReader {
    const disk = new WatchedDisk(new NodeDisk(), (call) => {
      if (call.kind === 'read') reads.push(call);
      return call.kind === 'open' && fail !== '' && call.path.endsWith(fail) ? { fail: 'denied' } : undefined;
    });
    return new StorageUseReader(storePorts({ disk }), root);
  }

  const { signal } = new AbortController();

  it('reads what is new of a log, and nothing twice', async () => {
    const one = reader();
    const { use, unreadable } = await one.read(signal);
    expect([use.sessions[0]?.own.count, use.unnamed.count, unreadable]).toEqual([1, 1, []]);
    await appendFile(`${root}/sessions/a.jsonl`, `{"blob":"${TWO}"}\n`);
    reads = [];
    expect((await one.read(signal)).use.sessions[0]?.own.count).toBe(2);
    expect(reads.map(({ path, bytes }) => [path.slice(root.length), bytes < 200])).toEqual([
      ['/sessions/a.jsonl', true],
    ]);
  });

  it('goes on from its cache after a restart, and without it only takes longer', async () => {
    const first = await reader().read(signal);
    reads = [];
    const second = await reader().read(signal);
    expect(reads.map(({ path }) => path.slice(root.length))).toEqual(['/storage-use.json']);
    const { size } = { size: (await readFile(`${root}/storage-use.json`)).length };
    expect(second.use).toEqual({ ...first.use, caches: size, total: first.use.total + size });
    await rm(`${root}/storage-use.json`);
    expect((await reader().read(signal)).use).toEqual(first.use);
    await writeFile(`${root}/storage-use.json`, '{"v":1,"files":{"sessions/a.jsonl":{"identity":7}}}');
    expect((await reader().read(signal)).use.sessions).toEqual(first.use.sessions);
  });

  it('says which files it could not read, and counts the others', async () => {
    await writeFile(`${root}/else/where/x`, TWO);
    const { use, unreadable } = await reader('a.jsonl').read(signal);
    expect([use.sessions[0]?.log, use.unnamed, unreadable]).toEqual([
      5076,
      { count: 1, bytes: 3 },
      ['sessions/a.jsonl'],
    ]);
  });

  it('can be called off', async () => {
    await expect(reader().read(AbortSignal.abort())).rejects.toThrow();
  });
});
