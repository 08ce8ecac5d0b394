import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { forkLog } from '../../src/storage/fork-log.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SessionList, type SessionRow } from '../../src/storage/session-list.ts';
import { call, responds, text, HANG, fails } from '../support/scripted-provider.ts';
import { beginChildren, childOf, recordChild } from './child-log.ts';
import { openSession, record, STOPPED, TALK } from './recorded-session.ts';
import { freshFolder, logPath, processOf, readLog, storeIn, storePorts } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

const TIME = '2026-01-01T00:00:00.000Z';
let root = '';

beforeEach(async () => {
  root = freshFolder();
  await mkdir(`${root}/sessions`, { recursive: true });
});

function cachePath(): string {
  return `${root}/session-list.json`;
}

function listed(ports: Parameters<typeof storePorts>[0] = {}): Promise<readonly SessionRow[]> {
  return new SessionList(storePorts(ports), root).list();
}

async function row(id: string, facts: Partial<SessionRow>): Promise<SessionRow> {
  const size = (await readLog(root, id)).length;
  return {
    session_id: id,
    title: '',
    parent: null,
    fork: null,
    state: null,
    created_at: TIME,
    updated_at: TIME,
    size,
    problem: null,
    ...facts,
  };
}

async function problems(rows: Promise<readonly SessionRow[]>): Promise<unknown> {
  return Object.fromEntries((await rows).map(({ session_id, problem }) => [session_id, problem]));
}

/** Bytes read of logs by one listing. */
async function bytesRead(): Promise<number> {
  let bytes = 0;
  const disk = new WatchedDisk(new NodeDisk(), (one) => {
    if (one.kind === 'read' && one.path.endsWith('.jsonl')) bytes += one.bytes;
    return undefined;
  });
  await listed({ disk });
  return bytes;
}

describe('the list of sessions', () => {
  it('has the title, state and times of each', async () => {
    await record(storeIn(root), [{ ...TALK, say: '  First line 🎉\nsecond line' }, STOPPED], 'two');
    await record(storeIn(root), [{ ...TALK, say: 'x'.repeat(40_000) }], 'long');
    await record(storeIn(root), [{ say: 'f', scripts: [[text('a'), fails('server_error')]] }], 'failed');
    expect(new Set(await listed())).toEqual(
      new Set([
        await row('two', { title: 'First line 🎉', state: 'interrupted' }),
        await row('long', { title: `${'x'.repeat(79)}…`, state: 'completed' }),
        await row('failed', { title: 'f', state: 'partial_failed' }),
      ]),
    );
  });

  it('is empty where there is nothing, and makes nothing there', async () => {
    await rm(root, { recursive: true });
    expect(await listed()).toEqual([]);
    expect(existsSync(root)).toBe(false);
  });

  it('says running only while a live writer has the session', async () => {
    const shown = Promise.withResolvers<void>();
    const alive = new Set([1]);
    const ready = await openSession(storeIn(root, { processes: processOf(1, alive) }), 's1', (output) => {
      if (output.kind === 'text_delta') shown.resolve();
    });
    const playing = ready.play({ say: 'go', scripts: [[text('…'), HANG]] });
    await shown.promise;
    expect(await listed()).toEqual([await row('s1', { title: 'go', state: 'running' })]);
    expect(await listed({ processes: processOf(2) })).toEqual([
      await row('s1', { title: 'go', state: 'interrupted' }),
    ]);
    await ready.session.stop('user_cancelled');
    await playing;
    await ready.close();
    expect(await listed()).toEqual([await row('s1', { title: 'go', state: 'interrupted' })]);
  });

  it('reads only what changed, and of that only head and tail', async () => {
    await record(storeIn(root), [TALK], 'a');
    await record(storeIn(root), [TALK], 'b');
    expect(await bytesRead()).toBeGreaterThan(0);
    expect(await bytesRead()).toBe(0);
    await record(storeIn(root), [TALK], 'a');
    const size = (await readLog(root, 'a')).length;
    expect(await bytesRead()).toBeLessThanOrEqual(2 * size);

    const lines = (await readLog(root, 'a')).toString().trimEnd().split('\n');
    const middle = JSON.stringify({ ...JSON.parse(lines[3]!), type: 'later', data: 'x'.repeat(1000) });
    await writeFile(logPath(root, 'big'), [...lines, ...Array(20_000).fill(middle), ...lines, ''].join('\n'));
    expect(await bytesRead()).toBeLessThan(200_000);
  });

  it('finds the state of a turn that is longer than the tail that is read', async () => {
    const rounds = Array.from({ length: 3 }, (_, n) =>
      responds(call(`c${n}`, 'dump', { path: 'a'.repeat(9000) })),
    );
    await record(storeIn(root), [{ say: 'long', scripts: [...rounds, ...TALK.scripts] }]);
    const lines = (await readLog(root)).toString().split('\n');
    const middle = JSON.stringify({ ...JSON.parse(lines[3]!), type: 'later', data: 'x'.repeat(1_000_000) });
    const long = [...lines.slice(0, 4), ...Array(20).fill(middle), ...lines.slice(4)];
    await writeFile(logPath(root), long.join('\n'));
    expect(await listed()).toEqual([await row('s1', { title: 'long', state: 'completed' })]);
  });

  it('lists what is damaged, unreadable or empty, and says so', async () => {
    await record(storeIn(root), [TALK], 'good');
    const lines = (await readLog(root, 'good')).toString();
    await writeFile(logPath(root, 'damaged'), lines.replace('"seq":0', '"seq":-1'));
    await writeFile(logPath(root, 'garbage'), Buffer.from([0, 255, 10, 254]));
    await writeFile(logPath(root, 'empty'), '');
    await mkdir(logPath(root, 'folder'));
    const rows = new Map((await listed()).map((one) => [one.session_id, one]));
    expect(rows.get('damaged')).toEqual(
      await row('damaged', { title: TALK.say, state: 'completed', problem: 'The log is damaged: no seq.' }),
    );
    expect(rows.get('garbage')).toMatchObject({
      title: '',
      state: null,
      problem: 'The log is damaged: not valid UTF-8.',
    });
    expect(rows.get('empty')).toMatchObject({ title: '', state: null, size: 0, problem: null });
    expect(rows.get('folder')?.problem).toMatch(/^The log cannot be read: /);
    expect(rows.size).toBe(5);
  });

  it('lists by its id what the disk does not give, and looks at it again each time', async () => {
    await record(storeIn(root), [TALK], 'good');
    await record(storeIn(root), [TALK], 'locked');
    await symlink(logPath(root, 'loop'), logPath(root, 'loop'));
    let locked = true;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) =>
      locked && kind === 'open' && path === logPath(root, 'locked') ? { fail: 'denied' } : undefined,
    );
    const list = new SessionList(storePorts({ disk }), root);
    const unreadable = expect.stringMatching(/^The log cannot be read: /);
    expect(await problems(list.list())).toEqual({ good: null, locked: unreadable, loop: unreadable });
    locked = false;
    const mended = { good: null, locked: null, loop: unreadable };
    expect(await problems(listed()), 'in another process').toEqual(mended);
    expect(await problems(list.list(new Set(['good'])))).toEqual(mended);
  });

  it('keeps what was found damaged in the middle of a log, until the log changes', async () => {
    await record(storeIn(root), [TALK], 'a');
    await record(storeIn(root), [TALK], 'b');
    const damage = 'Line 7 of the log is damaged (x).';
    const list = new SessionList(storePorts(), root);
    await list.noteDamage('a', damage);
    await list.noteDamage('gone', damage);
    for (const rows of [await list.list(), await listed()])
      expect(new Map(rows.map((one) => [one.session_id, one.problem]))).toEqual(
        new Map([
          ['a', damage],
          ['b', null],
        ]),
      );
    await list.noteDamage('a', null);
    expect((await listed()).map((one) => one.problem)).toEqual([null, null]);
    await list.noteDamage('a', damage);
    await writeFile(logPath(root, 'a'), `${(await readLog(root, 'a')).toString()}\n`);
    expect((await listed()).find((one) => one.session_id === 'a')?.problem).not.toBe(damage);
  });

  it('takes a time that was not yet for the time of the file', async () => {
    await record(storeIn(root), [TALK], 'ahead');
    await record(storeIn(root), [TALK], 'b');
    const lines = (await readLog(root, 'ahead')).toString();
    await writeFile(logPath(root, 'ahead'), lines.replaceAll('"ts":"2026', '"ts":"2099'));
    const [ahead, b] = [Date.UTC(2026, 0, 1) / 1000, Date.UTC(2026, 0, 2) / 1000];
    await utimes(logPath(root, 'ahead'), ahead, ahead);
    await utimes(logPath(root, 'b'), b, b);
    const rows = new Map((await listed()).map((one) => [one.session_id, one.updated_at]));
    expect(rows.get('ahead')).toBe(TIME);
    expect(rows.get('b')).toBe(TIME);
  });

  it('ignores what is not a log', async () => {
    await record(storeIn(root), [TALK], 'a');
    for (const name of ['a.torn-1', 'a.lease', 'a.mark', 'a.stream', 'notes.txt', '.jsonl', 'b.jsonl.tmp'])
      await writeFile(`${root}/sessions/${name}`, 'x');
    expect((await listed()).map((one) => one.session_id)).toEqual(['a']);
  });
});

describe('children in the list', () => {
  it('say whose they are, from the first line of their log', async () => {
    await record(storeIn(root), [{ ...TALK, say: 'Fix it' }], 'parent');
    const child = { id: 'child', of: 'parent', agent: 'worker', task: 'Find the test' };
    await recordChild(storeIn(root), child);
    expect(new Set(await listed())).toEqual(
      new Set([
        await row('parent', { title: 'Fix it', state: 'completed' }),
        await row('child', { title: 'Find the test', state: 'completed', parent: childOf(child) }),
      ]),
    );
    // Also by the cache alone, which a second look reads.
    expect((await listed()).find((one) => one.session_id === 'child')?.parent).toEqual(childOf(child));
    expect(await bytesRead()).toBe(0);
  });

  it('have no parent that could not be a session', async () => {
    await recordChild(storeIn(root), { id: 'child', of: '../elsewhere' });
    expect((await listed()).map((one) => one.parent)).toEqual([null]);
  });

  it('are not those that were forked from a child', async () => {
    await recordChild(storeIn(root), { id: 'child', of: 'parent' });
    const fork = await forkLog(storeIn(root), 'child', null);
    const forked = (await listed()).find((one) => one.session_id === fork?.session_id);
    expect(forked?.parent).toBeNull();
    expect(forked?.fork).toEqual({ session_id: 'child', to_seq: fork?.forked_to_seq });
  });

  it('are read once, however many one parent has', async () => {
    const children = Array.from({ length: 1000 }, (_, n) => ({ id: `c${n}`, of: 'parent' }));
    await record(storeIn(root), [TALK], 'parent');
    await beginChildren(storeIn(root), children);
    let opened = 0;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) => {
      if (kind === 'open' && path.endsWith('.jsonl')) opened += 1;
      return undefined;
    });
    const list = new SessionList(storePorts({ disk }), root);
    expect((await list.list()).filter((one) => one.parent?.session_id === 'parent')).toHaveLength(1000);
    expect(opened).toBe(1001);
    // One of them goes on: neither its parent nor the others are read for that.
    await record(storeIn(root), [TALK], 'c7');
    expect(await list.list(new Set(['c7']))).toHaveLength(1001);
    expect(opened).toBe(1002);
    expect(await new SessionList(storePorts({ disk }), root).list()).toHaveLength(1001);
    expect(opened).toBe(1003);
  });
});

describe('the cache of the list', () => {
  it.each([
    ['deleted', () => rm(cachePath())],
    ['garbage', () => writeFile(cachePath(), '{"v":3,"rows":[')],
    ['of another version', () => writeFile(cachePath(), '{"v":9,"rows":[]}')],
    ['full of nonsense', () => writeFile(cachePath(), '{"v":3,"rows":[null,{"row":{}},7]}')],
    ['of sessions that are gone', () => rm(logPath(root, 'gone'))],
  ])('when it is %s nothing is lost', async (_, harm) => {
    for (const id of ['a', 'gone']) await record(storeIn(root), [TALK], id);
    const before = await listed();
    await harm();
    const here = await readdir(`${root}/sessions`);
    expect(await listed()).toEqual(before.filter((one) => here.includes(`${one.session_id}.jsonl`)));
    expect(JSON.parse(await readFile(cachePath(), 'utf8'))).toMatchObject({ v: 4 });
  });

  it('that cannot be kept is only a warning', async () => {
    await record(storeIn(root), [TALK], 'a');
    const warnings: string[] = [];
    const disk = new WatchedDisk(new NodeDisk(), ({ kind }) =>
      kind === 'rename' ? { fail: 'denied' } : undefined,
    );
    const rows = await listed({ disk, warn: (message) => void warnings.push(message) });
    expect({ rows: rows.length, warnings: warnings.length }).toEqual({ rows: 1, warnings: 1 });
    expect(await readdir(root)).not.toContainEqual(expect.stringMatching(/tmp$/));
  });

  it('stays whole when several write it at once', async () => {
    for (const id of ['a', 'b', 'c']) await record(storeIn(root), [TALK], id);
    const expected = await listed();
    for (let round = 0; round < 20; round += 1) {
      await rm(cachePath(), { force: true });
      const lists = await Promise.all(Array.from({ length: 6 }, () => listed()));
      expect(lists).toEqual(lists.map(() => expected));
      expect(JSON.parse(await readFile(cachePath(), 'utf8'))).toMatchObject({ v: 4 });
    }
    expect((await readdir(root)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
