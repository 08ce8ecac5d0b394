import { mkdir, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchQuery } from '../../src/runtime/search/query.ts';
import { Blobs } from '../../src/storage/blobs.ts';
import { lineOf } from '../../src/storage/bodies.ts';
import { searchSessions, type SearchHit } from '../../src/storage/session-search.ts';
import { naiveSearch, type NaiveHit, type NaiveLog } from './naive-search.ts';
import { eventOf, madeLog, madeQuery, type MadeLog } from './searched-logs.ts';
import { freshFolder, logPath, storePorts } from './storage-place.ts';

const ports = storePorts();

/** On disk, as the program writes it; and as the plain search wants it. */
async function written(root: string, { lines, torn }: MadeLog, hasWriter: boolean): Promise<NaiveLog> {
  await mkdir(`${root}/sessions`, { recursive: true });
  const blobs = new Blobs(ports.disk, `${root}/blobs`, ports.hasher, ports.ids);
  const [onDisk, whole]: [string[], string[]] = [[], []];
  for (const [seq, line] of lines.entries()) {
    if (line.kind === 'bytes') {
      onDisk.push(`${line.text}\n`);
      whole.push(line.text);
      continue;
    }
    const event = eventOf(line, seq);
    onDisk.push(await lineOf(event, blobs));
    whole.push(JSON.stringify(event));
  }
  await writeFile(logPath(root), `${onDisk.join('')}${torn}`);
  return { lines: whole, torn, written: hasWriter };
}

async function search(
  root: string,
  query: SearchQuery,
  options: { readonly chunk: number; readonly hasWriter: boolean },
): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  const found = searchSessions(ports, root, {
    query,
    session_ids: ['s1'],
    most_each: 1000,
    most_hits: 1000,
    signal: new AbortController().signal,
    hasWriter: async () => options.hasWriter,
    chunk: options.chunk,
  });
  for await (const one of found) if (one.kind === 'hit') hits.push(one);
  return hits;
}

function naive({ where, turn_id, seq, state }: SearchHit): NaiveHit {
  return { where, turn_id, seq, state };
}

const chunk = fc.oneof(fc.integer({ min: 5, max: 300 }), fc.integer({ min: 300, max: 60_000 }));

describe('a search', () => {
  it('finds exactly what reading and folding all of a log finds, however it is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        madeLog,
        fc.array(madeQuery, { minLength: 4, maxLength: 8 }),
        chunk,
        fc.boolean(),
        async (made, queries, size, hasWriter) => {
          const root = freshFolder();
          const log = await written(root, made, hasWriter);
          for (const query of queries) {
            if (query.terms.some((term) => term.toLowerCase() === '')) continue;
            const hits = (await search(root, query, { chunk: size, hasWriter })).map(naive);
            expect({ query, hits }).toEqual({ query, hits: naiveSearch(log, query) });
          }
        },
      ),
      { numRuns: 120, seed: 7 },
    );
  }, 120_000);
});
