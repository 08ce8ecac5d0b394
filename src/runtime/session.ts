import { closing, NOTHING_REMAINS } from './closing.ts';
import {
  draft,
  type Attachment,
  type Draft,
  type InterruptedReason,
  type KnownEvent,
  type LogEvent,
} from './events.ts';
import type { Extension, RunSettings } from './extension.ts';
import { interruptionNote } from './interruption-note.ts';
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
import { PROMPT_CONTRACT_VERSION, promptSurface } from './prompt/contract.ts';
import { recovery } from './recovery.ts';
import { ReplayFold, type ReplayTarget } from './replay/fold.ts';
import type { InputItem } from './replay/items.ts';
import { repair, RequestValidator, type RequestProblem } from './replay/validator.ts';
import type { RunEnd } from './run-end.ts';
import {
  applyToSession,
  emptySession,
  TurnIndex,
  type SessionState,
  type TurnRecord,
} from './session-state.ts';
import type { TurnContext } from './turn-context.ts';
import { runTurn } from './turn-loop.ts';
import { isTerminal, turnState, type Turn } from './turn.ts';

export interface SessionPorts {
  readonly log: LogWriter;
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

export interface Prompt {
  readonly client_turn_id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export type SendOutcome = { readonly kind: 'started' | 'duplicate'; readonly turn: TurnRecord };

interface ActiveRun {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** One open session: the fold of its log, and at most one run at a time that extends it. */
export class Session {
  private current: SessionState;
  private readonly replay = new ReplayFold();
  private readonly validator = new RequestValidator();
  private readonly turns = new TurnIndex();
  private active: ActiveRun | null = null;
  private queue: Promise<unknown> = Promise.resolve();
  private broken: AppendFailed | null = null;

  constructor(
    sessionId: string,
    private readonly ports: SessionPorts,
  ) {
    this.current = emptySession(sessionId);
  }

  get state(): SessionState {
    return this.current;
  }

  get running(): boolean {
    return this.active !== null;
  }

  /** Begins later in the log than its start: what came before is summed up in a checkpoint there. */
  resumeFrom(
    known: Pick<SessionState, 'fork_root_session_id' | 'context'> & {
      readonly next_seq: number;
      readonly turns: readonly TurnRecord[];
    },
  ): void {
    const { fork_root_session_id, context, next_seq } = known;
    this.current = { ...this.current, last_seq: next_seq - 1, fork_root_session_id, context };
    for (const turn of known.turns) this.turns.add(turn);
  }

  /** Folds an event that is already in the log. */
  restore(event: LogEvent): void {
    this.fold(event);
  }

  /** After the whole log is restored: closes what the last writer left open. */
  async recover(scratch: StreamScratch | null, tools: ToolBox): Promise<void> {
    const effects = new Map(tools.specs.map((spec) => [spec.name, spec.effect]));
    const drafts = recovery(this.current.turn, scratch, (name) => effects.get(name) ?? null, this.ports.ids);
    if (drafts.length > 0) await this.record(drafts);
    await this.ports.log.clearStream();
  }

  find(clientTurnId: string): TurnRecord | undefined {
    return this.turns.find(clientTurnId);
  }

  explain(target: ReplayTarget): ReturnType<ReplayFold['explain']> {
    return this.replay.explain(target);
  }

  /**
   * Starts a turn. Resolves once its prompt is durable; the run goes on by itself until `settled`. A turn
   * that is under way or waits is superseded. The same id again only tells what became of it.
   */
  send(prompt: Prompt, run: RunPorts): Promise<SendOutcome> {
    return this.exclusively(async () => {
      if (this.broken !== null) throw this.broken;
      const known = this.turns.find(prompt.client_turn_id);
      if (known !== undefined) return { kind: 'duplicate', turn: known };
      await this.interrupt('superseded');
      const turn_id = this.ports.ids.next('turn');
      const started_at = this.ports.clock.now();
      await this.record(this.opening(prompt, run, turn_id));
      this.start(run, started_at);
      return { kind: 'started', turn: { turn_id, client_turn_id: prompt.client_turn_id, state: 'running' } };
    });
  }

  /** Ends what is under way or waits, and resolves when the log says so. */
  stop(reason: InterruptedReason): Promise<void> {
    return this.halting(reason, () => this.exclusively(() => this.interrupt(reason)));
  }

  /** The window is going: what runs is closed as `disconnect`; what waits just stays. */
  disconnect(): Promise<void> {
    return this.halting('disconnect', () => this.exclusively(() => this.endActive('disconnect')));
  }

  /** Resolves when no run is under way. */
  async settled(): Promise<void> {
    await this.queue;
    await this.active?.ended;
  }

  /** The abort does not wait its turn in the queue: rendering ends at once. */
  private halting(reason: InterruptedReason, then: () => Promise<void>): Promise<void> {
    this.active?.controller.abort({ kind: 'interrupted', reason } satisfies RunEnd);
    return then();
  }

  private async interrupt(reason: InterruptedReason): Promise<void> {
    await this.endActive(reason);
    const { turn } = this.current;
    if (turn === null || isTerminal(turnState(turn)) || this.broken !== null) return;
    await this.record(closing(turn, { kind: 'interrupted', reason }, NOTHING_REMAINS));
  }

  private async endActive(reason: InterruptedReason): Promise<void> {
    this.active?.controller.abort({ kind: 'interrupted', reason } satisfies RunEnd);
    await this.active?.ended;
  }

  private opening(prompt: Prompt, run: RunPorts, turn_id: string): readonly Draft[] {
    const { workspace, branch, permission_mode } = run.settings;
    const context = { workspace, branch, permission_mode };
    const drafts: Draft[] = [];
    if (this.current.last_seq < 0) {
      drafts.push(
        draft('session_started', {
          workspace,
          app_version: run.app_version,
          prompt_contract_version: PROMPT_CONTRACT_VERSION,
          permission_mode,
          fork_root_session_id: this.current.fork_root_session_id,
        }),
      );
    }
    const last = this.current.context;
    if (
      last === null ||
      last.workspace !== workspace ||
      last.branch !== branch ||
      last.permission_mode !== permission_mode
    ) {
      drafts.push(draft('developer_context', context));
    }
    const note = interruptionNote(this.current.turn, turn_id);
    if (note !== null) drafts.push(note);
    return [
      ...drafts,
      draft('user_message', { turn_id, ...prompt }),
      draft('run_status', { turn_id, status: 'running' }),
    ];
  }

  private start(run: RunPorts, started_at: number): void {
    const controller = new AbortController();
    const ended = this.carry(run, started_at, controller).finally(() => {
      if (this.active?.controller === controller) this.active = null;
    });
    this.active = { controller, ended };
  }

  private async carry(run: RunPorts, started_at: number, controller: AbortController): Promise<void> {
    const over = new AbortController();
    const budget = run.settings.turn_timeout_ms;
    const timer = this.haltAfter(budget, over.signal, controller);
    try {
      await runTurn(this.context(run, started_at, controller.signal));
    } catch (error) {
      if (!(error instanceof AppendFailed)) throw error;
      this.fail(error);
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
    const { clock, ids, hasher, log } = this.ports;
    return {
      clock,
      ids,
      hasher,
      log,
      ...run,
      surface: promptSurface(run.tools.specs, '', hasher),
      started_at,
      signal,
      halt: () => (signal.aborted ? haltReason(signal) : null),
      session: () => this.current,
      turn: () => this.currentTurn(),
      record: (drafts) => this.record(drafts),
      publish: (output) => {
        // After a halt nothing more is rendered: what was shown is what gets recorded.
        if (!signal.aborted || output.kind === 'committed') this.ports.publish(output);
      },
      input: (target) => this.input(target),
      knowsCall: (callId) => this.replay.knowsCall(callId),
    };
  }

  private currentTurn(): Turn {
    if (this.current.turn === null) throw new Error('no turn');
    return this.current.turn;
  }

  private input(target: ReplayTarget): {
    readonly items: readonly InputItem[];
    readonly repairs: readonly RequestProblem[];
  } {
    const items = this.replay.input(target);
    const repairs = this.validator.check(items);
    return { items: repairs.length === 0 ? items : repair(items, repairs), repairs };
  }

  private async record(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    try {
      const events = await this.ports.log.append(drafts);
      for (const event of events) this.fold(event);
      this.ports.publish({ kind: 'committed', events });
      return events;
    } catch (error) {
      if (error instanceof AppendFailed) this.fail(error);
      throw error;
    }
  }

  private fold(event: LogEvent): void {
    if (event.seq !== this.current.last_seq + 1)
      throw new Error(`seq ${event.seq} after ${this.current.last_seq}`);
    this.current = applyToSession(this.current, event);
    this.replay.push(event);
    if (this.current.turn !== null) this.turns.note(this.current.turn);
  }

  private fail(error: AppendFailed): void {
    if (this.broken !== null) return;
    this.broken = error;
    this.ports.publish({ kind: 'append_failed', failure: error.kind, message: error.message });
    this.active?.controller.abort({ kind: 'interrupted', reason: 'disconnect' } satisfies RunEnd);
  }

  private exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.queue.then(work, work);
    this.queue = result.catch(() => undefined);
    return result;
  }
}

function timeoutEnd(budget: number): RunEnd {
  return {
    kind: 'stopped',
    code: 'timeout',
    message: `The turn did not finish within its budget of ${budget / 1000} s.`,
    details: { timeout_ms: budget },
  };
}

function haltReason(signal: AbortSignal): RunEnd {
  const reason: unknown = signal.reason;
  return isRunEnd(reason) ? reason : { kind: 'interrupted', reason: 'disconnect' };
}

/** The controller is private to a session, and every abort of it gives a `RunEnd`. */
function isRunEnd(reason: unknown): reason is RunEnd {
  return typeof reason === 'object' && reason !== null && 'kind' in reason;
}
