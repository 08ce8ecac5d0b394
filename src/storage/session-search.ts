import type { EventData, LogEvent } from '../runtime/events.ts';
import { titleOf } from '../runtime/title.ts';
import { Blobs } from './blobs.ts';
import { internalise, namesBody } from './bodies.ts';
import { DiskError, isDiskError, type DiskFile } from './disk.ts';
import { linesOf, readLine, wholeLines } from './log-scan.ts';
import { saidIn, type Said } from './said-words.ts';
import { Needle, type SearchExcerpt } from './search-needle.ts';
import { sessionPaths } from './session-paths.ts';
import type { StorePorts } from './session-store.ts';

export interface SearchHit {
  readonly kind: 'hit';
  readonly session_id: string;
  /** Null for a name, and for a line that is no event of a turn. */
  readonly turn_id: string | null;
  readonly seq: number | null;
  readonly ts: string | null;
  readonly where: Said['where'] | 'title' | 'damaged';
  readonly excerpt: SearchExcerpt;
  /** What its turn was asked for, in a line; null where that is not known. */
  readonly prompt: string | null;
}

/** What a search comes upon: places, and what keeps it from giving all of them. */
export type SearchFound =
  | SearchHit
  /** Earlier turns of the same session have it as well. */
  | { readonly kind: 'more'; readonly session_id: string; readonly count: number }
  | { readonly kind: 'unreadable'; readonly session_id: string; readonly reason: string };

export interface SearchOptions {
  readonly text: string;
  /** In the order they are searched. */
  readonly session_ids: readonly string[];
  /** Names that people gave to sessions. */
  readonly titles?: ReadonlyMap<string, string>;
  /** The last ones of each session; the others are counted. */
  readonly most_each: number;
  readonly most_hits: number;
  readonly signal: AbortSignal;
}

/**
 * Looks for a text in whatever was said, asked for and put out in sessions, whatever its case. Reads each log
 * once, a piece at a time; of every turn the first place is given, the last turn first. Takes no lease and
 * changes nothing.
 */
export async function* searchSessions(
  ports: StorePorts,
  root: string,
  options: SearchOptions,
): AsyncGenerator<SearchFound> {
  const needle = new Needle(options.text);
  const blobs = new Blobs(ports.disk, `${root}/blobs`, ports.hasher, ports.ids);
  let hits = 0;
  for (const session_id of options.session_ids) {
    if (options.signal.aborted) return;
    const title = titleHit(session_id, options.titles?.get(session_id), needle);
    const log = sessionPaths(root, session_id).log;
    const found = await lookInto(ports, log, new LogSearch(session_id, needle, blobs, options));
    for (const one of title === null ? found : [title, ...found]) {
      yield one;
      if (one.kind === 'hit') hits += 1;
      if (hits >= options.most_hits || options.signal.aborted) return;
    }
  }
}

function titleHit(session_id: string, title: string | undefined, needle: Needle): SearchHit | null {
  const excerpt = needle.excerpt(title ?? '');
  const nowhere = { turn_id: null, seq: null, ts: null, prompt: null };
  return excerpt && { kind: 'hit', session_id, ...nowhere, where: 'title', excerpt };
}

/** One log that cannot be read keeps nobody from what is in the others. */
async function lookInto(
  { disk, warn }: StorePorts,
  path: string,
  search: LogSearch,
): Promise<readonly SearchFound[]> {
  try {
    const file = await disk.open(path, 'read');
    try {
      await search.read(file);
      return await search.found();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    if (isDiskError(error, 'missing')) return [];
    warn(`a log could not be searched: ${error.message}`);
    return [{ kind: 'unreadable', session_id: search.session_id, reason: error.message }];
  }
}

interface Place {
  readonly hit: Omit<SearchHit, 'prompt'>;
  /** The line of the prompt before it. */
  readonly prompt: Buffer | null;
}

const PROMPT = '"type":"user_message"';
const NEWLINE = 10;

/** The search in one log. Of what it finds it keeps the last places, and the turns they are in. */
class LogSearch {
  private readonly turns = new Set<string>();
  private places: Place[] = [];
  private left = 0;
  private lastPrompt: Buffer | null = null;

  constructor(
    readonly session_id: string,
    private readonly needle: Needle,
    private readonly blobs: Blobs,
    private readonly options: Pick<SearchOptions, 'most_each' | 'signal'>,
  ) {}

  async read(file: DiskFile): Promise<void> {
    for await (const whole of wholeLines(file, 0, await file.size())) {
      if (this.options.signal.aborted) return;
      for (const bytes of this.needle.candidates(whole)) {
        for (const { text } of linesOf(bytes)) {
          const hit = await this.hitIn(text);
          if (hit === null || (hit.turn_id !== null && this.turns.has(hit.turn_id))) continue;
          if (hit.turn_id !== null) this.turns.add(hit.turn_id);
          this.keep({ hit, prompt: promptIn(whole, bytes.byteOffset - whole.byteOffset) ?? this.lastPrompt });
        }
      }
      this.lastPrompt = promptIn(whole, whole.length) ?? this.lastPrompt;
    }
  }

  async found(): Promise<readonly SearchFound[]> {
    if (this.options.signal.aborted) return [];
    const hits: SearchFound[] = [];
    for (const { hit, prompt } of this.places.toReversed())
      hits.push(inTurn(hit, prompt === null ? null : await this.asked(prompt)));
    const { session_id, left: count } = this;
    return count === 0 ? hits : [...hits, { kind: 'more', session_id, count }];
  }

  private keep(place: Place): void {
    this.places.push(place);
    if (this.places.length <= this.options.most_each) return;
    this.places = this.places.slice(1);
    this.left += 1;
  }

  private async asked(line: Buffer): Promise<EventData['user_message'] | null> {
    const [first] = linesOf(line);
    const event = await this.eventOf(first?.text ?? null);
    return event?.type === 'user_message' ? event.data : null;
  }

  private async hitIn(line: string | null): Promise<Place['hit'] | null> {
    const { session_id, needle } = this;
    const base = { kind: 'hit', session_id } as const;
    const event = await this.eventOf(line);
    if (event === null) {
      const excerpt = needle.excerpt(line ?? '');
      return excerpt && { ...base, turn_id: null, seq: null, ts: null, where: 'damaged', excerpt };
    }
    const said = saidIn(event);
    if (said === null) return null;
    const { turn_id, where } = said;
    for (const text of said.texts) {
      const excerpt = needle.excerpt(text);
      if (excerpt !== null) return { ...base, turn_id, seq: event.seq, ts: event.ts, where, excerpt };
    }
    return null;
  }

  /** A body that is missing is found by whoever opens the session; its head can still be searched. */
  private async eventOf(line: string | null): Promise<LogEvent | null> {
    const read = readLine(line);
    if (!read.ok) return null;
    const bodied = namesBody(read.event) ? await internalise(read.event, this.blobs) : read;
    return bodied.ok ? bodied.event : read.event;
  }
}

/** A checkpoint is of no turn: it is found behind the one before it. */
function inTurn(hit: Place['hit'], before: EventData['user_message'] | null): SearchHit {
  if (hit.where === 'checkpoint') return { ...hit, turn_id: before?.turn_id ?? null, prompt: null };
  const isOwn = before !== null && before.turn_id === hit.turn_id;
  return { ...hit, prompt: isOwn ? titleOf(before.text) : null };
}

/** The last line before an offset that is a prompt; inside of a text, its quotes would be escaped. */
function promptIn(whole: Buffer, before: number): Buffer | null {
  // With the line at the offset itself: the prompt is where its own words are found.
  const end = whole.indexOf(NEWLINE, before);
  const at = whole.subarray(0, end === -1 ? whole.length : end).lastIndexOf(PROMPT);
  if (at === -1) return null;
  return Buffer.from(whole.subarray(whole.lastIndexOf(NEWLINE, at) + 1, whole.indexOf(NEWLINE, at) + 1));
}
