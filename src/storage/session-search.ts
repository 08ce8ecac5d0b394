import { hasFilters, type SearchQuery } from '../runtime/search/query.ts';
import { alternatives, evened } from '../runtime/search/turn-filters.ts';
import { titleOf } from '../runtime/title.ts';
import type { TurnState } from '../runtime/turn.ts';
import { Blobs } from './blobs.ts';
import { DiskError, isDiskError, type DiskFile } from './disk.ts';
import { LogSearch, type JudgedPlace, type LeftOut } from './log-search.ts';
import { markerClue, TextClue, type Clue } from './search-clue.ts';
import { Needles, type SearchExcerpt } from './search-needle.ts';
import { sessionPaths } from './session-paths.ts';
import type { StorePorts } from './session-store.ts';
import type { Place } from './turn-places.ts';

export interface SearchHit extends Omit<Place, 'where' | 'excerpt'> {
  readonly kind: 'hit';
  readonly session_id: string;
  readonly where: Place['where'] | 'title';
  readonly excerpt: SearchExcerpt;
  /** What its turn was asked for, in a line; null where that is not known. */
  readonly prompt: string | null;
  /** Of its turn; null where that is not known. */
  readonly state: TurnState | null;
}

/** What a search comes upon: places, and what keeps it from giving all of them. */
export type SearchFound =
  | SearchHit
  | LeftOut
  | { readonly kind: 'unreadable'; readonly session_id: string; readonly reason: string };

export interface SearchOptions {
  readonly query: SearchQuery;
  /** In the order they are searched. */
  readonly session_ids: readonly string[];
  /** Names that people gave to sessions. */
  readonly titles?: ReadonlyMap<string, string>;
  /** The last ones of each session; the others are counted. */
  readonly most_each: number;
  readonly most_hits: number;
  readonly signal: AbortSignal;
  /** Whether somebody is there who could carry on the last turn of a session. */
  readonly hasWriter: (sessionId: string) => Promise<boolean>;
  /** Told, again and again, how many bytes of all logs are done with. */
  readonly progress?: (bytes: number) => void;
  /** How much is read at a time. */
  readonly chunk?: number;
}

/**
 * Looks for turns in which something was said, asked for or put out, whatever its case, and which pass the filters of
 * the query. Reads each log from its end, a piece at a time, and gives each turn when its beginning was reached: of every
 * turn one place, the last turn first. Takes no lease and changes nothing.
 */
export async function* searchSessions(
  ports: StorePorts,
  root: string,
  options: SearchOptions,
): AsyncGenerator<SearchFound> {
  const { query, session_ids, signal } = options;
  const needles = new Needles(query.terms);
  const blobs = new Blobs(ports.disk, `${root}/blobs`, ports.hasher, ports.ids);
  const lineClue = new TextClue(query.terms);
  const clue = query.terms.length === 1 ? lineClue : clueFor(query);
  let hits = 0;
  let done = 0;
  for (const session_id of session_ids) {
    if (signal.aborted) return;
    const progress = (bytes: number): void => options.progress?.(done + bytes);
    const search = new LogSearch(session_id, { ...options, clue, lineClue, needles, blobs, progress });
    const found = lookInto(ports, sessionPaths(root, session_id).log, search);
    const title = hasFilters(query) ? null : titleHit(session_id, options.titles?.get(session_id), needles);
    for await (const one of title === null ? found : withFirst(title, found)) {
      yield one;
      if (one.kind === 'hit') hits += 1;
      if (hits >= options.most_hits || signal.aborted) return;
    }
    done += search.size;
    options.progress?.(done);
  }
}

async function* withFirst(first: SearchFound, rest: AsyncIterable<SearchFound>): AsyncGenerator<SearchFound> {
  yield first;
  yield* rest;
}

function titleHit(session_id: string, title: string | undefined, needles: Needles): SearchHit | null {
  const excerpt = needles.all([title ?? '']);
  const nowhere = { turn_id: null, seq: null, ts: null, prompt: null, state: null };
  return excerpt && { kind: 'hit', session_id, ...nowhere, where: 'title', excerpt: excerpt() };
}

/** One log that cannot be read keeps nobody from what is in the others. */
async function* lookInto(
  { disk, warn }: StorePorts,
  path: string,
  search: LogSearch,
): AsyncGenerator<SearchFound> {
  let file: DiskFile | null = null;
  try {
    file = await disk.open(path, 'read');
    for await (const one of search.found(file))
      yield one.kind === 'place' ? hitOf(one, search.session_id) : one;
    const { problem: reason } = search.bodies;
    if (reason !== null) yield { kind: 'unreadable', session_id: search.session_id, reason };
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    if (isDiskError(error, 'missing')) return;
    warn(`a log could not be searched: ${error.message}`);
    yield { kind: 'unreadable', session_id: search.session_id, reason: error.message };
  } finally {
    await file?.close();
  }
}

function hitOf({ place, asked, state }: JudgedPlace, session_id: string): SearchHit {
  const prompt = asked === null ? null : titleOf(asked);
  return { kind: 'hit', session_id, ...place, excerpt: place.excerpt(), prompt, state };
}

/** What tells most cheaply that a stretch of a log is worth a look. */
function clueFor({ terms, files, tools, states }: SearchQuery): Clue {
  const [longest] = [...terms].sort((a, b) => b.length - a.length);
  if (longest !== undefined) return new TextClue([longest]);
  const failed = states.every((one) => one === 'failed' || one === 'partial_failed' || one === 'timed_out');
  if (states.length > 0 && failed) return markerClue(['"turn_failed"']);
  const parts = files.flatMap((file) => alternatives(evened(file)).map(longestName));
  if (parts.length > 0 && parts.every((part) => part.length > 1)) return new TextClue(parts);
  if (tools.length === 0) return markerClue(['"user_message"']);
  return tools.some((one) => one.includes('*'))
    ? markerClue(['"tool_call"'])
    : new TextClue(tools.map((one) => `"${one}"`));
}

/** The longest part of a path or glob that is written the same everywhere. */
function longestName(pattern: string): string {
  const names = pattern.split(/[*?{},/]+/);
  return names.reduce((longest, one) => (one.length > longest.length ? one : longest), '');
}
