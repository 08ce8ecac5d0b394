import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Drafts } from '../../src/app/drafts.ts';
import { nodeStorePorts } from '../../src/app/node-ports.ts';
import { Sessions } from '../../src/app/sessions.ts';
import { StorageCare } from '../../src/app/storage-care.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { StorageJournal } from '../../src/storage/storage-journal.ts';
import { Trash } from '../../src/storage/trash.ts';
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
  const at = Date.now() - days * DAY_MS;
  await utimes(`${root}/sessions/${id}.jsonl`, at / 1000, at / 1000);
  const moved = await sessions.delete(id, at);
  return moved.kind === 'moved' ? moved.name : '';
}

async function filesWith(words: string): Promise<readonly string[]> {
  const all = await readdir(root, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const one of all.filter((entry) => entry.isFile())) {
    const path = `${one.parentPath}/${one.name}`;
    if ((await readFile(path)).includes(words)) found.push(path.slice(root.length + 1));
  }
  return found;
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

describe('a session that is removed for good', () => {
  const WORDS = 'hunter2';

  /** Named and typed into by a person, then deleted. */
  async function named(days: number): Promise<string> {
    await sessions.rename('b', `All about ${WORDS}`);
    const drafts = new Drafts(new NodeDisk(), `${root}/drafts.json`, warn);
    const image = {
      id: 'i1',
      kind: 'image' as const,
      label: 'i',
      data: Buffer.from(WORDS).toString('base64'),
    };
    drafts.write({ session_id: 'b', text: `say ${WORDS}`, attachments: [image], at: Date.now() });
    drafts.write({ session_id: 'a', text: 'other words', attachments: [], at: Date.now() });
    await drafts.close();
    await sessions.rename('a', 'Another');
    return deleted('b', days);
  }

  it.each(['at once', 'because it is old', 'after it was cut off'])(
    'takes its name and what was typed and not sent along: %s',
    async (how) => {
      const name = await named(40);
      expect((await filesWith(WORDS)).length).toBeGreaterThan(2);
      if (how === 'at once') await care(1).removeNow(name, signal);
      else if (how === 'because it is old') await care().removeOld([name]);
      else {
        const ports = nodeStorePorts(warn);
        const what = { kind: 'session', session_id: 'b', name, deleted_at: '', bytes: 0, files: [] } as const;
        await new StorageJournal(ports, root).begin(what, 'person');
        await new Trash(ports, root).remove(name);
        expect((await filesWith(WORDS)).length).toBeGreaterThan(1);
        expect(await care().finish()).toMatchObject([{ end: 'finished' }]);
      }
      expect(await filesWith(WORDS)).toEqual([]);
      expect((await sessions.list()).map(({ title }) => title)).toEqual(['Another']);
      expect(await filesWith('other words')).toEqual(['drafts.json']);
    },
  );

  it('leaves what is said about a session of the same id that is still there', async () => {
    const name = await named(40);
    await record(store, [TALK], 'b');
    await care().removeOld([name]);
    expect((await filesWith(WORDS)).length).toBeGreaterThan(1);
    expect((await sessions.list()).map(({ title }) => title).toSorted()).toEqual([
      'All about hunter2',
      'Another',
    ]);
  });

  it('is not called removed where its draft could not be, and is finished later', async () => {
    const name = await named(40);
    const drafts = await readFile(`${root}/drafts.json`);
    await writeFile(`${root}/drafts.json`, 'no longer a list of drafts');
    const ends = await care().removeOld([name]);
    expect('kind' in ends ? [] : [...ends.values()]).toMatchObject([{ kind: 'failed' }]);
    await writeFile(`${root}/drafts.json`, drafts);
    expect(await care().finish()).toMatchObject([{ end: 'finished' }]);
    expect(await filesWith(WORDS)).toEqual([]);
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

  it('leaves what was deleted by a clock that was wrong, however old that makes it', async () => {
    // Decades before it was written; and all of it, before there was anything to delete.
    await sessions.delete('a', Date.UTC(1970, 0, 1));
    await utimes(`${root}/sessions/b.jsonl`, 0, 0);
    await sessions.delete('b', Date.UTC(1999, 0, 1));
    expect(await care(1).retain(RULES, signal)).toMatchObject({ removed: { count: 0 } });
    const names = (await sessions.deleted()).map(({ name }) => name);
    const ends = await care(1).removeOld(names);
    expect('kind' in ends ? [] : [...ends.values()]).toEqual([{ kind: 'kept' }, { kind: 'kept' }]);
    for (const name of names) expect(await sessions.restore(name)).toMatchObject({ kind: 'moved' });
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
