import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KnownEvent } from '../../src/runtime/events.ts';
import { NO_QUERY } from '../../src/runtime/search/query.ts';
import { Blobs } from '../../src/storage/blobs.ts';
import { lineOf } from '../../src/storage/bodies.ts';
import { searchSessions, type SearchFound, type SearchHit } from '../../src/storage/session-search.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { call, fails, message, responds, text } from '../support/scripted-provider.ts';
import { LARGE, record, TALK } from './recorded-session.ts';
import { freshFolder, logPath, storeIn, storePorts } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

let root = '';
const hasWriter = async (): Promise<boolean> => false;

beforeEach(() => {
  root = freshFolder();
});

interface Asked {
  readonly ids?: readonly string[];
  readonly titles?: ReadonlyMap<string, string>;
  readonly most?: number;
  readonly each?: number;
  readonly ports?: Parameters<typeof storePorts>[0];
}

async function found(words: string, options: Asked = {}): Promise<readonly SearchFound[]> {
  const { ids = ['s1'], titles = new Map<string, string>(), most = 100, each = 100, ports } = options;
  const { signal } = new AbortController();
  const asked = {
    query: { ...NO_QUERY, terms: [words] },
    hasWriter,
    session_ids: ids,
    titles,
    most_each: each,
    most_hits: most,
    signal,
  };
  const all: SearchFound[] = [];
  for await (const one of searchSessions(storePorts(ports), root, asked)) all.push(one);
  return all;
}

async function search(words: string, options: Asked = {}): Promise<readonly SearchHit[]> {
  return (await found(words, options)).filter((one) => one.kind === 'hit');
}

function told(hits: readonly SearchHit[]): readonly string[] {
  return hits.map(({ where, excerpt: { before, match, after } }) => `${where}: ${before}[${match}]${after}`);
}

const WORK = {
  say: 'Fix the Login test',
  scripts: [
    responds(call('c1', 'run', { path: 'echo "half\tdone" > Übung.txt' })),
    responds(message('The clock was wrong.')),
  ],
};

describe('searching in all text', () => {
  it('finds prompts, answers, arguments and failures, whatever the case', async () => {
    await record(storeIn(root), [WORK, { say: 'And then?', scripts: [[text('a'), fails('server_error')]] }]);
    expect(told(await search('LOGIN'))).toEqual(['prompt: Fix the [Login] test']);
    expect(told(await search('clock WAS'))).toEqual(['answer: The [clock was] wrong.']);
    expect(told(await search('"HALF\tdone" > übung'))).toEqual(['call: echo ["half done" > Übung].txt']);
    expect((await search('and then'))[0]).toMatchObject({ where: 'prompt', session_id: 's1' });
  });

  it('marks what was found, also after characters whose lower case is longer than they are', async () => {
    await record(storeIn(root), [{ ...TALK, say: 'İİİ 😀 İstanbul is far' }]);
    expect(told(await search('is far'))).toEqual(['prompt: İİİ 😀 İstanbul [is far]']);
    expect(told(await search('İSTAN'))).toEqual(['prompt: İİİ 😀 [İstan]bul is far']);
    expect(told(await search('😀 '))).toEqual(['prompt: İİİ [😀 ]İstanbul is far']);
  });

  it('finds nothing in what is only the form of the log', async () => {
    await record(storeIn(root), [WORK]);
    for (const words of ['user_message', 'client_turn_id', '"seq"', 'session_id', 'natural_end'])
      expect(await search(words)).toEqual([]);
  });

  it('gives each turn once, in the order of the sessions', async () => {
    await record(storeIn(root), [TALK, { ...TALK, say: 'gut, gut, GUT' }], 'a');
    await record(storeIn(root), [TALK], 'b');
    const hits = await search('gut', { ids: ['b', 'a', 'gone'] });
    expect(hits.map((hit) => hit.session_id)).toEqual(['b', 'a', 'a']);
    expect(new Set(hits.map((hit) => hit.turn_id)).size).toBe(3);
    expect((await search('gut', { ids: ['b', 'a'], most: 2 })).length).toBe(2);
  });

  it('gives the last places of a session and counts the others, so that there is room for the next', async () => {
    const many = Array.from({ length: 5 }, (_, n) => ({ ...TALK, say: `gut ${n}` }));
    await record(storeIn(root), many, 'a');
    await record(storeIn(root), [TALK], 'b');
    const all = await found('gut', { ids: ['a', 'b'], each: 2, most: 3 });
    expect(all.map((one) => (one.kind === 'hit' ? [one.session_id, one.excerpt.after] : one))).toEqual([
      ['a', ' 4'],
      ['a', ' 3'],
      { kind: 'more', session_id: 'a', count: 3 },
      ['b', expect.any(String)],
    ]);
  });

  it('says which sessions could not be read', async () => {
    for (const id of ['a', 'b', 'c']) await record(storeIn(root), [TALK], id);
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) =>
      (kind === 'open' && path.endsWith('a.jsonl')) || (kind === 'read' && path.endsWith('b.jsonl'))
        ? { fail: 'denied' }
        : undefined,
    );
    const all = await found('gut', { ids: ['a', 'b', 'c'], ports: { disk, warn } });
    expect(all.map(({ kind, session_id }) => [kind, session_id])).toEqual([
      ['unreadable', 'a'],
      ['unreadable', 'b'],
      ['hit', 'c'],
    ]);
    expect({ warnings: warnings.length, held: disk.held.size }).toEqual({ warnings: 2, held: 0 });
  });

  it('finds given names, thoughts and the reasons of decisions', async () => {
    const thought = {
      id: 'r',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'The lock is rusty' }],
    };
    await record(storeIn(root), [
      { say: 'Think', scripts: [responds({ kind: 'reasoning', item: thought }, message('Done.'))] },
    ]);
    const decided = { turn_id: 't', decision_id: 'd', target_id: 'c', action: 'cancel', decided_by: 'user' };
    const line = { v: 1, id: 'e', session_id: 's1', seq: 99, ts: '', type: 'tool_call_decision' };
    const data = { ...decided, reason: 'Far too dangerous' };
    await appendFile(logPath(root), `${JSON.stringify({ ...line, data })}\n`);
    expect(told(await search('RUSTY'))).toEqual(['reasoning: The lock is [rusty]']);
    expect(told(await search('dangerous'))).toEqual(['decision: Far too [dangerous]']);
    const titles = new Map([['s1', 'My old lock']]);
    expect(told(await search('lock', { titles }))).toEqual([
      'title: My old [lock]',
      'reasoning: The [lock] is rusty',
    ]);
  });

  it('finds what was compacted where it was said, and what a checkpoint says as a checkpoint', async () => {
    await record(storeIn(root), [WORK, { ...TALK, say: 'And then?' }]);
    const { length } = (await readFile(logPath(root), 'utf8')).trimEnd().split('\n');
    const line = { v: 1, id: 'e', session_id: 's1', seq: length, ts: '', type: 'history_compaction' };
    const range = { from_seq: 0, to_seq: length - 1 };
    const data = {
      trigger: 'manual',
      strategy: 'deterministic_v1',
      range,
      tail_from_seq: length,
      summary: `${'So far. '.repeat(6000)}The Login test failed for its clock.`,
      limitations: ['Outputs are not repeated.'],
    };
    const ports = storePorts();
    const blobs = new Blobs(ports.disk, `${root}/blobs`, ports.hasher, ports.ids);
    await appendFile(logPath(root), await lineOf({ ...line, data } as KnownEvent, blobs));
    await record(storeIn(root), [{ ...TALK, say: 'Later' }]);
    const [then] = await search('and then');
    expect((await search('login')).map(({ where, turn_id, seq }) => [where, turn_id, seq])).toEqual([
      ['checkpoint', then?.turn_id, length],
      ['prompt', expect.any(String), expect.any(Number)],
    ]);
    expect((await search('clock was')).map(({ where, prompt }) => [where, prompt])).toEqual([
      ['answer', 'Fix the Login test'],
    ]);
    expect((await search('not repeated')).map(({ where, prompt }) => [where, prompt])).toEqual([
      ['checkpoint', null],
    ]);
  });

  it('tells what the turn of a place was asked for, however far before it that was', async () => {
    const filler = `${JSON.stringify({ v: 1, id: 'e', session_id: 's1', seq: 0, ts: '', type: 'later', data: { text: 'y'.repeat(900) } })}\n`;
    await record(storeIn(root), [{ ...TALK, say: 'Earlier' }, WORK]);
    const lines = (await readFile(logPath(root), 'utf8')).split('\n');
    const answer = lines.findIndex((one) => one.includes('The clock was wrong.'));
    const long = [
      ...lines.slice(0, answer),
      `${filler.repeat(1500)}${lines[answer]}`,
      ...lines.slice(answer + 1),
    ];
    await writeFile(logPath(root), long.join('\n'));
    expect((await search('clock was')).map((hit) => hit.prompt)).toEqual(['Fix the Login test']);
    expect((await search('login')).map((hit) => hit.prompt)).toEqual(['Fix the Login test']);
  });

  it('finds what is in bodies outside of the log', async () => {
    await record(storeIn(root), [LARGE, { ...TALK, say: `${'x'.repeat(50_000)} needle in a blob` }]);
    expect(told(await search('Needle in'))).toEqual([`prompt: …${'x'.repeat(59)} [needle in] a blob`]);
  });

  it('goes on behind a body that the disk does not give, and says that it was not read', async () => {
    await record(storeIn(root), [TALK, { ...TALK, say: `Head ${'x'.repeat(50_000)} needle` }]);
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) =>
      kind === 'open' && path.includes('/blobs/') ? { fail: 'other' } : undefined,
    );
    const all = await found('e', { ports: { disk } });
    expect(all.map((one) => (one.kind === 'hit' ? one.where : one.kind))).toEqual([
      'prompt',
      'prompt',
      'unreadable',
    ]);
    expect((await found('needle', { ports: { disk } })).map(({ kind }) => kind)).toEqual(['unreadable']);
  });

  it('reads no body that is larger than any line, and says so', { timeout: 60_000 }, async () => {
    await record(storeIn(root), [TALK, { ...TALK, say: `Head ${'x'.repeat(50_000)} needle` }]);
    const [name = ''] = await readdir(`${root}/blobs`);
    await truncate(`${root}/blobs/${name}`, 300 * 1024 * 1024);
    let read = 0;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, bytes }) => {
      if (kind === 'read') read += bytes;
      return undefined;
    });
    expect((await found('head xx', { ports: { disk } })).map(({ kind }) => kind)).toEqual([
      'hit',
      'too_long',
    ]);
    expect(read).toBeLessThan(1024 * 1024);
  });

  it('shows a damaged line that has the words', async () => {
    await record(storeIn(root), [TALK]);
    await appendFile(logPath(root), '{"v":1,"text":"half of a Needle\n');
    expect(await search('needle')).toEqual([
      expect.objectContaining({ where: 'damaged', turn_id: null, seq: null }),
    ]);
  });

  it('ends when it is called off, and holds no file open', async () => {
    for (const id of ['a', 'b']) await record(storeIn(root), [TALK], id);
    const stop = new AbortController();
    const disk = new WatchedDisk(new NodeDisk(), () => undefined);
    const query = { ...NO_QUERY, terms: ['gut'] };
    const asked = {
      query,
      hasWriter,
      session_ids: ['a', 'b'],
      most_each: 9,
      most_hits: 9,
      signal: stop.signal,
    };
    const hits: string[] = [];
    for await (const hit of searchSessions(storePorts({ disk }), root, asked)) {
      hits.push(hit.session_id);
      stop.abort();
    }
    expect({ hits, held: disk.held.size }).toEqual({ hits: ['a'], held: 0 });
  });

  it('reads a large log a piece at a time', async () => {
    await record(storeIn(root), [TALK]);
    const filler = `${JSON.stringify({ v: 1, id: 'e', session_id: 's1', seq: 0, ts: '', type: 'later', data: { text: 'y'.repeat(900) } })}\n`;
    await appendFile(logPath(root), filler.repeat(6000));
    let largest = 0;
    const disk = new WatchedDisk(new NodeDisk(), ({ bytes }) => {
      largest = Math.max(largest, bytes);
      return undefined;
    });
    const asked = {
      query: { ...NO_QUERY, terms: ['nowhere'] },
      hasWriter,
      session_ids: ['s1'],
      most_each: 9,
      most_hits: 9,
      signal: new AbortController().signal,
    };
    for await (const hit of searchSessions(storePorts({ disk }), root, asked)) expect(hit).toBeNull();
    expect(largest).toBeLessThanOrEqual(512 * 1024);
  });
});
