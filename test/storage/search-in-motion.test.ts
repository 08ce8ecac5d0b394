import { appendFileSync, truncateSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { NO_QUERY } from '../../src/runtime/search/query.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { searchSessions, type SearchFound } from '../../src/storage/session-search.ts';
import { FAILURE, record, ROUNDS, STOPPED, TALK } from './recorded-session.ts';
import { freshFolder, logPath, storeIn, storePorts } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

const QUERIES = [
  { terms: ['e'] },
  { terms: ['grüße', 'a'] },
  { states: ['completed', 'interrupted', 'partial_failed'] },
  { files: ['*.ts'] },
] as const;
/** So small that every log has many pieces. */
const PIECE = 97;

let root = '';

beforeEach(async () => {
  root = freshFolder();
  await record(storeIn(root), [TALK, ROUNDS, FAILURE, STOPPED]);
});

interface Searched {
  readonly found: readonly SearchFound[];
  readonly reads: number;
  readonly held: number;
}

/** With something that happens at a read, counted from 1. */
async function search(
  query: (typeof QUERIES)[number],
  happens: (read: number, stop: AbortController) => void = () => undefined,
): Promise<Searched> {
  const stop = new AbortController();
  let reads = 0;
  const disk = new WatchedDisk(new NodeDisk(), ({ kind }) => {
    if (kind === 'read') happens((reads += 1), stop);
    return undefined;
  });
  const found: SearchFound[] = [];
  const options = {
    query: { ...NO_QUERY, ...query },
    session_ids: ['s1'],
    most_each: 100,
    most_hits: 100,
    signal: stop.signal,
    hasWriter: async () => false,
    chunk: PIECE,
  };
  for await (const one of searchSessions(storePorts({ disk }), root, options)) found.push(one);
  return { found, reads, held: disk.held.size };
}

describe.each(QUERIES)('a search for %j', (query) => {
  it('that is called off at any read has told what it would have told so far, and holds nothing', async () => {
    const whole = await search(query);
    for (let at = 1; at <= whole.reads; at += 7) {
      const { found, reads, held } = await search(query, (read, stop) => {
        if (read === at) stop.abort();
      });
      expect(found).toEqual(whole.found.slice(0, found.length));
      expect({ held, late: reads > at + 2 }).toEqual({ held: 0, late: false });
    }
  });

  it('ends, and holds nothing, where its log is cut short while it reads', async () => {
    const bytes = await readFile(logPath(root));
    const { reads } = await search(query);
    for (let at = 2; at <= reads; at += 11) {
      await writeFile(logPath(root), bytes);
      const { held } = await search(query, (read) => {
        if (read === at) truncateSync(logPath(root), Math.floor((bytes.length * (at % 10)) / 10));
      });
      expect(held).toBe(0);
    }
  });

  it('tells what was there when it began, whatever is written behind that', async () => {
    const whole = await search(query);
    const more = await readFile(logPath(root));
    const { found } = await search(query, (read) => {
      if (read === 1) appendFileSync(logPath(root), more);
    });
    expect(found).toEqual(whole.found);
  });
});
