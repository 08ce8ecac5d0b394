import type { StepResult, StepSpec, WorkflowEvent, WorkflowResult, WorkflowSpec } from '../agent-events.ts';
import { draft, type Draft } from '../events.ts';
import { jsonLine } from '../json-line.ts';
import { AppendFailed } from '../ports.ts';
import { endingAfter, endingBy, RAN_OUT, stoppedWords, type WorkflowEnding } from './endings.ts';
import { conflictsOf, type Conflicts } from './path-sets.ts';
import type { WorkflowPorts } from './ports.ts';
import { finishedDraft, resultOf } from './result.ts';
import { nextMoves } from './schedule.ts';
import { ANSWERED, isHeld, stepIn, type StepAnswer, type WorkflowState } from './state.ts';
import { StepLife } from './step-life.ts';
import { stoppedStatus, unendedResult } from './step-results.ts';

/** The call that a workflow runs in. */
export interface WorkflowCall {
  readonly turn_id: string;
  readonly call_id: string;
}

export type WorkflowStart = { readonly workflow_id: string; readonly call: WorkflowCall } & (
  | { readonly kind: 'new'; readonly spec: WorkflowSpec; readonly template: string | null }
  /** With answers it is they that let it go on; without, it was asked for, and what failed is tried again. */
  | { readonly kind: 'resume'; readonly answers: ReadonlyMap<string, StepAnswer> | null }
);

export interface WorkflowRunEnd {
  readonly result: WorkflowResult;
  readonly ending: WorkflowEnding;
}

/**
 * Carries a workflow out, from its start or from where the log says it is, until nothing of it can run any more. It
 * decides nothing: what comes next is `nextMoves`, what it comes to is `resultOf`. Whatever happens, its end is on
 * record when this returns, unless the log takes nothing any more.
 */
export async function runWorkflow(ports: WorkflowPorts, start: WorkflowStart): Promise<WorkflowRunEnd> {
  return new WorkflowRun(ports, start).carry();
}

/** How long children that are being ended may take to say how. Whoever ends a turn waits for a second at most. */
const GRACE_MS = 500;

/** What the loop waits for. */
type News = { readonly result: StepResult } | { readonly ending: WorkflowEnding };

class WorkflowRun {
  private readonly lives = new Map<string, StepLife>();
  /** Aborted when the workflow is over: then nobody waits for anything of it. */
  private readonly over = new AbortController();
  /** Set when it has to end: then nothing more is started. */
  private halt: WorkflowEnding | null = null;

  constructor(
    private readonly ports: WorkflowPorts,
    private readonly start: WorkflowStart,
  ) {}

  async carry(): Promise<WorkflowRunEnd> {
    // What a person takes is not its time.
    const atWork = (): number => this.ports.clock.steady() - this.ports.heldFor();
    const began = atWork();
    await this.begin();
    try {
      const { ending, failure } = await this.untilOver();
      await this.end(ending);
      const result = await this.finish(ending, Math.round(atWork() - began));
      if (failure !== null) throw failure.error;
      return { result, ending };
    } finally {
      this.over.abort();
    }
  }

  private async finish(ending: WorkflowEnding, elapsed_ms: number): Promise<WorkflowResult> {
    const state = this.state();
    const result = resultOf(state, ending);
    const reason = ending.kind === 'ran_out' ? {} : { reason: ending.kind };
    await this.ports.record([finishedDraft(state, result, { elapsed_ms, ...reason })]);
    return result;
  }

  private state(): WorkflowState {
    const state = this.ports.workflow();
    if (state === undefined) throw new Error(`the log has no workflow ${this.start.workflow_id}`);
    return state;
  }

  private event(data: Omit<WorkflowEvent, 'workflow_id'>): Draft {
    const { workflow_id, call } = this.start;
    return draft('workflow_event', { ...call, workflow_id, ...data });
  }

  private async begin(): Promise<void> {
    const { ports, start } = this;
    if (start.kind === 'new') {
      const { spec, template } = start;
      const started = this.event({
        event: 'workflow_started',
        name: spec.name,
        spec,
        spec_sha256: ports.hasher.sha256(jsonLine(spec)),
        ...(template === null ? {} : { template }),
        ...this.deadline(spec.timeout_ms),
      });
      await ports.record([started]);
      return;
    }
    const { answers } = start;
    const { name, spec } = this.state();
    const resumed = this.event({
      event: 'workflow_resumed',
      name,
      reason: answers === null ? 'asked' : ANSWERED,
      ...this.deadline(spec?.timeout_ms ?? null),
    });
    await ports.record([
      resumed,
      ...[...(answers ?? [])].flatMap(([id, answer]) => this.answered(id, answer)),
    ]);
  }

  /** Every stretch of a workflow has its whole time: waiting for a person is not timed. */
  private deadline(timeoutMs: number | null): Pick<WorkflowEvent, 'deadline_at'> {
    if (timeoutMs === null) return {};
    return { deadline_at: new Date(this.ports.clock.now() + timeoutMs).toISOString() };
  }

  private answered(step_id: string, answer: StepAnswer): readonly Draft[] {
    const state = this.state();
    const spec = state.spec?.steps.find(({ id }) => id === step_id);
    if (spec === undefined) return [];
    const told = this.event({ event: 'step_answered', step_id, answer });
    if (answer.action === 'go_on') return [told];
    const before = stepIn(state, step_id)?.result;
    const reason = answer.text.trim() === '' ? 'A person skipped it.' : answer.text;
    const bare = unendedResult(spec, 'skipped', { child: null, reason });
    return [told, this.decided({ ...bare, ...before, status: 'skipped', reason })];
  }

  private decided(result: StepResult): Draft {
    const { id: step_id, status, summary, subagent_id, child_session_id } = result;
    return this.event({
      event: isHeld(status) ? 'step_held' : 'checkpoint_decided',
      step_id,
      status,
      result,
      ...(summary === '' ? {} : { summary }),
      ...(subagent_id === null ? {} : { subagent_id }),
      ...(child_session_id === null ? {} : { child_session_id }),
    });
  }

  private async untilOver(): Promise<{
    readonly ending: WorkflowEnding;
    readonly failure: { readonly error: unknown } | null;
  }> {
    try {
      return { ending: await this.carryOut(), failure: null };
    } catch (error) {
      // The log takes nothing any more: nothing may be done that it would not know of.
      if (error instanceof AppendFailed) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      return { ending: { kind: 'broken', reason }, failure: { error } };
    }
  }

  private async carryOut(): Promise<WorkflowEnding> {
    const { spec } = this.state();
    if (spec === null) return RAN_OUT;
    const conflicts = conflictsOf(spec, this.ports.paths);
    const halted = this.halted(spec);
    // A failure of it is met where it is waited for.
    halted.catch(() => undefined);
    for (;;) {
      await this.startNext(spec, conflicts);
      if (this.lives.size === 0) return this.halt ?? RAN_OUT;
      const news = await Promise.race([...[...this.lives.values()].map(newsOf), halted]);
      if ('ending' in news) return news.ending;
      await this.settle([news.result]);
    }
  }

  private async startNext(spec: WorkflowSpec, conflicts: Conflicts): Promise<void> {
    if (this.ports.signal.aborted) this.halt ??= endingBy(this.ports.signal.reason);
    if (this.halt !== null) return;
    const { start } = nextMoves(this.state(), conflicts);
    if (start.length === 0) return;
    await this.ports.record(start.map((step_id) => this.event({ event: 'step_scheduled', step_id })));
    for (const step of spec.steps.filter(({ id }) => start.includes(id)))
      this.lives.set(step.id, this.live(step));
  }

  private live(step: StepSpec): StepLife {
    const state = stepIn(this.state(), step.id);
    if (state === undefined) throw new Error(`the log has no step ${step.id}`);
    return new StepLife(step, state, {
      ports: this.ports,
      workflow_id: this.start.workflow_id,
      over: this.over.signal,
      started: async (child) => {
        const started = this.event({ event: 'step_started', step_id: step.id, status: 'running', ...child });
        await this.ports.record([started]);
      },
    });
  }

  private async settle(results: readonly StepResult[]): Promise<void> {
    if (results.length === 0) return;
    await this.ports.record(results.map((result) => this.decided(result)));
    for (const { id } of results) this.lives.delete(id);
  }

  /** The turn ends, or the time of the workflow is over. */
  private async halted({ timeout_ms }: WorkflowSpec): Promise<News> {
    const { signal } = this.ports;
    const { signal: over } = this.over;
    const either = AbortSignal.any([signal, over]);
    if (timeout_ms === null) await aborted(either);
    else await Promise.race([this.ports.atWork(timeout_ms, either), this.moveDeadline(either)]);
    this.halt = signal.aborted ? endingBy(signal.reason) : endingAfter(timeout_ms ?? 0);
    return { ending: this.halt };
  }

  /** Its time stands still while it waits for a person: afterwards it is due later. */
  private async moveDeadline(until: AbortSignal): Promise<void> {
    const due = Date.parse(this.state().deadline_at ?? '');
    await this.ports.afterHolds(until, async (heldMs) => {
      const deadline_at = new Date(due + heldMs).toISOString();
      await this.ports.record([this.event({ event: 'deadline_moved', deadline_at })]);
    });
  }

  /**
   * Ends what still runs. Where the process itself goes, nothing is decided: children may be gone on with later, and
   * one that is only just being made is not begun with. Otherwise each says how it ended, or is answered for when it takes too long.
   */
  private async end(ending: WorkflowEnding): Promise<void> {
    if (ending.kind === 'interrupted') {
      this.over.abort();
      return;
    }
    const lives = [...this.lives.values()];
    const status = ending.kind === 'timed_out' ? 'timed_out' : 'cancelled';
    const ends = lives.map((life) => life.end(ending, { status, reason: stoppedWords(ending) }));
    const late = new AbortController();
    await Promise.race([Promise.allSettled(ends), this.ports.clock.sleep(GRACE_MS, late.signal)]);
    late.abort();
    this.over.abort();
    await this.settle(
      lives.map(
        ({ step, child, result }) =>
          result ?? unendedResult(step, stoppedStatus(ending), { child, reason: stoppedWords(ending) }),
      ),
    );
  }
}

async function newsOf(step: StepLife): Promise<News> {
  return { result: await step.ended };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
