import type { KnownEvent, LogEvent } from '../runtime/events.ts';
import { linesOf } from './log-scan.ts';
import { saidIn, type Said } from './said-words.ts';
import type { Clue } from './search-clue.ts';
import type { Excerpt, Needles, SearchExcerpt } from './search-needle.ts';
import type { SearchedBodies } from './searched-bodies.ts';
import { eventOn, headOf, linesAround, typeIn, type Prompt, type Stretch } from './turn-stretch.ts';
import { wholeEvent } from './turn-verdict.ts';

/** Where words were found. */
export interface Place {
  /** Null for a line that is no event of a turn. */
  readonly turn_id: string | null;
  readonly seq: number | null;
  readonly ts: string | null;
  readonly where: Said['where'] | 'damaged' | 'torn';
  readonly excerpt: Excerpt;
}

/** Belong to no turn though they are written during one. */
const OF_MANY: ReadonlySet<string> = new Set<LogEvent['type']>(['history_compaction', 'branch_summary']);
const END = [...Buffer.from('}}\n')];

export class PlaceFinder {
  constructor(
    private readonly needles: Needles,
    private readonly clue: Clue,
    private readonly blobs: SearchedBodies,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * What of a stretch has the words, in the order of the log. Of the turn itself, where it has them all, the first event
   * that has the most of them; beside it, every line that has them all and is wanted.
   */
  async in(stretch: Stretch, isWanted: (place: Place) => boolean): Promise<readonly Place[]> {
    const own = new OwnPlace(this.needles, stretch.prompt);
    const others: Place[] = [];
    let { prompt } = stretch;
    for await (const bytes of stretch.pieces(this.signal)) {
      for (const line of linesAround(bytes, stretch.places ?? this.clue.places(bytes))) {
        if (own.settles(line)) continue;
        // A stretch begins with its prompt, which was parsed already.
        const event = line.byteOffset === bytes.byteOffset && prompt !== null ? prompt : eventOn(line);
        const place =
          event === null
            ? this.onDamaged(line)
            : this.onEvent(await wholeEvent(event, this.blobs), { own, stretch, others });
        if (place !== null && isWanted(place) && !isAgain(place, others)) others.push(place);
      }
      prompt = null;
    }
    const { place, behind } = own;
    return place === null ? others : others.toSpliced(behind, 0, place);
  }

  /** In bytes that are no event. */
  onDamaged(bytes: Buffer, where: 'damaged' | 'torn' = 'damaged'): Place | null {
    const [line] = linesOf(bytes.at(-1) === 10 ? bytes : Buffer.concat([bytes, Buffer.from('\n')]));
    // Where the bytes are no text, what can be read of them still may say something.
    const excerpt = this.needles.all([line?.text ?? bytes.toString('utf8')]);
    return excerpt && { turn_id: null, seq: null, ts: null, where, excerpt };
  }

  private onEvent(event: LogEvent, so: SoFar): Place | null {
    const { prompt } = so.stretch;
    const said = saidIn(event);
    if (said === null) return null;
    if (prompt !== null && said.turn_id === prompt.data.turn_id) {
      so.own.look(event, said, so.others.length);
      return null;
    }
    const excerpt = this.needles.all(said.texts);
    // What speaks of many is found behind the turn before it.
    const turn_id = said.turn_id ?? (said.where === 'unknown' ? null : (prompt?.data.turn_id ?? null));
    return excerpt && { turn_id, seq: event.seq, ts: event.ts, where: said.where, excerpt };
  }
}

interface SoFar {
  readonly own: OwnPlace;
  readonly stretch: Stretch;
  readonly others: readonly Place[];
}

/** Another turn is given once, too. */
function isAgain({ turn_id, where }: Place, others: readonly Place[]): boolean {
  const isOfMany = (one: Place['where']): boolean => one === 'checkpoint' || one === 'summary';
  if (turn_id === null || isOfMany(where)) return false;
  return others.some((one) => one.turn_id === turn_id && !isOfMany(one.where));
}

class OwnPlace {
  private readonly seen = new Set<number>();
  private best: { readonly place: Place; readonly count: number; readonly behind: number } | null = null;
  private readonly named: string | null;

  constructor(
    private readonly needles: Needles,
    prompt: KnownEvent<'user_message'> | null,
  ) {
    this.named = prompt && `"turn_id":${JSON.stringify(prompt.data.turn_id)}`;
  }

  look(event: LogEvent, { turn_id, where, texts }: Said, behind: number): void {
    const sighting = this.needles.look(texts);
    if (sighting === null) return;
    for (const one of sighting.seen) this.seen.add(one);
    const { length: count } = sighting.seen;
    if (count <= (this.best?.count ?? 0)) return;
    const place = { turn_id, seq: event.seq, ts: event.ts, where, excerpt: sighting.excerpt };
    this.best = { place, count, behind };
  }

  /** How many other places come before it. */
  get behind(): number {
    return this.best?.behind ?? 0;
  }

  get place(): Place | null {
    return this.seen.size === this.needles.count ? (this.best?.place ?? null) : null;
  }

  /** Whether a line can only be one more place of a turn whose best place is known: then it is not parsed. */
  settles(line: Buffer): boolean {
    if (this.named === null || this.best?.count !== this.needles.count) return false;
    if (!END.every((byte, at) => line[line.length - END.length + at] === byte)) return false;
    const head = headOf(line);
    const type = typeIn(head);
    return type !== null && !OF_MANY.has(type) && head.includes(this.named);
  }
}

export function promptPlace(prompt: Prompt): Place {
  const { seq, ts, data } = prompt;
  const excerpt = (): SearchExcerpt => ({
    before: '',
    match: '',
    after: data.text.slice(0, 180).toWellFormed().replace(/\s+/gu, ' ').trim(),
  });
  return { turn_id: data.turn_id, seq, ts, where: 'prompt', excerpt };
}
