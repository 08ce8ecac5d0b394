import type { LogEvent, NextAction } from '../runtime/events.ts';
import type { SessionOutput } from '../runtime/outputs.ts';
import type { ToolBox } from '../runtime/ports.ts';
import type { TurnEvidence } from '../runtime/turn-evidence.ts';
import { titleOf } from '../runtime/title.ts';
import { Session } from '../runtime/session.ts';
import type { ChildKeeper, SessionPorts } from '../runtime/session-ports.ts';
import { applyToSession, emptySession, type SessionState } from '../runtime/session-state.ts';
import type { Access } from '../presenter/protocol.ts';
import { DiskError } from '../storage/disk.ts';
import type { AcquireOptions } from '../storage/lease.ts';
import type { ScanEnd } from '../storage/log-scan.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { LoadVisitor, StoredSession } from '../storage/stored-session.ts';
import { tornDiagnostic } from '../storage/torn-tail.ts';
import { whereaboutsOf } from '../storage/trash.ts';
import { importedAccess } from './imported-access.ts';
import { fillsWindow, firstWindow, lastWindow } from './log-window.ts';
import { OtherWindow } from './other-window.ts';
import { originOf, parentageOf, type Origin, type Parentage } from './parentage.ts';
import {
  atWorkAccess,
  damagedAccess,
  deletedAccess,
  DENIED,
  heldAccess,
  OUT_OF_SIGHT,
  type ReadOnly,
} from './read-only-access.ts';

/** So many of the last events are at hand; a presenter gets as many of them as make up a window. */
const AT_HAND = 300;

export interface SessionWatch extends Pick<SessionPorts, 'isAlive' | 'remember'> {
  publish(output: SessionOutput): void;
  /** Whether decisions about a round wait for each other. */
  batch(): boolean;
  /** Who has the children of a session in hand, where it may have any. */
  keeper?(session: OpenedSession): ChildKeeper | undefined;
  /** The process that had the session is gone: it can be opened for writing now. */
  ownerGone(): void;
  /** The session of another process cannot be followed any more. */
  lostSight(): void;
}

export interface SessionWindow {
  readonly events: readonly LogEvent[];
  readonly has_more: boolean;
}

/** A session as a conversation has it open: what is on screen first, then all of it, then its writer. */
export class OpenedSession {
  private recent: LogEvent[] = [];
  private more = false;
  private viewed: SessionState;
  private firstLine = '';
  private whose: Parentage | null = null;
  /** Of a fork: which session it was made of. */
  origin: Origin | null = null;
  private readonly other: OtherWindow;
  access: Access = { kind: 'loading' };
  session: Session | null = null;

  private constructor(
    private readonly store: SessionStore,
    private readonly stored: StoredSession,
    private readonly watch: SessionWatch,
  ) {
    this.viewed = emptySession(stored.id);
    this.other = new OtherWindow(stored, store.ports.clock, {
      events: (events) => this.foreign(events),
      delta: (delta) => this.watch.publish({ kind: 'text_delta', ...delta }),
      streams: (turn_id) => {
        const activity = { kind: 'streaming', since: store.ports.clock.now() } as const;
        this.watch.publish({ kind: 'status', turn_id, activity });
      },
      known: () => ({ turn_id: this.state.turn?.turn_id ?? null, events: this.recent }),
      ownerGone: () => this.watch.ownerGone(),
      lostSight: (error) => this.lostSight(error),
    });
  }

  static async open(
    store: SessionStore,
    sessionId: string,
    watch: SessionWatch,
    options: AcquireOptions,
  ): Promise<OpenedSession> {
    const stored = await store.open(sessionId, options);
    const opened = new OpenedSession(store, stored, watch);
    try {
      await opened.showTail();
      return opened;
    } catch (error) {
      // Whoever cannot show it does not keep others from it.
      await stored.close();
      throw error;
    }
  }

  get id(): string {
    return this.stored.id;
  }

  get title(): string {
    return this.firstLine;
  }

  /** Of a child: whose it is. */
  get parent(): Parentage | null {
    return this.whose;
  }

  /** A child that this very process runs for its parent: it is nobody's to take. */
  get atWork(): boolean {
    const { pid, host } = this.store.ports.processes;
    const by = this.stored.held_by;
    return this.whose !== null && by !== null && by.pid === pid && by.host === host;
  }

  get window(): SessionWindow {
    const events = lastWindow(this.recent);
    return { events, has_more: this.more || events.length < this.recent.length };
  }

  /** The fold as far as it is known: of the window while the rest is still being read. */
  get state(): SessionState {
    return this.session?.state ?? this.viewed;
  }

  size(): Promise<number> {
    return this.stored.size();
  }

  /** Keeps the window up to date with what was committed. */
  noteCommitted(events: readonly LogEvent[]): void {
    const prompt = events.find((event) => event.type === 'user_message');
    if (this.firstLine === '' && prompt !== undefined) this.firstLine = titleOf(prompt.data.text);
    this.recent.push(...events);
    if (this.recent.length <= 2 * AT_HAND) return;
    this.recent = this.recent.slice(-AT_HAND);
    this.more = true;
  }

  async before(seq: number): Promise<SessionWindow> {
    const { events: found, from_offset } = await this.stored.window(seq, fillsWindow);
    const events = lastWindow(found);
    return { events, has_more: from_offset > 0 || events.length < found.length };
  }

  async after(seq: number): Promise<{ readonly events: readonly LogEvent[]; readonly has_later: boolean }> {
    const { events: found, to_end } = await this.stored.windowAfter(seq, fillsWindow);
    const events = firstWindow(found);
    return { events, has_later: !to_end || events.length < found.length };
  }

  /** The events before a seq, or the last ones, until there are enough or as many as are read at once. */
  async eventsBefore(
    seq: number | null,
    enough: (events: readonly LogEvent[]) => boolean,
  ): Promise<SessionWindow> {
    const { events, from_offset } = await this.stored.window(seq, enough);
    return { events, has_more: from_offset > 0 };
  }

  /** What the last turn did; null while the log has not been read. */
  get evidence(): TurnEvidence | null {
    return this.session?.evidence ?? null;
  }

  /**
   * Reads and checks the whole log, closes what a dead writer left open, and makes it ready to send. Called off
   * while it reads, it leaves everything as it is.
   */
  async load(tools: () => Promise<ToolBox>, signal?: AbortSignal): Promise<void> {
    const { clock, ids, hasher } = this.store.ports;
    const publish = (output: SessionOutput): void => this.watch.publish(output);
    const { isAlive, remember } = this.watch;
    const children = this.watch.keeper?.(this);
    const kept = children === undefined ? {} : { children };
    const session = new Session(this.id, { clock, ids, hasher, publish, isAlive, remember, ...kept });
    const visitor: LoadVisitor = {
      resume: (from) => session.resumeFrom(from),
      event: (event) => restoreNext(session, event),
      state: () => session.state,
      lost: (failure) => session.fail(failure),
    };
    const loaded = await this.stored.load(visitor, signal);
    if (!loaded.whole) return;
    const { damage } = loaded;
    if (damage.length === 0) this.session = session;
    const imported = await importedAccess(this.store, this.id, damage);
    if (imported !== null || damage.length > 0) {
      this.access = imported ?? damagedAccess(this.id, damage);
      return;
    }
    if (this.stored.denied) {
      this.access = DENIED;
      return;
    }
    if (loaded.writer === null) return this.held(loaded.end);
    session.attach(loaded.writer);
    if (loaded.torn !== null) await session.note([tornDiagnostic(loaded.torn)]);
    await session.recover(loaded.scratch, await tools(), { batch: this.watch.batch() });
    this.access = { kind: 'writer' };
  }

  private async showTail(): Promise<void> {
    const { title, parent, fork } = await this.stored.head();
    this.firstLine = title;
    this.whose = await parentageOf(this.store, parent);
    this.origin = await originOf(this.store, fork);
    const { events, from_offset } = await this.stored.window(null, (found) => found.length >= AT_HAND);
    this.recent = events.slice(-AT_HAND);
    this.more = from_offset > 0 || events.length > AT_HAND;
    for (const event of events) this.viewed = applyToSession(this.viewed, event);
  }

  private held(end: ScanEnd): void {
    const parent = this.whose?.session_id ?? null;
    this.access =
      this.atWork && parent !== null
        ? atWorkAccess(parent)
        : heldAccess(this.id, this.stored.held_by, parent);
    this.other.begin(end);
  }

  /**
   * What became of a session: `free` when one that is only looked at can be opened for writing now, `trash` or
   * `nowhere` when the log that was shown is no longer in its place.
   */
  async standing(): Promise<'same' | 'free' | 'trash' | 'nowhere'> {
    const { access } = this;
    // What runs comes upon it with its next event.
    if (access.kind === 'loading' || this.session?.running === true) return 'same';
    const reason = access.kind === 'writer' ? null : access.reason;
    if (reason === 'held' && !(await this.stored.ownerGone())) return 'same';
    const where = this.recent.length === 0 ? 'in_place' : await this.whereabouts();
    if (where !== 'in_place') return where;
    return reason === 'held' || reason === 'deleted' ? 'free' : 'same';
  }

  /** A disk that does not answer says nothing of where the log is. */
  private async whereabouts(): Promise<'in_place' | 'trash' | 'nowhere'> {
    const { ports, root } = this.store;
    try {
      return await whereaboutsOf(ports.disk, root, this.id);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      ports.warn(`the log of ${this.id} could not be looked up: ${error.message}`);
      return 'in_place';
    }
  }

  /** There is something to be done about it, or to be told of it. */
  async abandoned(): Promise<boolean> {
    const standing = await this.standing();
    if (this.access.kind === 'read_only' && this.access.reason === 'deleted') return standing === 'free';
    return standing !== 'same';
  }

  /** Nothing is made in its place: what is shown stays readable, and its id stays that of what was deleted. */
  deleted(where: 'trash' | 'nowhere'): ReadOnly {
    const access = deletedAccess(where);
    this.access = access;
    return access;
  }

  /** What is shown may be old by now, and says so. */
  private lostSight(error: unknown): void {
    this.store.ports.warn(`the session is no longer followed: ${String(error)}`);
    this.access = OUT_OF_SIGHT;
    this.watch.lostSight();
  }

  private foreign(events: readonly LogEvent[]): void {
    for (const event of events) if (this.session !== null) restoreNext(this.session, event);
    this.watch.publish({ kind: 'committed', events });
  }

  /** From here on it can only be looked at. */
  refuse(
    reason: Exclude<ReadOnly['reason'], 'held' | 'untrusted' | 'imported'>,
    message: string,
    next_actions: readonly NextAction[],
  ): void {
    this.access = { kind: 'read_only', reason, message, next_actions: [...next_actions] };
  }

  async close(): Promise<void> {
    await this.other.close();
    if (this.access.kind === 'writer') await this.session?.disconnect();
    await this.stored.close();
  }
}

/** What follows a damaged line is shown, but not folded: the session stays as it was before the damage. */
function restoreNext(session: Session, event: LogEvent): void {
  if (event.seq === session.state.last_seq + 1) session.restore(event);
}
