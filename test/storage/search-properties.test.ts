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
import { searchRuns } from '../support/search-runs.ts';

const ports = storePorts();

/** A character of a line is put in the place of another, or taken away. */
type Change = readonly [line: number, at: number, by: string];

/** On disk, as the program writes it; and as the plain search wants it. */
async function written(
  root: string,
  { lines, torn }: MadeLog,
  hasWriter: boolean,
  changes: readonly Change[] = [],
): Promise<NaiveLog> {
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
  for (const [line, at, by] of changes) {
    const number = line % Math.max(1, whole.length);
    const [...text] = whole[number] ?? '';
    // What is in a blob is not in the line; and what is known of children stands in more than one turn.
    if (onDisk[number] !== `${text.join('')}\n` || text.join('').includes('child_1')) continue;
    text[at % text.length] = by;
    whole[number] = text.join('');
    onDisk[number] = `${text.join('')}\n`;
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

function sound(hits: readonly NaiveHit[]): readonly NaiveHit[] {
  return hits.filter(({ where }) => where !== 'damaged');
}

const chunk = fc.oneof(fc.integer({ min: 5, max: 300 }), fc.integer({ min: 300, max: 60_000 }));

describe('a search', () => {
  it(
    'finds exactly what reading and folding all of a log finds, however it is cut into pieces',
    async () => {
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
        { numRuns: searchRuns(40), seed: 7 },
      );
    },
    searchRuns(120_000),
  );

  it(
    'finds the same where characters of a log were changed; what is damaged in a turn that it has found it may leave out',
    async () => {
      const change = fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('"', '\\', '\u0001', '}', 'x', ''));
      await fc.assert(
        fc.asyncProperty(
          madeLog,
          fc.array(madeQuery, { minLength: 3, maxLength: 6 }),
          chunk,
          fc.array(change, { minLength: 1, maxLength: 4 }),
          async (made, queries, size, changes) => {
            const root = freshFolder();
            const log = await written(root, made, true, changes);
            for (const query of queries) {
              if (query.terms.some((term) => term.toLowerCase() === '')) continue;
              const hits = (await search(root, query, { chunk: size, hasWriter: true })).map(naive);
              const wanted = naiveSearch(log, query);
              expect({ query, hits: sound(hits) }).toEqual({ query, hits: sound(wanted) });
              const damaged = hits.length - sound(hits).length;
              expect(damaged).toBeLessThanOrEqual(wanted.length - sound(wanted).length);
            }
          },
        ),
        { numRuns: searchRuns(50), seed: 11 },
      );
    },
    searchRuns(120_000),
  );
});
