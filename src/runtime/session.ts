import { ActiveRun } from './active-run.ts';
import { ChildNews } from './child-news.ts';
import { closing, NOTHING_REMAINS } from './closing.ts';
import { checkDecision, decidedCalls, type Decision } from './decisions.ts';
import { draft, type Draft, type InterruptedReason, type KnownEvent, type LogEvent } from './events.ts';
import { opening, type Prompt } from './opening.ts';
import { AppendFailed, type LogWriter, type StreamScratch, type ToolBox } from './ports.ts';
import type { ReplayTarget } from './replay/fold.ts';
import { moveRun } from './machines.ts';
import { decidedByRule } from './rule-decisions.ts';
import { runContext } from './run-context.ts';
import type { RunResult } from './run-end.ts';
import type { CheckedInput, KnownBefore } from './session-folds.ts';
import { compactionRefused, SessionCompaction, type CompactOutcome } from './session-compaction.ts';
import { sessionRecovery } from './session-recovery.ts';
import { SessionLog } from './session-log.ts';
import type { DecideOutcome, RunPorts, SendOutcome, SessionPorts } from './session-ports.ts';
import { turnRecord, type SessionState, type TurnRecord } from './session-state.ts';
import { isTerminal, turnState, type Turn } from './turn.ts';
import type { TurnEvidence } from './turn-evidence.ts';
import { Turnstile } from './turnstile.ts';

interface Active {
  readonly run: ActiveRun;
  readonly ended: Promise<void>;
}

/** One open session: the folds of its log, and at most one run at a time that extends it. */
export class Session {
  private readonly log: SessionLog;
  private readonly compaction: SessionCompaction;
  private active: Active | null = null;
  /** What a waiting turn goes on with. */
  private nextPorts: (() => Promise<RunPorts>) | null = null;
  private readonly queue = new Turnstile();
  private readonly children: ChildNews;
  private gone = false;
  /** Stops that wait their turn: nothing goes on before them. */
  private stops = 0;
  private lastRun: RunResult | null = null;

  constructor(
    sessionId: string,
    private readonly ports: SessionPorts,
  ) {
    this.log = new SessionLog(sessionId, ports.publish);
    this.children = new ChildNews(ports.children, ports.clock, () => this.state.children);
    const record = (drafts: readonly Draft[]): Promise<unknown> => this.record(drafts);
    this.compaction = new SessionCompaction({ ...ports, folds: this.log.folds, record });
  }

  get state(): SessionState {
    return this.log.folds.state;
  }

  /** What the last turn did. */
  get evidence(): TurnEvidence {
    return this.log.folds.evidence;
  }

  get running(): boolean {
    return this.active !== null;
  }

  /** Begins later in the log than its start: what came before is summed up in a checkpoint there. */
  resumeFrom(known: KnownBefore): void {
    this.log.folds.resumeFrom(known);
  }

  /** Folds an event that is already in the log. */
  restore(event: LogEvent): void {
    this.log.restore(event);
  }

  /** After the whole log is restored: from here on the session is its writer. */
  attach(writer: LogWriter): void {
    this.log.attach(writer);
  }

  /** Closes what the last writer left open. */
  async recover(scratch: StreamScratch | null, tools: ToolBox, { batch } = { batch: false }): Promise<void> {
    const { ids } = this.ports;
    const drafts = sessionRecovery(this.state, { scratch, specs: tools.specs, ids, batch });
    if (drafts.length > 0) await this.record(drafts);
    await this.log.writer.clearStream();
  }

  /** Records facts that belong to no run. */
  note(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    return this.record(drafts);
  }

  find(clientTurnId: string): TurnRecord | undefined {
    return this.log.folds.find(clientTurnId);
  }

  input(target: ReplayTarget): CheckedInput {
    return this.log.folds.input(target);
  }

  /**
   * Starts a turn. Resolves once its prompt is durable; the run goes on by itself until `settled`. A turn
   * that is under way or waits is superseded. The same id again only tells what became of it.
   */
  send(prompt: Prompt, run: RunPorts): Promise<SendOutcome> {
    return this.queue.enter(async () => {
      if (this.log.broken !== null) throw this.log.broken;
      const known = this.log.folds.find(prompt.client_turn_id);
      if (known !== undefined) return { kind: 'duplicate', turn: known };
      await this.interrupt('superseded');
      const turn_id = this.ports.ids.next('turn');
      const begun = this.ports.clock.steady();
      const { app_version, settings } = run;
      const opened = opening(this.state, prompt, settings, { turn_id, app_version });
      await this.record([...this.compaction.takeSpent(), ...opened]);
      this.start(run, begun);
      return { kind: 'started', turn: turnRecord(this.currentTurn()) };
    });
  }

  /** Sums up what is before the tail, or shows how it would be. What a turn waits for stays in the tail. */
  compact(how: { readonly dry_run: boolean }, ports: () => Promise<RunPorts>): Promise<CompactOutcome> {
    return this.queue.enter(async () => {
      await this.log.quiet();
      if (this.log.broken !== null) throw this.log.broken;
      const state = this.state.turn === null ? 'completed' : turnState(this.state.turn);
      // Whoever only looks has no run of its own: then it is another process that carries it out.
      if (state === 'running' || (this.active !== null && !isTerminal(state)))
        return compactionRefused('turn_running');
      // A turn that has its answer is only being closed.
      await this.active?.ended;
      return this.gone ? compactionRefused('stopped') : this.compaction.run(how, ports);
    });
  }

  /** Ends what is under way or waits, and resolves when the log says so. Of a compaction, only that. */
  async stop(reason: InterruptedReason): Promise<void> {
    if (this.stopCompaction()) return this.queue.enter(() => Promise.resolve());
    this.stops += 1;
    this.halt(reason);
    try {
      await this.queue.enter(() => this.interrupt(reason));
    } finally {
      this.stops -= 1;
    }
  }

  /** Answers whether there was one. It does not wait its turn: others may wait for the end of it. */
  stopCompaction(): boolean {
    const { running } = this.compaction;
    this.compaction.stop();
    return running;
  }

  /** The window is going: what runs is closed as `disconnect`; what waits just stays. */
  disconnect(): Promise<void> {
    this.gone = true;
    this.compaction.stop();
    this.halt('disconnect');
    return this.queue.enter(async () => {
      await this.endActive('disconnect');
      // Those of a turn that waits, or of none.
      if (this.log.isWritable) await this.children.close({ kind: 'interrupted', reason: 'disconnect' });
    });
  }

  /**
   * Decides about a pending call. Resolves once the decision is durable and what it lets go on has begun; one
   * that names nothing pending, or was made before, changes nothing.
   */
  decide(decision: Decision, ports: () => Promise<RunPorts>): Promise<DecideOutcome> {
    return this.queue.enter(async () => {
      // What is being written may settle the call: then there is nothing to decide any more.
      await this.log.quiet();
      if (this.log.broken !== null) throw this.log.broken;
      const verdict = checkDecision(this.state.turn, decision, this.log.folds);
      if (verdict.kind !== 'record') return verdict;
      await this.record([verdict.draft]);
      this.nextPorts = ports;
      if (verdict.remembered !== null) {
        await this.ports.remember(verdict.remembered);
        await this.decideByRule(ports);
      }
      await this.goOn();
      return { kind: 'accepted', call_id: verdict.call.call_id };
    });
  }

  /** What was remembered also counts for calls that ask the same already. Where it cannot, they still ask. */
  private decideByRule(ports: () => Promise<RunPorts>): Promise<void> {
    return this.reporting(async () => {
      const run = await ports();
      // What is being written meanwhile may settle them.
      await this.log.quiet();
      const view = { session: this.state, turn: this.currentTurn(), settings: run.settings };
      const drafts = decidedByRule(view, run, () => this.ports.ids.next('decision'));
      if (drafts.length > 0) await this.record(drafts);
    });
  }

  /** Looks again whether a decided call can go on: what it waited for may have ended. */
  recheck(): Promise<void> {
    return this.reporting(() => this.queue.enter(() => this.goOn()));
  }

  private async reporting(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // A failed append has been told.
      if (!(error instanceof AppendFailed)) this.log.bug(error);
    }
  }

  /** Resolves when no run is under way, with what the last one came to. */
  async settled(): Promise<RunResult | null> {
    for (;;) {
      await this.queue.passed;
      if (this.active === null) return this.lastRun;
      await this.active.ended;
    }
  }

  /** Carries out what has been decided: in the run that is under way, or by letting a waiting turn run on. */
  private async goOn(): Promise<void> {
    if (this.active !== null) return this.active.run.wake();
    const { turn } = this.state;
    if (this.nextPorts === null || this.gone || this.stops > 0 || !this.log.isWritable) return;
    if (turn === null || turnState(turn) !== 'waiting') return;
    const ports = await this.nextPorts();
    const { batch_approvals: batch } = ports.settings;
    if (decidedCalls(turn, { batch, isAlive: this.ports.isAlive }).length === 0) return;
    const { turn_id } = turn;
    await this.record([draft('run_status', { turn_id, status: moveRun(turn.run, 'running', turn_id) })]);
    this.start(ports, this.ports.clock.steady());
  }

  /** Does not wait its turn in the queue: rendering ends at once. */
  private halt(reason: InterruptedReason): void {
    this.active?.run.halt(reason);
  }

  private async interrupt(reason: InterruptedReason): Promise<void> {
    await this.endActive(reason);
    const end = { kind: 'interrupted', reason } as const;
    const isOpen = (): boolean => this.state.turn !== null && !isTerminal(turnState(this.state.turn));
    if (!isOpen() || !this.log.isWritable) return;
    await this.children.close(end);
    if (isOpen()) await this.record(closing(this.currentTurn(), end, NOTHING_REMAINS));
  }

  private async endActive(reason: InterruptedReason): Promise<void> {
    this.halt(reason);
    await this.active?.ended;
  }

  private start(ports: RunPorts, begun: number): void {
    const { log, children } = this;
    const turn = (): Turn => this.currentTurn();
    const record = (drafts: readonly Draft[]): Promise<readonly KnownEvent[]> => this.record(drafts);
    const run = new ActiveRun(runContext(this.ports, ports, { log, turn, record, children }), begun);
    this.active = { run, ended: this.ended(run) };
  }

  private async ended(run: ActiveRun): Promise<void> {
    try {
      this.lastRun = await run.result;
    } catch (error) {
      if (error instanceof AppendFailed) this.fail(error);
      else this.log.bug(error);
    } finally {
      this.active = null;
      // Decided in the moment in which the run came to rest.
      void this.recheck();
    }
  }

  private currentTurn(): Turn {
    if (this.state.turn === null) throw new Error('no turn');
    return this.state.turn;
  }

  private async record(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    try {
      const events = await this.log.record(drafts);
      this.children.recorded(drafts);
      return events;
    } catch (error) {
      if (error instanceof AppendFailed) this.fail(error);
      throw error;
    }
  }

  /** Nothing more can be recorded: whatever is under way ends here, and says so. */
  fail(error: AppendFailed): void {
    if (!this.log.fail(error)) return;
    this.ports.children?.abandon();
    this.halt('disconnect');
  }
}
