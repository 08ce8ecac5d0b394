import type { LogEvent } from '../runtime/events.ts';
import { DiagnosisFold, type Diagnosis, type LogFacts } from '../runtime/inspection/diagnosis.ts';
import { caughtUp } from '../runtime/inspection/families.ts';
import {
  applyToSessionTrace,
  emptyTrace,
  turnsIn,
  type SessionTrace,
} from '../runtime/inspection/session-tree.ts';
import { thinned } from '../runtime/inspection/thin-event.ts';
import type { TreeNode } from '../runtime/inspection/tree-node.ts';
import { SessionTreeNodes } from '../runtime/inspection/tree-nodes.ts';
import type { TurnTrace } from '../runtime/inspection/turn-trace.ts';
import { ReplayFold } from '../runtime/replay/fold.ts';
import { openIfThere } from '../storage/disk.ts';
import { leaseHolder, LeaseSight } from '../storage/lease-holder.ts';
import { FROM_START, scanLog, type Damage, type Scanned, type ScanStart } from '../storage/log-scan.ts';
import { SessionStore } from '../storage/session-store.ts';
import type { StoredSession } from '../storage/stored-session.ts';
import { effectOf } from '../tools/tool-effects.ts';
import { nodeStorePorts } from './node-ports.ts';

/** Turns that one more look back brings. */
const PAGE = 20;
/** A log up to this size is read in a moment; of a larger one the last turns are shown first. */
const READ_FIRST = 4 * 1024 * 1024;
/** Nothing was checked yet, so nothing is said. */
const UNCHECKED: Diagnosis = { ok: true, status: 'ready', checks: [] };
const NO_TARGET = { model: '', endpoint: '' };

/** What was folded of a log so far. */
interface Folded {
  trace: SessionTrace;
  readonly diagnosis: DiagnosisFold;
  readonly replay: ReplayFold;
  readonly damage: Damage[];
  from: ScanStart;
  torn: number;
}

/**
 * Looks at a session for as long as someone looks: reads its log once, and then only what was appended. Takes
 * no lease and changes nothing. What it keeps does not grow with the bodies of the log, nor with its turns.
 */
export class LiveInspection {
  private readonly store: SessionStore;
  private readonly stored: StoredSession;
  private folded: Folded;
  private earlier: readonly TurnTrace[] = [];
  private lease: LogFacts['lease'] = 'free';
  private readonly over = new AbortController();
  private readonly sight = new LeaseSight();
  /** The last turns, until all of a large log has been read. */
  private glimpsed: SessionTrace | null = null;
  private readonly nodes = new SessionTreeNodes();

  constructor(
    storage: string,
    readonly sessionId: string,
  ) {
    const ports = nodeStorePorts(() => undefined);
    this.store = new SessionStore(ports, storage);
    this.stored = this.store.inspect(sessionId);
    this.folded = nothing(sessionId);
  }

  /** Of a large log that was not read yet, the last turns, at the cost of a screen. Answers whether there are any. */
  async glimpse(): Promise<boolean> {
    if (this.folded.from.offset > 0 || (await this.stored.size()) <= READ_FIRST) return false;
    const { events } = await this.stored.window(null, (found) => prompts(found) > PAGE);
    const turns = turnsIn(events).slice(-PAGE);
    if (turns.length === 0) return false;
    const last_seq = events.at(-1)?.seq ?? -1;
    const known = { title: (await this.stored.head()).title, last_seq, events: last_seq + 1 };
    this.glimpsed = { ...emptyTrace(this.sessionId), ...known, turn_count: null, turns };
    return true;
  }

  /** Reads what is new. Answers whether anything was. */
  async readOn(): Promise<boolean> {
    const file = await openIfThere(this.store.ports.disk, this.stored.paths.log);
    if (file === null) return this.startOver();
    try {
      const size = await file.size();
      const started = size < this.folded.from.offset && this.startOver();
      const { folded } = this;
      const before = folded.from.line;
      const visit = (scanned: Scanned): void => {
        if (scanned.kind === 'event') push(folded, scanned.event);
        else folded.damage.push(scanned.damage);
      };
      const end = await scanLog(file, folded.from, this.store.blobs, visit, this.over.signal);
      if (end === null) return false;
      folded.from = end;
      this.glimpsed = null;
      const torn = end.size - end.offset;
      const changed = started || end.line !== before || torn !== folded.torn;
      folded.torn = torn;
      return changed;
    } finally {
      await file.close();
    }
  }

  /** Who has the log now. */
  async lookAtLease(): Promise<void> {
    const { ports } = this.store;
    const path = this.stored.paths.lease;
    if ((await ports.disk.stat(path)) === null) this.lease = 'free';
    else this.lease = (await leaseHolder(ports, path, this.sight)).kind === 'live' ? 'held' : 'dead';
  }

  /** One page of turns before those that are shown, read from the log. */
  async showEarlier(): Promise<void> {
    const [first] = [...this.earlier, ...this.folded.trace.turns];
    if (first === undefined || this.glimpsed !== null) return;
    const before = first.turn.user_seq;
    const { events } = await this.stored.window(before, (found) => prompts(found) > PAGE);
    const turns = turnsIn(events).slice(-PAGE);
    this.earlier = [...turns, ...this.earlier];
  }

  tree(): ReadonlyMap<string, TreeNode> {
    const { trace, diagnosis, replay, damage, torn } = this.folded;
    const live = this.lease === 'held';
    if (this.glimpsed !== null)
      return this.nodes.build({ trace: this.glimpsed, earlier: [], diagnosis: UNCHECKED, live });
    const facts: LogFacts = {
      damage: damage.map(({ line, reason }) => ({ line, reason })),
      // While someone writes, the end of the file is what is being written.
      torn_bytes: live ? 0 : torn,
      lease: this.lease,
      input: replay.input(NO_TARGET),
      effectOf,
    };
    // What became of their children later is known from the whole log.
    this.earlier = this.earlier.map((turn) => caughtUp(turn, diagnosis.news));
    return this.nodes.build({ trace, earlier: this.earlier, diagnosis: diagnosis.finish(facts), live });
  }

  /** Nobody looks at it any more: it is not read to the end. */
  leave(): void {
    this.over.abort();
  }

  get left(): boolean {
    return this.over.signal.aborted;
  }

  async close(): Promise<void> {
    this.leave();
    await this.stored.close();
  }

  private startOver(): boolean {
    if (this.folded.from.offset === 0) return false;
    this.folded = nothing(this.sessionId);
    this.earlier = [];
    return true;
  }
}

function nothing(sessionId: string): Folded {
  return {
    trace: emptyTrace(sessionId),
    diagnosis: new DiagnosisFold(sessionId),
    replay: new ReplayFold(),
    damage: [],
    from: FROM_START,
    torn: 0,
  };
}

function push(folded: Folded, event: LogEvent): void {
  folded.trace = applyToSessionTrace(folded.trace, event);
  folded.diagnosis.push(event);
  folded.replay.push(thinned(event));
}

function prompts(events: readonly LogEvent[]): number {
  return events.filter(({ type }) => type === 'user_message').length;
}
