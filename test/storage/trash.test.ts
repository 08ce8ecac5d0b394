import { readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SessionList } from '../../src/storage/session-list.ts';
import type { StorePorts } from '../../src/storage/session-store.ts';
import { Trash } from '../../src/storage/trash.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { openSession, record, TALK } from './recorded-session.ts';
import { freshFolder, logPath, processOf, storeIn, storePorts } from './storage-place.ts';
import { WatchedDisk, type DiskCall } from './watched-disk.ts';

let root = '';

beforeEach(async () => {
  root = freshFolder();
});

function trash(ports: Partial<StorePorts> = {}): Trash {
  return new Trash(storePorts(ports), root);
}

async function names(folder: 'sessions' | 'trash'): Promise<readonly string[]> {
  return (await readdir(`${root}/${folder}`)).toSorted();
}

async function ids(): Promise<readonly string[]> {
  return (await new SessionList(storePorts(), root).list()).map((row) => row.session_id);
}

const BESIDE = ['mark', 'stream', 'torn-1', 'torn-2', 'lease.old.tmp'] as const;

/** A session with everything that can lie beside its log, and what each file says. */
async function session(id: string): Promise<void> {
  await record(storeIn(root), [TALK], id);
  for (const rest of BESIDE) await writeFile(`${root}/sessions/${id}.${rest}`, `${rest} of ${id}`);
  // Left by a process that is long gone.
  await utimes(`${root}/sessions/${id}.lease.old.tmp`, 0, 0);
}

/** Everything that is stored of a session, wherever it is, by its content. */
async function contents(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const folder of ['sessions', 'trash'] as const) {
    for (const name of await readdir(`${root}/${folder}`).catch(() => []))
      if (!name.endsWith('.lease')) found.add(await readFile(`${root}/${folder}/${name}`, 'utf8'));
  }
  return found;
}

describe('a deleted session', () => {
  it('is gone from the list with all that lay beside its log, and others stay', async () => {
    await session('a');
    await session('b');
    const moved = await trash().put('a');
    expect(moved).toEqual({ kind: 'moved', name: expect.stringMatching(/^a\.\d+$/) });
    expect(await ids()).toEqual(['b']);
    expect((await names('sessions')).filter((name) => name.startsWith('a.'))).toEqual([]);
    expect((await names('trash')).map((name) => name.replace(/^a\.\d+\./, ''))).toEqual(
      ['jsonl', ...BESIDE].toSorted(),
    );
  });

  it('is listed with its title, and comes back as it was', async () => {
    await session('a');
    const before = await readFile(logPath(root, 'a'));
    await trash().put('a');
    const [kept] = await trash().list();
    expect(kept).toMatchObject({ session_id: 'a', title: TALK.say, size: before.length });
    expect(await trash().restore(kept!.name)).toEqual({ kind: 'moved', name: kept!.name });
    expect(await readFile(logPath(root, 'a'))).toEqual(before);
    expect(await ids()).toEqual(['a']);
    expect(await readFile(`${root}/sessions/a.torn-2`, 'utf8')).toBe('torn-2 of a');
    expect(await trash().list()).toEqual([]);
  });

  it('that cannot be read is listed by its id, and keeps nobody from the others', async () => {
    for (const id of ['a', 'b']) await session(id);
    for (const id of ['a', 'b']) await trash().put(id);
    await symlink(`${root}/trash/c.1.jsonl`, `${root}/trash/c.1.jsonl`);
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) =>
      kind === 'open' && path.includes('/trash/a.') ? { fail: 'denied' } : undefined,
    );
    const kept = await trash({ disk }).list();
    expect(new Map(kept.map((one) => [one.session_id, [one.title, one.problem]]))).toEqual(
      new Map([
        ['a', ['', expect.stringMatching(/^The log cannot be read: /)]],
        ['b', [TALK.say, null]],
        ['c', ['', expect.stringMatching(/^The log cannot be read: /)]],
      ]),
    );
    const { name } = kept.find((one) => one.session_id === 'b')!;
    expect(await trash().restore(name)).toEqual({ kind: 'moved', name });
  });

  it('stays where it is while a live process has it open', async () => {
    const alive = new Set([7, 8]);
    const ready = await openSession(storeIn(root, { processes: processOf(7, alive) }), 'a');
    await ready.play(TALK);
    expect(await trash({ processes: processOf(8, alive) }).put('a')).toMatchObject({
      kind: 'held',
      by: { pid: 7 },
    });
    expect(await ids()).toEqual(['a']);
    await ready.close();
    expect(await trash().put('a')).toMatchObject({ kind: 'moved' });
  });

  it('is not restored over another of its id, nor from a name that is none', async () => {
    await session('a');
    await trash().put('a');
    const [kept] = await trash().list();
    await record(storeIn(root), [TALK], 'a');
    const fresh = await readFile(logPath(root, 'a'), 'utf8');
    expect(await trash().restore(kept!.name)).toEqual({ kind: 'exists' });
    expect(await readFile(logPath(root, 'a'), 'utf8')).toBe(fresh);
    for (const name of ['../a', 'a', 'b.1', ''])
      expect(await trash().restore(name)).toEqual({ kind: 'missing' });
    expect(await trash().put('nobody')).toEqual({ kind: 'missing' });
  });

  it('can be deleted again beside an earlier one of its id', async () => {
    await session('a');
    await trash().put('a');
    await session('a');
    await trash().put('a');
    expect((await trash().list()).map((one) => one.session_id)).toEqual(['a', 'a']);
  });
});

/** Runs the work again and again, cut off before one disk call after the other, until it is not cut. */
async function cutEverywhere(
  prepare: () => Promise<void>,
  work: (one: Trash) => Promise<unknown>,
): Promise<number> {
  for (let cut = 0; ; cut += 1) {
    root = freshFolder();
    await prepare();
    const before = await contents();
    let calls = 0;
    const fate = ({ path }: DiskCall): { fail: 'other' } | undefined => {
      if (/\.lease/.test(path) && !path.includes('old')) return undefined;
      calls += 1;
      return calls > cut ? { fail: 'other' } : undefined;
    };
    const disk = new WatchedDisk(new NodeDisk(), fate);
    const done = await work(trash({ disk })).then(
      () => true,
      () => false,
    );
    expect(await contents()).toEqual(before);
    if (done && calls <= cut) return cut;
    await work(trash());
    expect(await contents()).toEqual(before);
  }
}

describe('a deletion or a restoration that is cut off', () => {
  it('loses nothing at any call, and can be done again', async () => {
    const cuts = await cutEverywhere(
      () => session('a'),
      async (one) => one.put('a'),
    );
    expect(cuts).toBeGreaterThan(15);
    expect(await ids()).toEqual([]);
    const restored = await cutEverywhere(
      async () => {
        await session('a');
        await trash().put('a');
      },
      async (one) => {
        for (const { name } of await one.list()) await one.restore(name);
      },
    );
    expect(restored).toBeGreaterThan(15);
    expect(await ids()).toEqual(['a']);
  });

  it('has the log in at least one place after a power cut at any call', async () => {
    for (let cut = 0; ; cut += 1) {
      const disk = new PowerCutDisk();
      await disk.makeFolder(`${root}/sessions`);
      const log = await disk.open(`${root}/sessions/a.jsonl`, 'append');
      await log.append(Buffer.from('a line\n'));
      await log.sync();
      await disk.syncFolder(`${root}/sessions`);
      let calls = 0;
      const failing = new WatchedDisk(disk, () => {
        calls += 1;
        return calls > cut ? { fail: 'other' } : undefined;
      });
      const done = await trash({ disk: failing })
        .put('a')
        .then(
          () => true,
          () => false,
        );
      const after = disk.cutPower();
      const all = [...(await after.list(`${root}/sessions`)), ...(await after.list(`${root}/trash`))];
      expect(all.filter((name) => name.endsWith('.jsonl')).length).toBeGreaterThan(0);
      if (done) break;
    }
  });
});
