import type { Artifact, StepResult, StepSpec } from '../agent-events.ts';
import { AppendFailed } from '../ports.ts';
import { goingOnWords } from './child-words.ts';
import type { WorkflowEnding } from './endings.ts';
import type { ChildEnd, StepAgents, StepChild, WorkflowPorts } from './ports.ts';
import type { StepState } from './state.ts';
import { stepResult, unendedResult } from './step-results.ts';

export interface LifeContext {
  readonly ports: Pick<WorkflowPorts, 'agents' | 'artifact'>;
  readonly workflow_id: string;
  /** Aborted when nobody waits any more. */
  readonly over: AbortSignal;
  /** Makes durable that it has started. */
  readonly started: (child: StepChild) => Promise<void>;
}

type Cancel = Parameters<StepAgents['cancel']>[1];

/** One step at work: its child from the start, or from where it left off, to what it ended with. */
export class StepLife {
  /** Rejects with what is no failure of the step: an `AppendFailed`, or a bug. */
  readonly ended: Promise<StepResult>;
  child: StepChild | null = null;
  result: StepResult | null = null;
  private ending: { readonly ending: WorkflowEnding; readonly cancel: Cancel } | null = null;

  constructor(
    readonly step: StepSpec,
    private readonly state: StepState,
    private readonly context: LifeContext,
  ) {
    this.ended = this.live();
    // Whoever races it hears of it; nobody does once the workflow is over.
    this.ended.catch(() => undefined);
  }

  /** Ends its child, also one that is only just being made. Resolves when its end is known. */
  async end(ending: WorkflowEnding, cancel: Cancel): Promise<void> {
    this.ending = { ending, cancel };
    if (this.child !== null) await this.context.ports.agents.cancel(this.child.subagent_id, cancel);
    await this.ended;
  }

  private async live(): Promise<StepResult> {
    const begun = await attempted(() => this.begin());
    if (!begun.ok) return this.failed(`It could not be started: ${begun.reason}`);
    const child = begun.value;
    this.child = child;
    await this.cancelLate(child);
    if (!this.context.over.aborted) await this.context.started(child);
    const { agents } = this.context.ports;
    const ended = await attempted(() => agents.ended(child.subagent_id, this.context.over));
    if (!ended.ok) return this.failed(`Its end is not known: ${ended.reason}`);
    const end = ended.value;
    // A child that is tried again has another log by the end.
    this.child = { ...child, child_session_id: end.child_session_id };
    const artifacts = await this.artifactsOf(end);
    const { child: last, step } = this;
    this.result = stepResult(step, { child: last, end, artifacts, ending: this.ending?.ending ?? null });
    return this.result;
  }

  private async begin(): Promise<StepChild> {
    const { agents } = this.context.ports;
    const { subagent_id, child_session_id, begins } = this.state;
    if (begins === 'anew' || subagent_id === null || child_session_id === null) {
      const { id: step_id, task, agent, permission_mode, timeout_ms } = this.step;
      const { workflow_id } = this.context;
      return agents.spawn({ task, agent, permission_mode, timeout_ms, workflow_id, step_id });
    }
    await agents.continueStep(subagent_id, goingOnWords(this.state));
    return { subagent_id, child_session_id };
  }

  /** What was on its way when everything was ended must not run on unseen. */
  private async cancelLate({ subagent_id }: StepChild): Promise<void> {
    const gone: Cancel = { status: 'cancelled', reason: 'The workflow was over before it had started.' };
    const cancel = this.ending?.cancel ?? (this.context.over.aborted ? gone : null);
    if (cancel !== null) await this.context.ports.agents.cancel(subagent_id, cancel);
  }

  private failed(reason: string): StepResult {
    this.result = unendedResult(this.step, 'failed', { child: this.child, reason });
    return this.result;
  }

  private async artifactsOf({ checkpoint }: ChildEnd): Promise<readonly Artifact[]> {
    const found: Artifact[] = [];
    for (const { path } of checkpoint?.artifacts ?? []) {
      const looked = await attempted(() => this.context.ports.artifact(path));
      found.push(looked.ok ? looked.value : { path, sha256: null, problem: looked.reason });
    }
    return found;
  }
}

type Attempted<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** What goes wrong with a child is the failure of its step. That the log is lost ends everything. */
async function attempted<T>(work: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof AppendFailed) throw error;
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
