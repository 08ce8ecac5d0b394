import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { NO_QUERY, type SearchQuery } from '../../src/runtime/search/query.ts';
import { searchSessions, type SearchFound, type SearchOptions } from '../../src/storage/session-search.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { Child, folderOnDisk } from './child-process.ts';
import { FAILURE, record, ROUNDS, STOPPED, TALK } from './recorded-session.ts';
import { freshFolder, logPath, storeIn, storePorts } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

let root = '';

beforeEach(() => {
  root = freshFolder();
});

type Asked = Partial<SearchQuery> & { readonly options?: Partial<SearchOptions> };

function searching({ options, ...query }: Asked, disk = new WatchedDisk(new NodeDisk(), () => undefined)) {
  return searchSessions(storePorts({ disk }), root, {
    query: { ...NO_QUERY, ...query },
    session_ids: ['s1'],
    most_each: 100,
    most_hits: 100,
    signal: new AbortController().signal,
    hasWriter: async () => false,
    ...options,
  });
}

async function found(asked: Asked): Promise<readonly SearchFound[]> {
  const all: SearchFound[] = [];
  for await (const one of searching(asked)) all.push(one);
  return all;
}

/** Which turns, by what they were asked for, and how they ended. */
async function turns(asked: Asked): Promise<readonly string[]> {
  return (await found(asked)).map((one) =>
    one.kind === 'hit' ? `${one.prompt ?? one.where}: ${one.state ?? 'unknown'}` : one.kind,
  );
}

const ALL = [
  'talk on: interrupted',
  'fail: partial_failed',
  'Grüße, ändere das: completed',
  'Grüße, wie geht es?: completed',
];

describe('filters', () => {
  beforeEach(async () => {
    await record(storeIn(root), [TALK, ROUNDS, FAILURE, STOPPED]);
  });

  it('alone give the turns that pass, the last first', async () => {
    expect(await turns({ states: ['completed', 'interrupted', 'partial_failed'] })).toEqual(ALL);
    expect(await turns({ states: ['partial_failed'] })).toEqual(ALL.slice(1, 2));
    expect(await turns({ states: ['failed', 'timed_out', 'waiting', 'running'] })).toEqual([]);
    expect(await turns({ tools: ['READ'] })).toEqual(ALL.slice(2, 3));
    expect(await turns({ files: ['*.ts'] })).toEqual(ALL.slice(2, 3));
    expect(await turns({ files: ['A.TS'], tools: ['ru*'], states: ['completed'] })).toEqual(ALL.slice(2, 3));
    expect(await turns({ files: ['a.ts'], tools: ['dump'] })).toEqual([]);
  });

  it('and words have to fit the same turn, though not the same event', async () => {
    expect(await turns({ terms: ['grüße'], tools: ['read'] })).toEqual(ALL.slice(2, 3));
    expect(await turns({ terms: ['grüße', 'done'] })).toEqual(ALL.slice(2, 3));
    expect(await turns({ terms: ['grüße', 'half of'] })).toEqual([]);
    expect(await turns({ terms: ['geht'], states: ['interrupted'] })).toEqual([]);
  });

  it('by date go by when a turn was asked', async () => {
    const events = (await readFile(logPath(root), 'utf8')).trimEnd().split('\n');
    let day = 0;
    const dated = events.map((line) => {
      if (line.includes('"type":"user_message"')) day += 1;
      return line.replace(/"ts":"[^"]*"/, `"ts":"2026-11-0${day}T12:00:00.000Z"`);
    });
    await writeFile(logPath(root), `${dated.join('\n')}\n`);
    expect(await turns({ from_ms: Date.UTC(2026, 10, 2), to_ms: Date.UTC(2026, 10, 4) })).toEqual(
      ALL.slice(1, 3),
    );
    expect(await turns({ terms: ['grüße'], to_ms: Date.UTC(2026, 10, 2) })).toEqual(ALL.slice(3));
  });

  it('that speak of turns leave out names, and lines of no turn', async () => {
    const titles = new Map([['s1', 'Grüße']]);
    const wheres = async (asked: Asked): Promise<readonly string[]> =>
      (await found({ ...asked, options: { titles } })).flatMap((one) =>
        one.kind === 'hit' ? [one.where] : [],
      );
    expect(await wheres({ terms: ['grüße'] })).toEqual(['title', 'prompt', 'prompt']);
    expect(await wheres({ terms: ['grüße'], states: ['completed'] })).toEqual(['prompt', 'prompt']);
  });
});

async function append(type: string, data: object, seq: number): Promise<void> {
  const ts = '2026-11-17T00:00:00.000Z';
  await appendFile(
    logPath(root),
    `${JSON.stringify({ v: 1, id: `e${seq}`, session_id: 's1', seq, ts, type, data })}\n`,
  );
}

describe('a turn that is not over', () => {
  const OPEN = [
    'user_message',
    { turn_id: 't9', text: 'go on', client_turn_id: 'c9', attachments: [] },
  ] as const;

  it('runs only while somebody holds its log, and never when another turn came after it', async () => {
    await record(storeIn(root), [TALK]);
    await append(...OPEN, 50);
    const written = { hasWriter: async () => true };
    expect(await turns({ terms: ['go on'], options: written })).toEqual(['go on: running']);
    expect(await turns({ terms: ['go on'] })).toEqual(['go on: interrupted']);
    expect(await turns({ states: ['running'], options: written })).toEqual(['go on: running']);
    await append('user_message', { ...OPEN[1], turn_id: 't10', text: 'and on', client_turn_id: 'c10' }, 51);
    expect(await turns({ terms: ['go on'], options: written })).toEqual(['go on: interrupted']);
    expect(await turns({ states: ['running'], options: written })).toEqual(['and on: running']);
  });

  it('is looked for at the end of a log alone', async () => {
    await record(storeIn(root), [TALK]);
    await appendFile(logPath(root), (await readFile(logPath(root), 'utf8')).repeat(2000));
    let read = 0;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, bytes }) => {
      if (kind === 'read') read += bytes;
      return undefined;
    });
    for await (const one of searching({ states: ['waiting'] }, disk)) expect(one).toBeNull();
    expect(read).toBeLessThan(2 * 512 * 1024 + 1);
  });
});

/** An answer of a turn, on a day of January. */
function answer(seq: number, day: number): string {
  const data = { turn_id: 't', stream_run_id: 'r', text: 'needle', metadata: { partial: false } };
  const ts = new Date(Date.UTC(2026, 0, day)).toISOString();
  return `${JSON.stringify({ v: 1, id: `e${seq}`, session_id: 's1', seq, ts, type: 'assistant_message', data })}\n`;
}

describe('a log that is read from its end', () => {
  const FILLER = `${JSON.stringify({ v: 1, id: 'e', session_id: 's1', seq: 0, ts: '2026-01-01T00:00:00.000Z', type: 'diagnostic', data: { code: 'x', message: 'y'.repeat(900), details: {}, next_actions: [] } })}\n`;

  it('answers with its last turn before the rest of it was read', async () => {
    await record(storeIn(root), [TALK]);
    const turn = await readFile(logPath(root), 'utf8');
    await writeFile(logPath(root), `${turn}${FILLER.repeat(12_000)}${turn}`);
    let read = 0;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, bytes }) => {
      if (kind === 'read') read += bytes;
      return undefined;
    });
    const seen: number[] = [];
    const progress: number[] = [];
    const options = { progress: (bytes: number) => void progress.push(bytes) };
    for await (const one of searching({ terms: ['gut'], options }, disk)) {
      expect(one.kind).toBe('hit');
      seen.push(read);
    }
    const { length } = await readFile(logPath(root));
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBeLessThan(length / 5);
    expect(seen[1]).toBeGreaterThanOrEqual(length);
    expect(progress.at(-1)).toBe(length);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  });

  it('is not read where all of it is too old, or too new', async () => {
    await record(storeIn(root), [TALK]);
    const turn = (await readFile(logPath(root), 'utf8')).replaceAll(
      /"ts":"[^"]*"/g,
      '"ts":"2026-01-01T00:00:00.000Z"',
    );
    await writeFile(logPath(root), `${turn}${FILLER.repeat(6000)}${turn}`);
    let read = 0;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, bytes }) => {
      if (kind === 'read') read += bytes;
      return undefined;
    });
    for await (const one of searching({ from_ms: Date.UTC(2026, 5, 1) }, disk)) expect(one).toBeNull();
    for await (const one of searching({ to_ms: Date.UTC(2025, 5, 1) }, disk)) expect(one).toBeNull();
    expect(read).toBeLessThan(3 * 512 * 1024);
  });

  it('names lines that are no events: torn, damaged, of a later version', async () => {
    await record(storeIn(root), [TALK]);
    await appendFile(logPath(root), '{"v":1,"text":"half of a Needle\n');
    await appendFile(
      logPath(root),
      `${FILLER.replace('"v":1', '"v":7').replace('yyy', 'a needle ')}{"v":1,"te needle`,
    );
    const wheres = (await found({ terms: ['NEEDLE'] })).map((one) =>
      one.kind === 'hit' ? one.where : one.kind,
    );
    expect(wheres).toEqual(['torn', 'unknown', 'damaged']);
    expect((await found({ terms: ['needle'], states: ['completed'] })).length).toBe(3);
    expect(await found({ terms: ['needle'], states: ['failed'] })).toEqual([]);
  });

  it('gives of a turn whose prompt is damaged the first place that is in time', async () => {
    await record(storeIn(root), [TALK]);
    await writeFile(
      logPath(root),
      `{"v":1,"type":"user_message"\n${answer(1, 1)}${answer(2, 3)}${answer(3, 5)}`,
    );
    const places = (await found({ terms: ['needle'], from_ms: Date.UTC(2026, 0, 2) })).map((one) =>
      one.kind === 'hit' ? one.seq : one.kind,
    );
    expect(places).toEqual([2]);
  });

  it('is left at once when it is called off', async () => {
    await record(storeIn(root), [TALK]);
    await appendFile(logPath(root), FILLER.repeat(20_000));
    const stop = new AbortController();
    let reads = 0;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind }) => {
      if (kind !== 'read') return undefined;
      reads += 1;
      if (reads === 3) stop.abort();
      return undefined;
    });
    for await (const one of searching({ terms: ['gut'], options: { signal: stop.signal } }, disk))
      expect(one).toBeNull();
    expect({ reads: reads <= 4, held: disk.held.size }).toEqual({ reads: true, held: 0 });
  });
});

it('a log is searched while another process writes to it', { timeout: 60_000 }, async () => {
  root = folderOnDisk();
  await record(storeIn(root), [TALK, FAILURE]);
  const child = new Child(root, 1);
  child.order('open s1');
  await child.hears('acquired');
  child.order('write');
  for (let round = 1; round <= 10; round += 1) {
    await child.lines(1 + round * 10);
    expect(await turns({ terms: ['gut'] })).toEqual(['Grüße, wie geht es?: completed']);
    expect(await turns({ states: ['partial_failed'] })).toEqual(['fail: partial_failed']);
  }
  child.kill('SIGKILL');
  await child.ended;
});
