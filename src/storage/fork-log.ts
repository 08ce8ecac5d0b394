import { LeftBehind } from '../runtime/branch-summary.ts';
import { SCHEMA_VERSION, type Draft, type LogEvent } from '../runtime/events.ts';
import { forkHead, isInFork, movedDraft, NewPlaces } from '../runtime/fork.ts';
import { jsonLine } from '../runtime/json-line.ts';
import { applyToPressure } from '../runtime/pressure.ts';
import { applyToSession, emptySession, type SessionState } from '../runtime/session-state.ts';
import { turnState } from '../runtime/turn.ts';
import { bodiesOfLists, internalise, lineOf, namesBody } from './bodies.ts';
import { replaceFileWith, type DiskFile } from './disk.ts';
import { linesOf, readLine, wholeLines } from './log-scan.ts';
import { isImported, sessionPaths } from './session-paths.ts';
import type { SessionStore } from './session-store.ts';

export interface ForkedLog {
  readonly session_id: string;
  readonly forked_to_seq: number;
}

export interface ForkOptions {
  /** Whether the model is told what the parent did after the fork. */
  readonly summary: boolean;
}

/** So many characters are written at once. */
const PIECE = 256 * 1024;

/**
 * Makes a new log of what a session's log holds up to a seq, or up to its first damaged line. The parent is
 * only read; the new log appears whole or not at all. Null when there is nothing to fork. Bodies are shared, because they are
 * named by hash: a line that names one is taken over as it is.
 */
export async function forkLog(
  store: SessionStore,
  parentId: string,
  at: number | null,
  options: ForkOptions = { summary: false },
): Promise<ForkedLog | null> {
  const { disk, ids, clock } = store.ports;
  const parent = await readParent(store, parentId, at, options);
  if (parent === null) return null;
  const { state, forked_to_seq, places, left } = parent;
  const session_id = ids.next('session');
  const ts = new Date(clock.now()).toISOString();
  let seq = -1;
  const envelope = () => {
    seq += 1;
    return { v: SCHEMA_VERSION, id: ids.next('event'), session_id, seq, ts };
  };
  const written = (draft: Draft): Promise<string> => lineOf({ ...envelope(), ...draft }, store.blobs);
  const { log } = sessionPaths(store.root, session_id);
  const source = await disk.open(sessionPaths(store.root, parentId).log, 'read');
  try {
    const write = async (file: Pick<DiskFile, 'append'>): Promise<void> => {
      const out = new Pieces(file);
      const bodies = new SharedBodies(store);
      await out.add(await written(forkHead(state, { forked_to_seq, places })));
      for await (const { event, text } of firstLines(source, forked_to_seq)) {
        if (event.type === 'unknown' || !places.has(event.seq)) continue;
        await bodies.claim(event, text);
        // Only a checkpoint is not the same in the fork.
        if (event.type !== 'history_compaction')
          await out.add(`${jsonLine({ ...envelope(), type: event.type, data: event.data })}\n`);
        else await out.add(await written(movedDraft(await whole(event, store), places)));
      }
      if (left !== null) await out.add(await written(left));
      await out.flush();
      if (bodies.isAny) await store.blobs.settle();
    };
    await replaceFileWith(disk, log, write, { temporary: `${log}.tmp`, durable: true });
  } finally {
    await source.close();
  }
  return { session_id, forked_to_seq };
}

interface Parent {
  /** At the fork. */
  readonly state: SessionState;
  readonly forked_to_seq: number;
  readonly places: NewPlaces;
  readonly left: Draft | null;
}

/** What there is to know before the first line is written. Every body is looked at, and none is kept. */
async function readParent(
  store: SessionStore,
  parentId: string,
  at: number | null,
  { summary }: ForkOptions,
): Promise<Parent | null> {
  const stored = store.inspect(parentId);
  const isForeign = isImported(parentId);
  const seqs: number[] = [];
  const left = new LeftBehind();
  let state = emptySession(parentId);
  let latest = state;
  let isGood = true;
  /** What follows at once, and is not sent, still speaks of what the fork has: what its last request took, above all. */
  let isAtFork = true;
  try {
    await stored.load({
      // What is behind a damaged line has lost what it follows.
      damaged: () => {
        isGood = false;
      },
      event: (event) => {
        if (!isGood) return;
        const isLeft = at !== null && event.seq > at;
        if (isLeft) {
          isAtFork &&= !isInFork(event);
          if (isAtFork) state = { ...state, pressure: applyToPressure(state.pressure, event) };
          if (!summary) return;
        }
        latest = applyToSession(latest, event);
        if (isLeft) return left.push(event);
        state = latest;
        if (summary) left.passed(event);
        // The context of an imported log is somebody else's, and would be told as our own words: the fork begins with its own.
        if (isInFork(event) && !(isForeign && event.type === 'developer_context')) seqs.push(event.seq);
      },
    });
    const forked_to_seq = state.last_seq;
    if (forked_to_seq < 0) return null;
    const { turn } = latest;
    const now = turn === null ? null : turnState(turn);
    const goes_on = now === 'running' || now === 'waiting';
    const facts = { parent_session_id: parentId, forked_to_seq, damaged: !isGood, goes_on };
    return { state, forked_to_seq, places: new NewPlaces(seqs), left: left.draft(facts) };
  } finally {
    await stored.close();
  }
}

interface FirstLine {
  readonly event: LogEvent;
  readonly text: string;
}

/** The events of a log up to a seq, their bodies not in place. They were read before, and nothing in a log changes. */
async function* firstLines(file: DiskFile, upTo: number): AsyncGenerator<FirstLine> {
  for await (const lines of wholeLines(file, 0, await file.size()))
    for (const { text } of linesOf(lines)) {
      const read = readLine(text);
      if (!read.ok) throw new Error(`a line of a log changed while it was forked: ${read.reason}`);
      yield { event: read.event, text: text ?? '' };
      if (read.event.seq >= upTo) return;
    }
}

async function whole(
  event: LogEvent & { readonly type: 'history_compaction' },
  store: SessionStore,
): Promise<LogEvent & { readonly type: 'history_compaction' }> {
  const read = await internalise(event, store.blobs);
  if (read.ok && read.event.type === 'history_compaction') return read.event;
  throw new Error('the body of a checkpoint went away while it was forked');
}

/** In a line, names have other signs around them. */
const NAME = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gu;

/** Bodies that the fork will name as its parent does, which may be on its way out with all that it alone names. */
class SharedBodies {
  private readonly asked = new Map<string, boolean>();

  constructor(private readonly store: SessionStore) {}

  /** Whether one of them is there: most hashes in a log are of no body, and a storage may have none at all. */
  get isAny(): boolean {
    return [...this.asked.values()].some(Boolean);
  }

  /** Before the line is written. Any hash may be that of a body; only the bodies of the line itself have to be there. */
  async claim(event: LogEvent, line: string): Promise<void> {
    const { blobs } = this.store;
    let isWhole = await this.claimAll(line);
    for (const name of bodiesOfLists(event)) {
      const list = await blobs.get(name);
      if (!(await this.claimAll(Buffer.from(list ?? []).toString('latin1')))) isWhole = false;
    }
    if (!isWhole && namesBody(event) && !(await internalise(event, blobs)).ok)
      throw new Error('a body went away while it was forked');
  }

  /** Whether all that is named there is there. */
  private async claimAll(text: string): Promise<boolean> {
    let isWhole = true;
    for (const [name] of text.matchAll(NAME)) {
      const isThere = this.asked.get(name) ?? (await this.store.blobs.claim(name));
      this.asked.set(name, isThere);
      isWhole &&= isThere;
    }
    return isWhole;
  }
}

/** Collects lines until it is worth a write. */
class Pieces {
  private text: string[] = [];
  private chars = 0;

  constructor(private readonly file: Pick<DiskFile, 'append'>) {}

  async add(line: string): Promise<void> {
    this.text.push(line);
    this.chars += line.length;
    if (this.chars >= PIECE) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.chars === 0) return;
    await this.file.append(Buffer.from(this.text.join(''), 'utf8'));
    this.text = [];
    this.chars = 0;
  }
}
