import type { WorkflowResult, WorkflowSpec } from '../agent-events.ts';
import type { ToolOutcome } from '../ports.ts';
import { mistakesText, type Mistake } from './fields.ts';
import { heldQuestion, readHeldAnswer } from './held-question.ts';
import type { WorkflowPorts } from './ports.ts';
import { resultOf } from './result.ts';
import { runWorkflow, type WorkflowCall, type WorkflowRunEnd } from './run.ts';
import type { WorkflowState } from './state.ts';

/** What a call of `run_workflow` is to do, once its template has been looked up. */
export type WorkflowWork =
  | {
      readonly kind: 'start';
      readonly workflow_id: string;
      readonly spec: WorkflowSpec;
      readonly template: string | null;
    }
  | { readonly kind: 'resume'; readonly workflow_id: string };

export interface WorkflowTask {
  readonly work: WorkflowWork;
  readonly call: WorkflowCall;
  /** Set when the call had suspended itself, and a person decided. */
  readonly decision?: { readonly result: unknown } | undefined;
}

/**
 * One call of `run_workflow`, from what was asked to what the model or a person gets. `ports.workflow()` is the workflow
 * that the work names. A call that asked a person goes on with their answer: the log knows where it is.
 */
export async function performWorkflow(ports: WorkflowPorts, task: WorkflowTask): Promise<ToolOutcome> {
  const { work, call, decision } = task;
  const { workflow_id } = work;
  const known = ports.workflow();
  if (decision !== undefined && known !== undefined && known.status !== 'completed')
    return answered(ports, known, { call, given: decision.result });
  // A person answers what has begun: one that is forgotten meanwhile must not begin once more.
  if (work.kind === 'start' && known === undefined && decision === undefined) {
    const { spec, template } = work;
    return outcomeOf(ports, await runWorkflow(ports, { kind: 'new', workflow_id, call, spec, template }));
  }
  const refusal = cannotGoOn(known, workflow_id);
  if (refusal !== null) return refusal;
  return outcomeOf(ports, await runWorkflow(ports, { kind: 'resume', workflow_id, call, answers: null }));
}

/** One workflow a call: the same call, asked again, finds its own. */
export function workflowIdOf(callId: string): string {
  return `wf_${callId}`;
}

async function answered(
  ports: WorkflowPorts,
  known: WorkflowState,
  { call, given }: { readonly call: WorkflowCall; readonly given: unknown },
): Promise<ToolOutcome> {
  const answer = readHeldAnswer(known, given);
  const question = heldQuestion(known);
  if (answer.kind === 'none' && question !== null) return { kind: 'suspended', suspension: question };
  if (answer.kind !== 'answers') return succeeded(resultOf(known));
  const { workflow_id } = known;
  const { answers } = answer;
  return outcomeOf(ports, await runWorkflow(ports, { kind: 'resume', workflow_id, call, answers }));
}

function cannotGoOn(known: WorkflowState | undefined, workflowId: string): ToolOutcome | null {
  if (known === undefined)
    return refused('unknown_workflow', `This session has no workflow ${workflowId} to resume.`);
  if (known.status === 'running')
    return refused('workflow_running', `The workflow ${workflowId} is running already.`);
  if (known.status === 'completed')
    return refused(
      'workflow_completed',
      `The workflow ${workflowId} is completed: there is nothing to resume.`,
    );
  if (known.spec === null)
    return refused('unknown_workflow', `The log has too little of the workflow ${workflowId} to resume it.`);
  return null;
}

/** A workflow that only waits for a person asks them. One that was ended tells how far it came. */
function outcomeOf(ports: WorkflowPorts, { result, ending }: WorkflowRunEnd): ToolOutcome {
  if (ending.kind === 'cancelled' || ending.kind === 'interrupted') {
    const error = { kind: 'cancelled', message: 'The workflow was stopped before it had finished.' };
    return { kind: 'failure', error, output: JSON.stringify(result), changes: [] };
  }
  const state = ports.workflow();
  const question = result.ok || ending.kind !== 'ran_out' || state === undefined ? null : heldQuestion(state);
  return question === null ? succeeded(result) : { kind: 'suspended', suspension: question };
}

function succeeded(result: WorkflowResult): ToolOutcome {
  return { kind: 'success', output: JSON.stringify(result), changes: [] };
}

function refused(kind: string, message: string): ToolOutcome {
  return { kind: 'failure', error: { kind, message: `${message} Nothing was started.` }, changes: [] };
}

/** Pure: what is wrong with a workflow, all of it at once, for whoever has to mend it. */
export function refusedWorkflow(mistakes: readonly Mistake[]): ToolOutcome {
  const message = `The workflow was refused, and nothing was started:\n${mistakesText(mistakes)}`;
  return { kind: 'failure', error: { kind: 'invalid_arguments', message }, changes: [] };
}
