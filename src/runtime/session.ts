import { closing, NOTHING_REMAINS } from './closing.ts';
import { stamped, type Draft, type InterruptedReason, type KnownEvent, type LogEvent } from './events.ts';
import type { Extension, RunSettings } from './extension.ts';
import { opening, type Prompt } from './opening.ts';
import type { SessionOutput } from './outputs.ts';
import {
  AppendFailed,
  type Clock,
  type Hasher,
  type Ids,
  type LogWriter,
  type Provider,
  type StreamScratch,
  type ToolBox,
} from './ports.ts';
import { promptSurface } from './prompt/contract.ts';
import { recovery } from './recovery.ts';
import type { ReplayTarget } from './replay/fold.ts';
import type { RunEnd, RunResult } from './run-end.ts';
import { SessionFolds, type CheckedInput, type KnownBefore } from './session-folds.ts';
import { turnRecord, type SessionState, type TurnRecord } from './session-state.ts';
import type { TurnContext } from './turn-context.ts';
import { runTurn } from './turn-loop.ts';
import { isTerminal, turnState, type Turn } from './turn.ts';

export interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hasher: Hasher;
  readonly publish: (output: SessionOutput) => void;
}

/** What one run uses. Asked for when it starts, so that a changed setting counts from the next turn on. */
export interface RunPorts {
  readonly provider: Provider;
  readonly tools: ToolBox;
  readonly extensions: readonly Extension[];
  readonly settings: RunSettings;
  readonly app_version: string;
}

export type SendOutcome = { readonly kind: 'started' | 'duplicate'; readonly turn: TurnRecord };

interface ActiveRun {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** One open session: the folds of its log, and at most one run at a time that extends it. */
export class Session {
  private readonly folds: SessionFolds;
  private writer: LogWriter | null = null;
  private active: ActiveRun | null = null;
  private queue: Promise<unknown> = Promise.resolve();
  private broken: AppendFailed | null = null;
  private lastRun: RunResult | null = null;

  constructor(
    sessionId: string,
    private readonly ports: SessionPorts,
  ) {
    this.folds = new SessionFolds(sessionId);
  }

  get state(): SessionState {
    return this.folds.state;
  }

  get running(): boolean {
    return this.active !== null;
  }

  /** Begins later in the log than its start: what came before is summed up in a checkpoint there. */
  resumeFrom(known: KnownBefore): void {
    this.folds.resumeFrom(known);
  }

  /** Folds an event that is already in the log. */
  restore(event: LogEvent): void {
    this.folds.push(event);
  }

  /** After the whole log is restored: from here on the session is its writer. */
  attach(writer: LogWriter): void {
    this.writer = writer;
  }

  /** Closes what the last writer left open. */
  async recover(scratch: StreamScratch | null, tools: ToolBox): Promise<void> {
    const effects = new Map(tools.specs.map((spec) => [spec.name, spec.effect]));
    const drafts = recovery(this.state.turn, scratch, (name) => effects.get(name) ?? null, this.ports.ids);
    if (drafts.length > 0) await this.record(drafts);
    await this.log().clearStream();
  }

  /** Records facts that belong to no run. */
  async note(drafts: readonly Draft[]): Promise<void> {
    await this.record(drafts);
  }

  find(clientTurnId: string): TurnRecord | undefined {
    return this.folds.find(clientTurnId);
  }

  input(target: ReplayTarget): CheckedInput {
    return this.folds.input(target);
  }

  /**
   * Starts a turn. Resolves once its prompt is durable; the run goes on by itself until `settled`. A turn
   * that is under way or waits is superseded. The same id again only tells what became of it.
   */
  send(prompt: Prompt, run: RunPorts): Promise<SendOutcome> {
    return this.exclusively(async () => {
      if (this.broken !== null) throw this.broken;
      const known = this.folds.find(prompt.client_turn_id);
      if (known !== undefined) return { kind: 'duplicate', turn: known };
      await this.interrupt('superseded');
      const turn_id = this.ports.ids.next('turn');
      const started_at = this.ports.clock.now();
      const { app_version, settings } = run;
      await this.record(opening(this.state, prompt, settings, { turn_id, app_version }));
      this.start(run, started_at);
      return { kind: 'started', turn: turnRecord(this.currentTurn()) };
    });
  }

  /** Ends what is under way or waits, and resolves when the log says so. */
  stop(reason: InterruptedReason): Promise<void> {
    this.halt(reason);
    return this.exclusively(() => this.interrupt(reason));
  }

  /** The window is going: what runs is closed as `disconnect`; what waits just stays. */
  disconnect(): Promise<void> {
    this.halt('disconnect');
    return this.exclusively(() => this.endActive('disconnect'));
  }

  /** Resolves when no run is under way, with what the last one came to. */
  async settled(): Promise<RunResult | null> {
    await this.queue;
    await this.active?.ended;
    return this.lastRun;
  }

  /** Does not wait its turn in the queue: rendering ends at once. */
  private halt(reason: InterruptedReason): void {
    this.active?.controller.abort({ kind: 'interrupted', reason } satisfies RunEnd);
  }

  private async interrupt(reason: InterruptedReason): Promise<void> {
    await this.endActive(reason);
    const { turn } = this.state;
    if (turn === null || isTerminal(turnState(turn)) || this.broken !== null || this.writer === null) return;
    await this.record(closing(turn, { kind: 'interrupted', reason }, NOTHING_REMAINS));
  }

  private async endActive(reason: InterruptedReason): Promise<void> {
    this.halt(reason);
    await this.active?.ended;
  }

  private start(run: RunPorts, started_at: number): void {
    const controller = new AbortController();
    // Begins a moment later: whatever it publishes first can already stop it.
    const begun = Promise.resolve().then(() => this.carry(run, started_at, controller));
    const ended = begun.finally(() => {
      this.active = null;
    });
    this.active = { controller, ended };
  }

  private async carry(run: RunPorts, started_at: number, controller: AbortController): Promise<void> {
    const over = new AbortController();
    const timer = this.haltAfter(run.settings.turn_timeout_ms, over.signal, controller);
    try {
      this.lastRun = await runTurn(this.context(run, started_at, controller.signal));
    } catch (error) {
      if (error instanceof AppendFailed) this.fail(error);
      else
        this.ports.publish({
          kind: 'internal_error',
          message: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
    } finally {
      over.abort();
      await timer;
    }
  }

  private async haltAfter(budget: number, over: AbortSignal, controller: AbortController): Promise<void> {
    await this.ports.clock.sleep(budget, over);
    if (!over.aborted) controller.abort(timeoutEnd(budget));
  }

  private context(run: RunPorts, started_at: number, signal: AbortSignal): TurnContext {
    const { clock, ids, hasher } = this.ports;
    return {
      clock,
      ids,
      hasher,
      log: this.log(),
      provider: run.provider,
      tools: run.tools,
      extensions: run.extensions,
      settings: run.settings,
      surface: promptSurface(run.tools.specs, '', hasher),
      started_at,
      signal,
      halt: () => (signal.aborted ? haltReason(signal) : null),
      session: () => this.state,
      turn: () => this.currentTurn(),
      record: (drafts) => this.record(drafts),
      publish: (output) => {
        // After a halt nothing more is rendered: what was shown is what gets recorded.
        if (!signal.aborted) this.ports.publish(output);
      },
      input: (target) => this.folds.input(target),
      knowsCall: (callId) => this.folds.knowsCall(callId),
    };
  }

  private currentTurn(): Turn {
    if (this.state.turn === null) throw new Error('no turn');
    return this.state.turn;
  }

  private log(): LogWriter {
    if (this.writer === null) throw new Error('the session is not open for writing');
    return this.writer;
  }

  /** Durable first, then folded, then published. */
  private async record(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    try {
      const events = await this.log().append(this.caused(drafts));
      for (const event of events) this.folds.push(event);
      this.ports.publish({ kind: 'committed', events });
      return events;
    } catch (error) {
      if (error instanceof AppendFailed) this.fail(error);
      throw error;
    }
  }

  private caused(drafts: readonly Draft[]): readonly Draft[] {
    const { turn } = this.state;
    if (turn === null) return drafts;
    const { turn_id, client_turn_id, open } = turn;
    return drafts.map((entry) =>
      stamped(entry, { turn_id, client_turn_id, streamOf: (callId) => open.get(callId)?.stream_run_id }),
    );
  }

  /** Nothing more can be recorded: whatever is under way ends here, and says so. */
  fail(error: AppendFailed): void {
    if (this.broken !== null) return;
    this.broken = error;
    this.ports.publish({ kind: 'append_failed', failure: error.kind, message: error.message });
    this.halt('disconnect');
  }

  private exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.queue.then(work, work);
    this.queue = result.catch(() => undefined);
    return result;
  }
}

function timeoutEnd(budget: number): RunEnd {
  const message = `The turn did not finish within its budget of ${budget / 1000} s.`;
  return { kind: 'stopped', code: 'timeout', message, details: { timeout_ms: budget } };
}

function haltReason(signal: AbortSignal): RunEnd {
  const reason: unknown = signal.reason;
  return isRunEnd(reason) ? reason : { kind: 'interrupted', reason: 'disconnect' };
}

/** The controller is private to a session, and every abort of it gives a `RunEnd`. */
function isRunEnd(reason: unknown): reason is RunEnd {
  return typeof reason === 'object' && reason !== null && 'kind' in reason;
}
