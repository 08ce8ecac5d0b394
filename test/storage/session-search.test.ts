import { appendFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { searchSessions, type SearchHit } from '../../src/storage/session-search.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { call, fails, message, responds, text } from '../support/scripted-provider.ts';
import { LARGE, record, TALK } from './recorded-session.ts';
import { freshFolder, logPath, storeIn, storePorts } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

let root = '';

beforeEach(() => {
  root = freshFolder();
});

async function search(
  words: string,
  options: { ids?: readonly string[]; most?: number; signal?: AbortSignal } = {},
): Promise<readonly SearchHit[]> {
  const { ids = ['s1'], most = 100, signal = new AbortController().signal } = options;
  const hits: SearchHit[] = [];
  const asked = { text: words, session_ids: ids, most_hits: most, signal };
  for await (const hit of searchSessions(storePorts(), root, asked)) hits.push(hit);
  return hits;
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

  it('finds what is in bodies outside of the log', async () => {
    await record(storeIn(root), [LARGE, { ...TALK, say: `${'x'.repeat(50_000)} needle in a blob` }]);
    expect(told(await search('Needle in'))).toEqual([`prompt: …${'x'.repeat(59)} [needle in] a blob`]);
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
    const asked = { text: 'gut', session_ids: ['a', 'b'], most_hits: 9, signal: stop.signal };
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
      text: 'nowhere',
      session_ids: ['s1'],
      most_hits: 9,
      signal: new AbortController().signal,
    };
    for await (const hit of searchSessions(storePorts({ disk }), root, asked)) expect(hit).toBeNull();
    expect(largest).toBeLessThanOrEqual(512 * 1024);
  });
});
