import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { draft } from '../../src/runtime/events.ts';
import type { StreamScratch } from '../../src/runtime/ports.ts';
import { LeaseSight, STALE_MS, type LeaseRecord } from '../../src/storage/lease-holder.ts';
import { Lease } from '../../src/storage/lease.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { isSessionId } from '../../src/storage/session-paths.ts';
import type { SessionStore } from '../../src/storage/session-store.ts';
import type { StoredSession } from '../../src/storage/stored-session.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { freshFolder, lookAt, processOf, storeIn, storePorts } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

const NOTE = draft('diagnostic', { code: 'note', message: 'n', details: {}, next_actions: [] });
const BOTH = new Set([1, 2]);
const IGNORE = { event: (): void => undefined };

/** Two windows on one folder, each a process of its own on the same clock. */
function twoWindows(root: string, clock = new VirtualClock()): readonly [SessionStore, SessionStore] {
  return [
    storeIn(root, { clock, processes: processOf(1, BOTH) }),
    storeIn(root, { clock, processes: processOf(2, BOTH) }),
  ];
}

/** Keeps what stands for a killed process from being collected, which would close its files. */
const opened: StoredSession[] = [];

async function open(store: SessionStore, take_over = false): Promise<StoredSession> {
  const stored = await store.open('s1', { take_over });
  opened.push(stored);
  return stored;
}

/** The last window of a session that was never written to leaves nothing behind. */
async function expectTidyEnd(root: string, last: StoredSession): Promise<void> {
  await last.close();
  expect(await readdir(`${root}/sessions`)).toEqual([]);
}

async function leaseOf(root: string): Promise<LeaseRecord> {
  return JSON.parse(await readFile(`${root}/sessions/s1.lease`, 'utf8')) as LeaseRecord;
}

describe('one writer', () => {
  it('a second window learns who has the session and cannot write', async () => {
    const root = freshFolder();
    const [one, two] = twoWindows(root);
    const first = await open(one);
    const second = await open(two);
    expect(second.held_by).toEqual(await leaseOf(root));
    expect(second.held_by).toMatchObject({ pid: 1, host: 'test' });
    expect((await second.load(IGNORE)).writer).toBeNull();
    await second.close();
    expect(await leaseOf(root)).toMatchObject({ pid: 1 });
    await expectTidyEnd(root, first);
  });

  it('a second window sees live what the first one writes, also from an empty session on', async () => {
    const root = freshFolder();
    const clock = new VirtualClock();
    const [one, two] = twoWindows(root, clock);
    const first = await open(one);
    const { writer } = await first.load(IGNORE);
    const second = await open(two);
    const { end } = await second.load(IGNORE);
    const over = new AbortController();
    const seen: LogEvent[] = [];
    const texts: string[] = [];
    const follower = {
      events: (events: readonly LogEvent[]) => void seen.push(...events),
      stream: ({ text }: StreamScratch) => void texts.push(text),
    };
    const followed = second.follow(end, follower, over.signal);
    await clock.advance(2000);
    const written: LogEvent[] = [];
    for (let i = 0; i < 5; i += 1) {
      written.push(...(await writer!.append([NOTE, NOTE])));
      while (seen.length < written.length) await clock.advance(100);
      expect(seen).toEqual(written);
    }
    expect(texts).toEqual([]);
    writer!.saveStream({ turn_id: 't', stream_run_id: 'r', text: 'so far' });
    while (texts.length === 0) await clock.advance(100);
    expect(new Set(texts)).toEqual(new Set(['so far']));
    await writer!.clearStream();
    over.abort();
    await followed;
    await second.close();
    await first.close();
    expect(clock.sleeping).toBe(0);
  });

  it('an explicit take-over ends the first one at its next append, unacknowledged', async () => {
    const root = freshFolder();
    const calls: string[] = [];
    const disk = new WatchedDisk(new NodeDisk(), ({ kind }) => void calls.push(kind));
    const first = await open(storeIn(root, { disk, processes: processOf(1, BOTH) }));
    const old = (await first.load(IGNORE)).writer!;
    const [acknowledged] = await old.append([NOTE]);
    const second = await open(twoWindows(root)[1], true);
    const { writer } = await second.load(IGNORE);
    await expect(old.append([NOTE])).rejects.toMatchObject({ name: 'AppendFailed', kind: 'lease_lost' });
    await expect(old.append([NOTE])).rejects.toMatchObject({ kind: 'lease_lost' });
    const [next] = await writer!.append([NOTE]);
    expect((await lookAt(storeIn(root))).events).toEqual([acknowledged, next]);
    calls.length = 0;
    await first.close();
    expect(calls, 'closing the first does not touch the lease of the second').toEqual(['open', 'read']);
    expect(await leaseOf(root)).toMatchObject({ pid: 2 });
    await second.close();
  });

  it('a take-over during a write leaves that write unacknowledged', async () => {
    const root = freshFolder();
    const [, two] = twoWindows(root);
    let taken: StoredSession | null = null;
    const disk = new WatchedDisk(new NodeDisk(), async ({ kind, path }) => {
      if (kind === 'sync' && path.endsWith('.jsonl')) taken ??= await open(two, true);
      return undefined;
    });
    const first = await open(storeIn(root, { disk, processes: processOf(1, BOTH) }));
    const { writer } = await first.load(IGNORE);
    await expect(writer!.append([NOTE])).rejects.toMatchObject({ kind: 'lease_lost' });
    await first.close();
    await taken!.close();
  });

  it('a log that grew behind the writer is not written to', async () => {
    const root = freshFolder();
    const stored = await open(storeIn(root));
    const { writer } = await stored.load(IGNORE);
    await writer!.append([NOTE]);
    await writeFile(stored.paths.log, 'foreign\n', { flag: 'a' });
    await expect(writer!.append([NOTE])).rejects.toMatchObject({ kind: 'log_conflict' });
    await stored.close();
  });
});

describe('an owner that is gone', () => {
  it('is replaced at once when its process is dead', async () => {
    const root = freshFolder();
    await open(storeIn(root, { processes: processOf(1) }));
    const second = await open(storeIn(root, { processes: processOf(2) }));
    expect(second.writable).toBe(true);
    expect(await leaseOf(root)).toMatchObject({ pid: 2 });
    await expectTidyEnd(root, second);
  });

  it('is replaced when it hangs: late by the clock, and silent for more than a heartbeat after that', async () => {
    const root = freshFolder();
    const stopped = new VirtualClock();
    await open(storeIn(root, { clock: stopped, processes: processOf(1, BOTH) }));
    const clock = new VirtualClock();
    const two = storeIn(root, { clock, processes: processOf(2, BOTH) });
    await clock.advance(STALE_MS);
    expect((await open(two)).writable).toBe(false);
    await clock.advance(1);
    const opening = open(two);
    while (clock.sleeping === 0) await clock.idle();
    await clock.advance(2500);
    expect((await opening).writable).toBe(true);
  });

  it('is told by those who look on once it was seen silent for more than ten seconds', async () => {
    const root = freshFolder();
    await open(storeIn(root, { clock: new VirtualClock(), processes: processOf(1, BOTH) }));
    const clock = new VirtualClock();
    const second = await open(storeIn(root, { clock, processes: processOf(2, BOTH) }));
    const gone: boolean[] = [];
    for (let look = 0; look < 7; look += 1) {
      gone.push(await second.ownerGone());
      await clock.advance(2000);
    }
    expect(gone).toEqual([false, false, false, false, false, false, true]);
    await second.close();
  });

  it('keeps its lease by a heartbeat every two seconds', async () => {
    const root = freshFolder();
    const clock = new VirtualClock();
    const [one, two] = twoWindows(root, clock);
    const first = await open(one);
    const { heartbeat_at } = await leaseOf(root);
    for (let beat = 0; beat < 30; beat += 1) {
      await clock.advance(2000);
      // Asleep again once the beat is written.
      while (clock.sleeping === 0) await clock.idle();
    }
    const beats = await leaseOf(root);
    expect(Date.parse(beats.heartbeat_at) - Date.parse(heartbeat_at)).toBe(60_000);
    expect((await open(two)).writable).toBe(false);
    await first.close();
    expect(clock.sleeping).toBe(0);
  });

  it('that died before its record was written binds only while it is fresh', async () => {
    const root = freshFolder();
    const ports = storePorts();
    await ports.disk.makeFolder(`${root}/sessions`);
    const path = `${root}/sessions/s1.lease`;
    await writeFile(path, '');
    const seconds = ports.clock.now() / 1000;
    await utimes(path, seconds, seconds);
    expect(await Lease.acquire(ports, path, { take_over: false })).toEqual({ kind: 'held', by: null });
    await utimes(path, seconds - 11, seconds - 11);
    const acquired = await Lease.acquire(ports, path, { take_over: false });
    expect(acquired.kind).toBe('acquired');
    if (acquired.kind === 'acquired') await acquired.lease.release();
  });

  it('and died while taking over does not keep others waiting', async () => {
    const root = freshFolder();
    const dead = { token: 't', pid: 9, host: 'test', started_at: '', heartbeat_at: new Date().toISOString() };
    const ports = storePorts();
    await ports.disk.makeFolder(`${root}/sessions`);
    for (const name of ['s1.lease', 's1.lease.claim'])
      await writeFile(`${root}/sessions/${name}`, JSON.stringify(dead));
    const stored = await open(storeIn(root));
    expect(stored.writable).toBe(true);
    await stored.close();
    expect(await readdir(`${root}/sessions`)).toEqual([]);
  });

  it('is replaced by exactly one of many that find it', async () => {
    for (let round = 0; round < 40; round += 1) {
      const root = freshFolder();
      const pids = [2, 3, 4, 5, 6, 7];
      await open(storeIn(root, { processes: processOf(1) }));
      const racing = await Promise.all(
        pids.map((pid) => {
          let calls = 0;
          // Each is slow at another place.
          const disk = new WatchedDisk(new NodeDisk(), async () => {
            calls += 1;
            if ((calls * pid + round) % 5 === 0) await new Promise(setImmediate);
            return undefined;
          });
          return open(storeIn(root, { disk, processes: processOf(pid, new Set(pids)) }));
        }),
      );
      expect({ round, writers: racing.filter((stored) => stored.writable).length }).toEqual({
        round,
        writers: 1,
      });
      for (const stored of racing) await stored.close();
    }
  });
});

describe('an owner that lives', () => {
  it('keeps its session when the clock jumps or the machine sleeps', async () => {
    const root = freshFolder();
    const clock = new VirtualClock();
    const [one, two] = twoWindows(root, clock);
    const first = await open(one);
    const looking = await open(two);
    expect(await looking.ownerGone()).toBe(false);
    clock.setBack(-3_600_000);
    expect(await looking.ownerGone()).toBe(false);
    const opening = open(two);
    while (clock.sleeping < 2) await clock.idle();
    // Asleep for the length of the look, its owner beats meanwhile.
    await clock.advance(2000);
    while (clock.sleeping < 2) await clock.idle();
    await clock.advance(500);
    expect((await opening).writable).toBe(false);
    expect(await leaseOf(root)).toMatchObject({ pid: 1 });
    await first.close();
  });

  it('keeps its session from one that slept longer than it', () => {
    const sight = new LeaseSight();
    expect([0, 2000, 3_602_000, 3_604_000].map((at) => sight.look('same', at))).toEqual([
      0, 2000, 6000, 8000,
    ]);
    expect(sight.look('beaten', 3_605_000)).toBe(0);
  });

  it('is not waited for by one who is called off', async () => {
    const root = freshFolder();
    const clock = new VirtualClock();
    const [one, two] = twoWindows(root, clock);
    const first = await open(one);
    clock.setBack(-3_600_000);
    const stop = new AbortController();
    const opening = two.open('s1', { take_over: false, signal: stop.signal });
    while (clock.sleeping < 2) await clock.idle();
    stop.abort();
    expect((await opening).writable).toBe(false);
    await first.close();
  });
});

describe('where files cannot have two names', () => {
  it('leases work the same', async () => {
    const root = freshFolder();
    const disk = new WatchedDisk(new NodeDisk(), ({ kind }) =>
      kind === 'link' ? { fail: 'denied' } : undefined,
    );
    const one = storeIn(root, { disk, processes: processOf(1, BOTH) });
    const two = storeIn(root, { disk, processes: processOf(2, BOTH) });
    const first = await open(one);
    expect(first.writable).toBe(true);
    const second = await open(two);
    expect(second.held_by).toEqual(await leaseOf(root));
    const third = await open(two, true);
    expect(third.writable).toBe(true);
    await first.close();
    expect(await leaseOf(root)).toMatchObject({ pid: 2 });
    await third.close();
    expect(await readdir(`${root}/sessions`)).toEqual([]);
    expect(disk.held.size).toBe(0);
  });
});

it('an id is a name that no file system reads as something else', () => {
  const ids = ['ses_1', 'A-b', '../x', 'a/b', 'a.b', '', '-a', 'con', 'NUL', 'com1', 'lpt9', 'console', 'ä'];
  expect(ids.filter(isSessionId)).toEqual(['ses_1', 'A-b', 'console']);
});
