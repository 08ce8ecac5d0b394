import type { ChildQuestion } from '../../runtime/agent-events.ts';
import { endDraft } from '../../runtime/agents/child-drafts.ts';
import { directiveOf, type Directive } from '../../runtime/agents/child-policy.ts';
import { isOpenChild } from '../../runtime/agents/child-states.ts';
import { childOf, type Child, type Children } from '../../runtime/agents/children.ts';
import type { Draft, KnownEvent } from '../../runtime/events.ts';
import { ChildNews } from '../../runtime/child-news.ts';
import { AppendFailed } from '../../runtime/ports.ts';
import type { RunEnd } from '../../runtime/run-end.ts';
import type { ChildKeeper } from '../../runtime/session-ports.ts';
import { carryChild, type Outcome } from './child-carrying.ts';
import { ChildMeans, type AgentDeps, type Place } from './child-means.ts';
import { heartbeatDraft, retriedDraft, startedDraft, waitDraft } from './life-drafts.ts';
import { asked, isHeldBack } from './live-items.ts';
import { LiveChild, type FirstWork } from './live-child.ts';
import { Waiters } from './waiters.ts';

const HEARTBEAT_MS = 60_000;

/** Has the children of one open session in hand. What it knows of them is in the session's log, or live. */
export class AgentSupervisor implements ChildKeeper {
  private readonly live = new Map<string, LiveChild>();
  readonly waiters: Waiters;
  /** What the log comes to say of them. */
  readonly news: ChildNews;
  private lost = false;
  /** Of children of steps, until they are given more to do. */
  private readonly outcomes = new Map<string, Outcome & { readonly elapsed_ms: number }>();
  private entries: Promise<unknown> = Promise.resolve();
  private beats: AbortController | null = null;

  constructor(
    readonly place: Place,
    readonly deps: AgentDeps,
  ) {
    this.waiters = new Waiters(() => this.children, deps.clock);
    this.news = new ChildNews(undefined, deps.clock, () => this.children);
  }

  get children(): Children {
    return this.place.session().state.children;
  }

  /** Those that this process runs or will run. */
  get open(): readonly LiveChild[] {
    return [...this.live.values()];
  }

  liveOf(id: string): LiveChild | undefined {
    return this.live.get(id);
  }

  /** Resolves when all that were asked for are on record. */
  get entered(): Promise<unknown> {
    return this.entries;
  }

  /** On record, and at work where there is room. Answers whether it is. */
  async enter(child: Child, first: FirstWork, entry: Draft): Promise<'running' | 'queued'> {
    const { max_running } = this.deps.limits();
    const live = new LiveChild(child.subagent_id, first, this.deps.clock);
    const isFree = this.running < max_running;
    if (isFree) live.begin();
    this.live.set(live.id, live);
    this.outcomes.delete(live.id);
    const drafts = isFree ? [entry, startedDraft(child, live, this.timeoutOf(child))] : [entry];
    const recorded = this.record(drafts);
    this.entries = Promise.allSettled([this.entries, recorded]);
    try {
      await recorded;
    } catch (error) {
      this.dropped([live]);
      throw error;
    }
    live.isEntered();
    if (isFree) void this.carry(live);
    this.place.news(live, 'fact');
    // There may have come room while that was being written.
    if (!isFree) await this.fill();
    return live.phase;
  }

  /** Ends one for a reason. Resolves when that is on record. */
  async end(live: LiveChild, directive: Directive): Promise<void> {
    this.direct(live, directive);
    await live.ended;
  }

  async closeAll(end: RunEnd): Promise<void> {
    await this.endAll(this.place.directive?.() ?? directiveOf(end));
  }

  abandon(): void {
    this.lost = true;
    void this.endAll({ status: 'detached', reason: 'The log of its parent takes nothing more.' });
  }

  /** What becomes of one that is not in hand. */
  async recordEnd(child: Child, outcome: Outcome, live: LiveChild | null): Promise<void> {
    await this.record([
      endDraft(this.place.session_id, child, {
        ...outcome,
        elapsed_ms: live?.elapsed ?? child.worked_ms,
        deadline_at: live === null ? child.deadline_at : live.due,
        retry_history: live?.attempts ?? child.retry_history,
      }),
    ]);
  }

  async record(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    if (this.lost) throw new AppendFailed('closed', 'the log of the parent takes nothing more');
    const events = await this.place.session().note(drafts);
    const { isHeld } = this.news;
    this.news.recorded(drafts);
    // Whoever waits for one that waits for a person waits for that person, too.
    if (this.news.isHeld !== isHeld) this.place.held?.(isHeld ? null : asked(this));
    return events;
  }

  /** How the child of a step ended, for the one who waits for it. */
  outcomeOf(id: string): (Outcome & { readonly elapsed_ms: number }) | undefined {
    return this.outcomes.get(id);
  }

  private async endAll(directive: Directive): Promise<void> {
    const all = this.open;
    for (const live of all) this.direct(live, directive);
    await Promise.all(all.map(({ ended }) => ended));
  }

  private direct(live: LiveChild, directive: Directive): void {
    if (live.directive !== null) return;
    live.direct(directive);
    if (live.phase === 'queued') {
      void this.overInLine(live, directive);
      return;
    }
    const { session } = live;
    if (session === null) return;
    // Not waited for: what it comes to is waited for as a whole.
    const ending = directive.status === 'detached' ? session.close() : session.stop();
    ending.catch((error: unknown) => this.deps.onError(`ending ${live.id}: ${String(error)}`));
  }

  /** One that never began. What is said of it comes after that it was asked for. */
  private async overInLine(live: LiveChild, directive: Directive): Promise<void> {
    await live.entry;
    if (this.live.has(live.id)) await this.over(live, { ...directive, summary: '', checkpoint: null });
  }

  /** What cannot be put on record does not happen. */
  private dropped(lives: readonly LiveChild[]): void {
    for (const live of lives) {
      this.live.delete(live.id);
      live.isOver();
    }
  }

  private get running(): number {
    return this.open.filter(({ phase }) => phase === 'running').length;
  }

  private timeoutOf({ timeout_ms }: Child): number {
    return timeout_ms ?? this.deps.limits().timeout_ms;
  }

  /** Those that wait for room get it, in the order in which they came. */
  private async fill(): Promise<void> {
    const room = Math.max(0, this.deps.limits().max_running - this.running);
    const next = this.open.filter(
      ({ phase, directive, entered }) => phase === 'queued' && directive === null && entered,
    );
    const chosen = this.lost ? [] : next.slice(0, room);
    for (const live of chosen) live.begin();
    const drafts = chosen.map((live) => {
      const child = this.known(live);
      return startedDraft(child, live, this.timeoutOf(child));
    });
    try {
      if (drafts.length > 0) await this.record(drafts);
    } catch (error) {
      this.dropped(chosen);
      throw error;
    }
    for (const live of chosen) {
      void this.carry(live);
      this.place.news(live, 'fact');
    }
  }

  private async carry(live: LiveChild): Promise<void> {
    this.beat();
    const outcome = await this.carried(live).catch((error: unknown): Outcome => {
      const reason = error instanceof Error ? error.message : String(error);
      this.deps.onError(`agent ${live.id}: ${error instanceof Error ? (error.stack ?? reason) : reason}`);
      return { status: 'failed', reason, summary: '', checkpoint: null };
    });
    await this.over(live, outcome);
  }

  private async carried(live: LiveChild): Promise<Outcome> {
    const means = new ChildMeans(this.known(live), this.place, this.deps, live);
    try {
      return await carryChild(live, {
        clock: this.deps.clock,
        timeout_ms: means.timeout_ms,
        mode: means.mode,
        child: () => this.known(live),
        origin: () => this.originOf(live),
        open: (waits) => means.open(this.known(live).child_session_id, waits),
        again: (failed) => this.retried(live, failed),
        waits: (questions) => this.waits(live, questions, means.timeout_ms),
        newTurnId: () => this.deps.ids.next('turn'),
      });
    } finally {
      await means.leave();
    }
  }

  private known({ id }: LiveChild): Child {
    const child = childOf(this.children, id);
    if (child === undefined) throw new Error(`no child ${id} on record`);
    return child;
  }

  private originOf(live: LiveChild): ReturnType<Parameters<typeof carryChild>[1]['origin']> {
    const { subagent_id, agent, depth } = this.known(live);
    return { parent_session_id: this.place.session_id, subagent_id, agent, depth };
  }

  /** On record before anyone is told. A write that fails ends the parent's session visibly. */
  private async over(live: LiveChild, outcome: Outcome): Promise<void> {
    try {
      const child = this.known(live);
      if (child.workflow_id !== null) this.outcomes.set(live.id, { ...outcome, elapsed_ms: live.elapsed });
      await this.recordEnd(child, outcome, live);
    } catch (error) {
      if (!(error instanceof AppendFailed)) this.deps.onError(`the end of ${live.id}: ${String(error)}`);
    }
    this.live.delete(live.id);
    live.isOver();
    this.waiters.look();
    this.place.news(live, 'fact');
    if (this.live.size === 0) this.beats?.abort();
    try {
      await this.fill();
    } catch (error) {
      if (!(error instanceof AppendFailed)) throw error;
    }
  }

  private async retried(
    live: LiveChild,
    failed: { readonly error_kind: string; readonly reason: string },
  ): Promise<void> {
    const child = this.known(live);
    const { child_session_id } = child;
    const past = { attempt: live.attempts.length + 1, child_session_id, ...failed, elapsed_ms: live.elapsed };
    live.attempts = [...live.attempts, past];
    await this.record([retriedDraft(child, this.deps.ids.next('session'), live.attempts)]);
  }

  private async waits(
    live: LiveChild,
    questions: readonly ChildQuestion[] | null,
    timeout_ms: number,
  ): Promise<void> {
    if (questions === null ? !live.waiting || isHeldBack(live) : live.waiting) return;
    live.wait(questions !== null);
    this.place.news(live, 'fact');
    if (!this.lost) await this.record([waitDraft(this.known(live), questions, live.deadline(timeout_ms))]);
  }

  /** While any runs: what a crash leaves behind then says when each was last at work. */
  private beat(): void {
    if (this.beats !== null && !this.beats.signal.aborted) return;
    this.beats = new AbortController();
    void this.beating(this.beats.signal);
  }

  private async beating(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.deps.clock.sleep(HEARTBEAT_MS, signal);
      if (signal.aborted || this.lost) return;
      const drafts = this.open.flatMap((live) => {
        const child = live.phase === 'running' ? childOf(this.children, live.id) : undefined;
        return child === undefined || !isOpenChild(child) ? [] : [heartbeatDraft(child, live)];
      });
      try {
        if (drafts.length > 0) await this.record(drafts);
      } catch (error) {
        // A failed append has been told, and ends everything.
        if (!(error instanceof AppendFailed)) throw error;
        return;
      }
    }
  }
}
