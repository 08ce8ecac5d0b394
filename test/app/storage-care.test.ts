import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeStorePorts } from '../../src/app/node-ports.ts';
import { Sessions } from '../../src/app/sessions.ts';
import { StorageCare } from '../../src/app/storage-care.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { openSession, record, TALK } from '../storage/recorded-session.ts';
import { freshFolder } from '../storage/storage-place.ts';

const DAY_MS = 86_400_000;
const { signal } = new AbortController();
const warn = (message: string): void => {
  throw new Error(`unexpected warning: ${message}`);
};

let root = '';
let store: SessionStore;
let sessions: Sessions;

beforeEach(async () => {
  root = freshFolder();
  store = new SessionStore(nodeStorePorts(warn), root);
  sessions = new Sessions(root, warn);
  for (const id of ['a', 'b']) await record(store, [{ ...TALK, say: `Session ${id}` }], id);
});

/** As it will be in so many days. */
function care(days = 0): StorageCare {
  const ports = nodeStorePorts(warn);
  const clock = { ...ports.clock, now: () => Date.now() + days * DAY_MS };
  return new StorageCare(root, sessions, warn, { ...ports, clock });
}

async function deleted(id: string, days: number): Promise<string> {
  const moved = await sessions.delete(id, Date.now() - days * DAY_MS);
  return moved.kind === 'moved' ? moved.name : '';
}

describe('a report', () => {
  it('has each session by its title, where it is, and what was removed', async () => {
    await sessions.mark('a', { archived: true });
    const name = await deleted('b', 40);
    await care().removeOld([name]);
    await record(store, [{ ...TALK, say: 'Session c' }], 'c');
    await deleted('c', 1);
    const { sessions: all, removed, total } = await care().use(signal);
    expect(all.map(({ title, archived, deleted_at }) => [title, archived, deleted_at !== null])).toEqual([
      ['Session a', true, false],
      ['Session c', false, true],
    ]);
    expect(removed).toMatchObject([{ why: 'person', what: { session_id: 'b', name }, end: 'finished' }]);
    expect(total).toBeGreaterThan(1000);
    expect(JSON.stringify(await readFile(`${root}/storage-journal.jsonl`, 'utf8'))).not.toContain('Session');
  });
});

describe('retention', () => {
  const RULES = { archive_after_days: 90, trash_days: 30 };

  it('does nothing and writes nothing while it is off', async () => {
    await deleted('b', 400);
    const before = await readdir(root);
    expect(await care(400).retain({ archive_after_days: 0, trash_days: 0 }, signal)).toBeNull();
    expect(await readdir(root)).toEqual(before);
    expect(await readdir(`${root}/trash`)).toHaveLength(1);
  });

  it('archives, removes and collects once a day, whichever window does it', async () => {
    await deleted('b', 29);
    expect(await care(1).retain(RULES, signal)).toMatchObject({ archived: [], removed: { count: 1 } });
    expect(await readdir(`${root}/trash`)).toEqual([]);
    expect(await care(1.5).retain(RULES, signal)).toBeNull();
    expect(await care(95).retain(RULES, signal)).toMatchObject({
      archived: ['a'],
      removed: { count: 0, bytes: 0 },
      contents: { kind: 'collected' },
      failed: [],
    });
    expect((await sessions.list()).map(({ session_id, archived }) => [session_id, archived])).toEqual([
      ['a', true],
    ]);
    expect(await care(95.1).retain({ ...RULES, trash_days: 60 }, signal)).not.toBeNull();
  });

  it('leaves what a person took out of the archive again, for as long as what was used', async () => {
    expect((await care(95).retain(RULES, signal))?.archived).toHaveLength(2);
    await sessions.mark('a', { archived: false });
    expect(await care(97).retain(RULES, signal)).toMatchObject({ archived: [] });
    expect(await care(190).retain(RULES, signal)).toMatchObject({ archived: ['a'] });
  });

  it('leaves an old session that was imported just now', async () => {
    const log = await readFile(`${root}/sessions/a.jsonl`, 'utf8');
    await writeFile(`${root}/sessions/imported-x.jsonl`, log.replaceAll(/"ts":"\d{4}/g, '"ts":"2020'));
    expect(await care(1).retain(RULES, signal)).toMatchObject({ archived: [] });
    expect((await care(95).retain(RULES, signal))?.archived).toContain('imported-x');
  });

  it('is done by one window where several want it at the same time', async () => {
    const done = await Promise.all([1, 2, 3].map(() => care(95).retain(RULES, signal)));
    const archived = done.flatMap((one) => one?.archived ?? []);
    expect(archived.toSorted()).toEqual(['a', 'b']);
  });

  it('leaves a session that somebody has open', async () => {
    const open = await openSession(store, 'a');
    expect(await care(95).retain(RULES, signal)).toMatchObject({ archived: ['b'] });
    await open.close();
  });

  it('leaves the contents where a log cannot be read', async () => {
    const name = await store.blobs.put(Buffer.from('unnamed'));
    await utimes(`${root}/blobs/${name}`, 0, 0);
    await writeFile(`${root}/sessions/c.jsonl`, 'x');
    const ports = nodeStorePorts(warn);
    const { disk } = ports;
    const denied = Object.assign(Object.create(disk) as typeof disk, {
      open: (path: string, how: 'read' | 'append' | 'create_new') =>
        path.endsWith('c.jsonl') ? disk.open(`${path}/none`, 'read') : disk.open(path, how),
    });
    const one = new StorageCare(root, sessions, warn, { ...ports, disk: denied });
    expect(await one.retain({ archive_after_days: 0, trash_days: 30 }, signal)).toMatchObject({
      contents: { kind: 'unreadable', path: 'sessions/c.jsonl' },
    });
    expect(await readdir(`${root}/blobs`)).toEqual([name]);
  });
});
