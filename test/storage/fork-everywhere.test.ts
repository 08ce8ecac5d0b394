import { readdir, readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { isInFork } from '../../src/runtime/fork.ts';
import { foldReplay } from '../../src/runtime/replay/fold.ts';
import { turnState } from '../../src/runtime/turn.ts';
import { DiskError } from '../../src/storage/disk.ts';
import { forkLog } from '../../src/storage/fork-log.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { FAILURE, LARGE, openSession, record, ROUNDS, STOPPED, TALK } from './recorded-session.ts';
import { freshFolder, logPath, lookAt, storeIn } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

const TARGET = { model: 'test-model', endpoint: 'test' };
const TURNS = [ROUNDS, FAILURE, LARGE, STOPPED, TALK];

let root = '';

beforeEach(() => {
  root = freshFolder();
});

async function eventsOf(id: string): Promise<readonly LogEvent[]> {
  const { damage, torn, events } = await lookAt(storeIn(root), id);
  expect({ damage, torn }).toEqual({ damage: [], torn: null });
  return events;
}

async function forked(at: number | null, summary: boolean): Promise<readonly LogEvent[]> {
  const fork = await forkLog(storeIn(root), 's1', at, { summary });
  return eventsOf(fork?.session_id ?? '');
}

function said(events: readonly LogEvent[]): readonly unknown[] {
  return events.map(({ type, data }) => ({ type, data }));
}

async function namedBlobs(id: string): Promise<ReadonlySet<string>> {
  const text = await readFile(logPath(root, id), 'utf8');
  return new Set([...text.matchAll(/"blob":"([0-9a-f]{64})"/gu)].map(([, name = '']) => name));
}

describe('a fork of a recorded session, at every event', () => {
  it('is a whole log with what was replayed up to there', { timeout: 60_000 }, async () => {
    await record(storeIn(root), TURNS);
    const parent = await eventsOf('s1');
    for (const { seq } of parent) {
      const before = parent.slice(0, seq + 1);
      const plain = await forked(seq, false);
      expect(said(plain.slice(1))).toEqual(said(before.filter(isInFork)));
      expect(JSON.stringify(foldReplay(plain, TARGET))).toBe(JSON.stringify(foldReplay(before, TARGET)));
      const told = await forked(seq, true);
      expect(said(told.slice(1, plain.length))).toEqual(said(plain.slice(1)));
      expect(told.length - plain.length).toBeLessThanOrEqual(1);
    }
  });

  it('shares every body with its parent and writes none', async () => {
    await record(storeIn(root), [LARGE, TALK]);
    const before = await readdir(`${root}/blobs`);
    expect(before.length).toBeGreaterThan(0);
    const appends: string[] = [];
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) => {
      if (kind === 'append' || kind === 'rename') appends.push(path);
      return undefined;
    });
    const fork = await forkLog(storeIn(root, { disk }), 's1', null);
    expect(appends.filter((path) => path.includes('/blobs/'))).toEqual([]);
    expect(await readdir(`${root}/blobs`)).toEqual(before);
    const named = await namedBlobs(fork?.session_id ?? '');
    expect(named.size).toBeGreaterThan(0);
    expect([...named].filter((name) => !before.includes(name))).toEqual([]);
  });

  it('says that a turn without a complete answer is interrupted, once it is opened, and can go on', async () => {
    await record(storeIn(root), [ROUNDS]);
    const parent = await eventsOf('s1');
    for (const { seq } of parent.filter(({ type }) => type === 'tool_call' || type === 'tool_result')) {
      const fork = await forkLog(storeIn(root), 's1', seq);
      const ready = await openSession(storeIn(root), fork?.session_id);
      const { turn } = ready.session.state;
      expect(turn === null ? null : turnState(turn)).toBe('interrupted');
      expect(turn?.failure?.error_message).toBe(
        'The session was forked where this turn has no complete answer.',
      );
      await ready.play(TALK);
      expect(turnState(ready.session.state.turn!)).toBe('completed');
      await ready.close();
      const events = await eventsOf(fork?.session_id ?? '');
      const kinds = events.flatMap((one) =>
        one.type === 'tool_result' && !one.data.ok ? [one.data.error?.kind] : [],
      );
      expect(kinds).not.toContain('never_started');
    }
  });

  it('has one note of an interruption, also where it begins between the note and its prompt', async () => {
    await record(storeIn(root), [STOPPED, TALK]);
    const parent = await eventsOf('s1');
    const note = parent.find(({ type }) => type === 'interruption_note');
    const fork = await forkLog(storeIn(root), 's1', note?.seq ?? null);
    const ready = await openSession(storeIn(root), fork?.session_id);
    await ready.play(TALK);
    await ready.close();
    const events = await eventsOf(fork?.session_id ?? '');
    expect(events.filter(({ type }) => type === 'interruption_note')).toHaveLength(1);
  });
});

describe('a fork of a damaged session', () => {
  it('takes exactly what is before the damage, wherever that is', { timeout: 60_000 }, async () => {
    await record(storeIn(root), [ROUNDS, TALK]);
    const parent = await eventsOf('s1');
    const lines = (await readFile(logPath(root), 'utf8')).split('\n');
    for (let bad = 1; bad < parent.length; bad += 3) {
      await writeFile(logPath(root), lines.map((line, n) => (n === bad ? '{"no event' : line)).join('\n'));
      for (const at of [null, parent.length - 1, Math.floor(bad / 2)]) {
        const fork = await forkLog(storeIn(root), 's1', at, { summary: true });
        const to = Math.min(at ?? bad - 1, bad - 1);
        expect(fork?.forked_to_seq).toBe(to);
        const events = await eventsOf(fork?.session_id ?? '');
        const plain = events.filter(({ type }) => type !== 'branch_summary');
        expect(said(plain.slice(1))).toEqual(said(parent.slice(0, to + 1).filter(isInFork)));
        const summary = events.find((event) => event.type === 'branch_summary');
        if (summary !== undefined)
          expect(summary.data.limitations).toContain(
            'The log of that session is damaged: what follows the damaged line is left out.',
          );
      }
    }
  });

  it.each<[string, (lines: readonly string[], at: number) => readonly string[]]>([
    ['a line that does not belong there', (lines, at) => lines.toSpliced(at, 0, 'no event')],
    ['an empty line', (lines, at) => lines.toSpliced(at, 0, '')],
    ['a line that is there twice', (lines, at) => lines.toSpliced(at, 0, lines[at - 1] ?? '')],
    ['a line that is missing', (lines, at) => lines.toSpliced(at, 1)],
    [
      'two lines in the wrong order',
      (lines, at) => lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''),
    ],
    ['zeros that a power cut left', (lines, at) => lines.with(at, '\0'.repeat(4096) + (lines[at] ?? ''))],
    ['a torn tail', (lines, at) => [...lines.slice(0, at), (lines[at] ?? '').slice(0, 40)]],
  ])('takes what is before %s, and nothing behind it', async (_, damaged) => {
    await record(storeIn(root), [ROUNDS, TALK]);
    const parent = await eventsOf('s1');
    const lines = (await readFile(logPath(root), 'utf8')).trimEnd().split('\n');
    for (let at = 2; at < lines.length - 2; at += 4) {
      const log = damaged(lines, at).join('\n');
      await writeFile(logPath(root), damaged(lines, at).length > at + 1 ? `${log}\n` : log);
      const fork = await forkLog(storeIn(root), 's1', null, { summary: true });
      expect([at, fork?.forked_to_seq]).toEqual([at, at - 1]);
      const events = await eventsOf(fork?.session_id ?? '');
      expect(said(events.slice(1))).toEqual(said(parent.slice(0, at).filter(isInFork)));
      expect((await readFile(logPath(root), 'utf8')).startsWith(log)).toBe(true);
    }
  });

  it('takes nothing where its first line is damaged', async () => {
    await record(storeIn(root), [TALK]);
    const text = await readFile(logPath(root), 'utf8');
    await writeFile(logPath(root), text.replace('{', 'x'));
    expect(await forkLog(storeIn(root), 's1', null)).toBeNull();
  });
});

describe('a fork that is cut off', () => {
  it('by a power cut leaves no session or a whole one', { timeout: 60_000 }, async () => {
    const disk = new PowerCutDisk();
    await record(storeIn(root, { disk }), [ROUNDS, LARGE]);
    const after: PowerCutDisk[] = [];
    const watched = new WatchedDisk(disk, () => {
      after.push(disk.cutPower());
      return undefined;
    });
    const fork = await forkLog(storeIn(root, { disk: watched }), 's1', null, { summary: true });
    after.push(disk.cutPower());
    const whole = await lookAt(storeIn(root, { disk }), fork?.session_id);
    const found = new Set<number>();
    for (const cut of after) {
      const there = (await cut.list(`${root}/sessions`)).filter(
        (name) => name === `${fork?.session_id}.jsonl`,
      );
      if (there.length === 0) found.add(0);
      else {
        const { events, damage } = await lookAt(storeIn(root, { disk: cut }), fork?.session_id);
        expect({ damage, events: said(events) }).toEqual({ damage: [], events: said(whole.events) });
        found.add(events.length);
      }
    }
    expect(found).toEqual(new Set([0, whole.events.length]));
  });

  it.each(['append', 'sync', 'rename', 'open', 'read'] as const)(
    'by a disk that fails (%s) leaves no session behind, and the parent as it was',
    async (kind) => {
      await record(storeIn(root), [ROUNDS, LARGE]);
      const parent = await readFile(logPath(root));
      for (let n = 1; ; n += 1) {
        let calls = 0;
        const disk = new WatchedDisk(new NodeDisk(), (call) => {
          if (call.kind !== kind) return undefined;
          calls += 1;
          return calls === n ? { fail: 'other' } : undefined;
        });
        const work = forkLog(storeIn(root, { disk, warn: () => undefined }), 's1', null);
        const outcome = await work.catch((error: unknown) => error);
        expect(disk.held.size).toBe(0);
        expect(await readFile(logPath(root))).toEqual(parent);
        if (calls < n) return;
        const logs = (await readdir(`${root}/sessions`)).filter((name) => name.endsWith('.jsonl'));
        if (outcome instanceof DiskError) expect(logs).toEqual(['s1.jsonl']);
        else expect(logs.length).toBeLessThanOrEqual(n + 1);
      }
    },
  );
});
