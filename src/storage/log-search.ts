import type { SearchQuery } from '../runtime/search/query.ts';
import type { TurnState } from '../runtime/turn.ts';
import type { Blobs } from './blobs.ts';
import type { DiskFile } from './disk.ts';
import { LONGEST_LINE, piecesBack, type BackPiece } from './log-back.ts';
import type { Clue } from './search-clue.ts';
import type { Needles } from './search-needle.ts';
import { SearchedBodies } from './searched-bodies.ts';
import { PlaceFinder, promptPlace, type Place } from './turn-places.ts';
import {
  eventOn,
  lastPrompt,
  linesAround,
  stretchFrom,
  stretchOf,
  stretchOver,
  type Prompt,
  type Stretch,
} from './turn-stretch.ts';
import { stateIn, TurnFilters } from './turn-verdict.ts';

/** Clocks are set, and days begin elsewhere at other times: only what is further away than this is not read. */
const SLACK_MS = 86_400_000;

/** A place in a turn, and what is known of the turn. */
export interface JudgedPlace {
  readonly kind: 'place';
  readonly place: Place;
  readonly asked: string | null;
  readonly state: TurnState | null;
}

/** What of a log is not given. */
export type LeftOut =
  /** Earlier turns of the same session have it as well. */
  | { readonly kind: 'more'; readonly session_id: string; readonly count: number }
  /** Lines that are longer than any that is read, by themselves or with a body of theirs. */
  | { readonly kind: 'too_long'; readonly session_id: string; readonly lines: number };

export interface LogSearchOptions {
  readonly query: SearchQuery;
  /** That a stretch is worth a look. */
  readonly clue: Clue;
  /** That a line is, in such a stretch: it may have one of the terms. */
  readonly lineClue: Clue;
  readonly needles: Needles;
  readonly blobs: Blobs;
  readonly most_each: number;
  readonly signal: AbortSignal;
  readonly hasWriter: (sessionId: string) => Promise<boolean>;
  readonly progress: (bytes: number) => void;
  readonly chunk?: number;
}

/** Where a piece stands in the log. */
interface Reading {
  readonly file: DiskFile;
  readonly end: { whole: number; readable: number };
  torn: Buffer | null;
  /** Something behind the place that is read now belongs to a turn whose beginning was not reached. */
  pending: boolean;
  /** Its end was in an earlier piece. */
  crosses: boolean;
  /** The last pieces, in the order of the log: what follows the one that is read now. */
  behind: readonly Buffer[];
  /** No turn before this place can match. */
  over: boolean;
}

/** The search in one log, from its end. */
export class LogSearch {
  /** Of the log, once it is known. */
  size = 0;
  readonly bodies: SearchedBodies;
  private given = 0;
  private left = 0;
  private readonly filters: TurnFilters;
  private readonly finder: PlaceFinder | null;
  /** Only the last turn of a log can be one that is not over. */
  private readonly lastOnly: boolean;

  constructor(
    readonly session_id: string,
    private readonly options: LogSearchOptions,
  ) {
    const { query, needles, lineClue, signal } = options;
    this.bodies = new SearchedBodies(options.blobs, LONGEST_LINE);
    this.filters = new TurnFilters(query, this.bodies, signal);
    this.finder = needles.count === 0 ? null : new PlaceFinder(needles, lineClue, this.bodies, signal);
    this.lastOnly =
      query.states.length > 0 && query.states.every((one) => one === 'running' || one === 'waiting');
  }

  async *found(file: DiskFile): AsyncGenerator<JudgedPlace | LeftOut> {
    const { session_id, options } = this;
    const { signal, chunk } = options;
    this.size = await file.size();
    if (await this.beginsTooLate(file)) return;
    let read = 0;
    let tooLong = 0;
    const progress = (bytes: number): void => options.progress((read += bytes));
    const reading: Reading = {
      file,
      end: { whole: this.size, readable: this.size },
      torn: null,
      pending: false,
      crosses: false,
      behind: [],
      over: false,
    };
    const how = chunk === undefined ? { signal, progress } : { signal, progress, chunk };
    for await (const piece of piecesBack(file, this.size, how)) {
      if (signal.aborted) return;
      if (piece.kind === 'torn') this.noteTorn(reading, piece);
      if (piece.kind === 'too_long') {
        tooLong += 1;
        // What is before it ends there; what is behind it has lost its beginning.
        reading.end.readable = piece.offset;
        reading.pending = false;
        reading.crosses = false;
        reading.behind = [];
      }
      if (piece.kind === 'lines') {
        yield* this.inPiece(reading, piece);
        reading.behind = [piece.bytes, ...reading.behind].slice(0, PIECES_KEPT);
      }
      if (reading.over) break;
    }
    if (!reading.over && reading.pending) yield* this.judged(await this.stretch(reading, 0, null), reading);
    if (signal.aborted) return;
    if (this.left > 0) yield { kind: 'more', session_id, count: this.left };
    tooLong += this.bodies.tooLarge;
    if (tooLong > 0) yield { kind: 'too_long', session_id, lines: tooLong };
  }

  private noteTorn(reading: Reading, { offset, bytes }: BackPiece & { kind: 'torn' }): void {
    reading.torn = bytes;
    reading.end.whole = offset;
    reading.end.readable = offset;
    reading.pending = this.finder !== null && this.finder.onDamaged(bytes, 'torn') !== null;
    reading.crosses = true;
  }

  private async *inPiece(
    reading: Reading,
    { offset, bytes }: BackPiece & { kind: 'lines' },
  ): AsyncGenerator<JudgedPlace> {
    const places = this.options.clue.places(bytes);
    reading.over = this.isTooEarly(bytes);
    if (places.length === 0 && !reading.pending && !this.lastOnly) {
      reading.crosses = true;
      return;
    }
    let left = places.length;
    for (let end = bytes.length; end > 0 && !this.options.signal.aborted;) {
      const found = lastPrompt(bytes, end);
      const from = found?.at ?? 0;
      const before = left;
      while (left > 0 && (places[left - 1] ?? 0) >= from) left -= 1;
      reading.pending ||= left < before;
      if (found === null) break;
      const isWhole = !(reading.crosses && end === bytes.length);
      if (reading.pending)
        yield* this.judged(
          isWhole
            ? stretchOf(bytes.subarray(from, end), {
                prompt: found.prompt,
                last: offset + end === reading.end.whole,
                ...this.knownPlaces(places.slice(left, before), from),
              })
            : (stretchOver([bytes.subarray(from), ...reading.behind], found.prompt) ??
                (await this.stretch(reading, offset + from, found.prompt))),
          reading,
        );
      reading.pending = false;
      if (this.lastOnly) {
        reading.over = true;
        return;
      }
      end = from;
      if (end === 0) {
        reading.crosses = false;
        return;
      }
      // Without a place before it there is nothing to judge there.
      if (left === 0) break;
    }
    reading.crosses = true;
  }

  /** Where the clue to the stretch is that to its lines, too. */
  private knownPlaces(places: readonly number[], from: number): Pick<Stretch, 'places'> {
    const { clue, lineClue } = this.options;
    return clue === lineClue ? { places: places.map((one) => one - from) } : {};
  }

  private stretch({ file, end }: Reading, from: number, prompt: Prompt | null): Promise<Stretch> {
    return stretchFrom(file, { from, prompt, end }, this.options.signal);
  }

  /** The last place first. What goes beyond the most that is given is only counted. */
  private async *judged(stretch: Stretch, { torn }: Reading): AsyncGenerator<JudgedPlace> {
    const verdict = await this.judge(stretch, stretch.last ? torn : null);
    if (verdict === null || this.options.signal.aborted) return;
    for (const place of verdict.places.toReversed()) {
      if (this.given >= this.options.most_each) {
        this.left += 1;
        continue;
      }
      this.given += 1;
      const isOwn = place.turn_id !== null && place.turn_id === stretch.prompt?.data.turn_id;
      const isOfTurn = isOwn && place.where !== 'checkpoint' && place.where !== 'summary';
      const asked = isOfTurn ? (stretch.prompt?.data.text ?? null) : null;
      yield {
        kind: 'place',
        place,
        asked,
        state: isOfTurn ? await this.stateOf(stretch, verdict.state) : null,
      };
    }
  }

  private async stateOf(stretch: Stretch, known: TurnState | null): Promise<TurnState | null> {
    const { prompt } = stretch;
    if (known !== null || prompt === null) return known;
    const { signal, hasWriter } = this.options;
    return stateIn(stretch, prompt, { signal, hasWriter: () => hasWriter(this.session_id) });
  }

  /** What is cheap to know comes first. Null for a stretch that is not meant. */
  private async judge(
    stretch: Stretch,
    torn: Buffer | null,
  ): Promise<{ readonly places: readonly Place[]; readonly state: TurnState | null } | null> {
    const { filters, options } = this;
    const { prompt } = stretch;
    if (prompt === null && (filters.ofTurns || this.finder === null)) return null;
    if (prompt !== null && !filters.fitsTime(prompt.ts)) return null;
    const places = await this.placesIn(stretch, torn);
    if (places.length === 0) return null;
    if (prompt === null || !filters.ofTurns) return { places, state: null };
    if (!(await filters.fitsCalls(stretch, prompt))) return null;
    if (options.query.states.length === 0) return { places, state: null };
    const state = await this.stateOf(stretch, null);
    return state !== null && filters.fitsState(state) ? { places, state } : null;
  }

  private async placesIn(stretch: Stretch, torn: Buffer | null): Promise<readonly Place[]> {
    const { finder, filters } = this;
    const { prompt } = stretch;
    if (finder === null) return prompt === null ? [] : [promptPlace(prompt)];
    const after = torn === null ? null : finder.onDamaged(torn, 'torn');
    const fits = ({ turn_id, ts }: Place): boolean =>
      prompt === null
        ? filters.fitsTime(ts ?? '')
        : turn_id === null || turn_id === prompt.data.turn_id || !filters.ofTurns;
    return [...(await finder.in(stretch, fits)), ...(after !== null && fits(after) ? [after] : [])];
  }

  /** Logs are written in the order of time. */
  private isTooEarly(bytes: Buffer): boolean {
    const { from_ms } = this.options.query;
    if (from_ms === null) return false;
    const first = firstEventTime(bytes);
    return first < from_ms - SLACK_MS;
  }

  private async beginsTooLate(file: DiskFile): Promise<boolean> {
    const { to_ms } = this.options.query;
    if (to_ms === null) return false;
    const bytes = await file.read(0, Math.min(this.size, HEAD_BYTES));
    return firstEventTime(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) > to_ms + SLACK_MS;
  }
}

const HEAD_BYTES = 64 * 1024;
/** A line that was cut in two is a piece by itself. */
const PIECES_KEPT = 2;

/** NaN where it cannot be told. */
function firstEventTime(bytes: Buffer): number {
  for (const line of linesAround(bytes, bytes.length === 0 ? [] : [0]))
    return Date.parse(eventOn(line)?.ts ?? '');
  return Number.NaN;
}
