import type { StepResult, StepStatus, WorkflowSpec, WorkflowStatus } from '../agent-events.ts';
import type { EventData, KnownEvent, LogEvent } from '../events.ts';
import { field, textOrNull, wordsOrNull } from '../loose-fields.ts';
import { readStepResult } from './logged-result.ts';
import { parseSpec } from './spec.ts';

/**
 * What the log says of workflows: a fold, of plain data that can be kept beside the log. Lines of a log are outside
 * data: what makes no sense there changes nothing here.
 */

/** What a person said to a step that was held. */
export interface StepAnswer {
  readonly action: 'go_on' | 'skip';
  readonly text: string;
}

/** How a step that is to run begins: with a child of its own, or by going on with the one that it had. */
export type Beginning = 'anew' | 'answered' | 'partial' | 'interrupted';

export interface StepState {
  readonly id: string;
  readonly status: 'pending' | 'scheduled' | 'running' | Exclude<StepStatus, 'not_run'>;
  readonly begins: Beginning;
  /** What it last ended with; a step that runs again keeps it until it ends again. */
  readonly result: StepResult | null;
  readonly subagent_id: string | null;
  readonly child_session_id: string | null;
  /** How often it was started, a child that went on among it. */
  readonly attempts: number;
  readonly answers: readonly StepAnswer[];
}

export interface WorkflowState {
  readonly workflow_id: string;
  /** Whose log it is. */
  readonly session_id: string;
  readonly name: string;
  /** Null where there is nothing to go on with: it is completed, or the log has none that could be run. */
  readonly spec: WorkflowSpec | null;
  readonly template: string | null;
  /** The call that started it or went on with it last. */
  readonly call_id: string | null;
  readonly turn_id: string | null;
  readonly started_at: string;
  readonly deadline_at: string | null;
  readonly status: 'running' | WorkflowStatus;
  readonly steps: readonly StepState[];
}

/** Of more than these the oldest is forgotten: the log has it, but it cannot be gone on with. */
export const MOST_KEPT = 20;

/** Pure: the workflows of a session after one more event, the oldest first. */
export function applyToWorkflows(
  workflows: readonly WorkflowState[],
  event: LogEvent,
): readonly WorkflowState[] {
  if (event.type === 'tool_result') return told(workflows, event.data.call_id);
  if (event.type !== 'workflow_event') return workflows;
  const { workflow_id } = event.data;
  const at = workflows.findIndex((one) => one.workflow_id === workflow_id);
  const known = workflows[at];
  if (event.data.event === 'workflow_started') {
    const others = workflows.filter((_, index) => index !== at);
    return kept([...others, begun(event)]);
  }
  const after = known === undefined ? undefined : applied(known, event);
  return known === undefined || after === undefined || after === known
    ? workflows
    : workflows.with(at, after);
}

/** What runs is never forgotten, and what is completed is before what could be gone on with. */
function kept(workflows: readonly WorkflowState[]): readonly WorkflowState[] {
  if (workflows.length <= MOST_KEPT) return workflows;
  const oldest =
    workflows.find(({ status }) => status === 'completed') ??
    workflows.find(({ status }) => status !== 'running');
  return oldest === undefined ? workflows : workflows.filter((one) => one !== oldest);
}

export function stepIn(workflow: WorkflowState, id: string): StepState | undefined {
  return workflow.steps.find((step) => step.id === id);
}

type WorkflowEvent = KnownEvent<'workflow_event'>;

function begun({ session_id, ts, data }: WorkflowEvent): WorkflowState {
  const parsed = parseSpec(data.spec);
  const spec = parsed.ok ? parsed.spec : null;
  return {
    workflow_id: data.workflow_id,
    session_id,
    name: wordsOrNull(data, 'name') ?? spec?.name ?? data.workflow_id,
    spec,
    template: wordsOrNull(data, 'template'),
    call_id: wordsOrNull(data, 'call_id'),
    turn_id: wordsOrNull(data, 'turn_id'),
    started_at: ts,
    deadline_at: wordsOrNull(data, 'deadline_at'),
    status: 'running',
    steps: (spec?.steps ?? []).map(({ id }) => newStep(id)),
  };
}

function newStep(id: string): StepState {
  return {
    id,
    status: 'pending',
    begins: 'anew',
    result: null,
    subagent_id: null,
    child_session_id: null,
    attempts: 0,
    answers: [],
  };
}

function applied(workflow: WorkflowState, event: WorkflowEvent): WorkflowState {
  const { data } = event;
  if (data.event === 'workflow_resumed') return resumed(workflow, event);
  // What is said of a workflow after its end is not its state any more, until it goes on.
  if (workflow.status !== 'running') return workflow;
  if (data.event === 'workflow_finished') return finished(workflow, data);
  if (data.event === 'deadline_moved')
    return { ...workflow, deadline_at: wordsOrNull(data, 'deadline_at') ?? workflow.deadline_at };
  const at = workflow.steps.findIndex(({ id }) => id === field(data, 'step_id'));
  const step = workflow.steps[at];
  if (step === undefined) return workflow;
  const after = stepAfter(step, data);
  return after === step ? workflow : { ...workflow, steps: workflow.steps.with(at, after) };
}

const FINAL = {
  completed: true,
  partial: true,
  failed: true,
  timed_out: true,
  held: true,
  cancelled: true,
} as const satisfies Record<WorkflowStatus, true>;

function isFinal(status: string | null): status is WorkflowStatus {
  return status !== null && Object.hasOwn(FINAL, status);
}

function finished(workflow: WorkflowState, data: EventData['workflow_event']): WorkflowState {
  const status = textOrNull(data, 'status');
  return { ...workflow, status: isFinal(status) ? status : 'failed' };
}

/** Of one that is completed nothing is needed any more but that it is, once its call has its result. */
function told(workflows: readonly WorkflowState[], callId: string): readonly WorkflowState[] {
  const at = workflows.findIndex(({ call_id, status }) => call_id === callId && status === 'completed');
  const workflow = workflows[at];
  return workflow === undefined
    ? workflows
    : workflows.with(at, { ...workflow, spec: null, steps: [], deadline_at: null });
}

function resumed(workflow: WorkflowState, { ts, data }: WorkflowEvent): WorkflowState {
  if (workflow.spec === null || workflow.status === 'completed') return workflow;
  const answered = data.reason === ANSWERED;
  return {
    ...workflow,
    status: 'running',
    call_id: wordsOrNull(data, 'call_id'),
    turn_id: wordsOrNull(data, 'turn_id'),
    started_at: ts,
    deadline_at: wordsOrNull(data, 'deadline_at'),
    steps: workflow.steps.map((step) => stepAgain(step, { answered })),
  };
}

/** Why a workflow went on: a person answered what it asked. Otherwise it was asked for. */
export const ANSWERED = 'answered';

/**
 * How a step is begun when its workflow goes on. What nobody saw the end of goes on in its child. What ended without
 * being ready does so only where somebody asked for the workflow to go on: an answer is about what was asked.
 */
function stepAgain(step: StepState, { answered }: { readonly answered: boolean }): StepState {
  switch (step.status) {
    case 'scheduled':
      return { ...step, status: 'pending' };
    case 'running':
      return again(step, 'interrupted');
    case 'failed':
    case 'timed_out':
    case 'cancelled':
      return answered ? step : again(step, 'anew');
    case 'partial':
      return answered ? step : again(step, 'partial');
    case 'pending':
    case 'checkpoint_ready':
    case 'held':
    case 'needs_orchestrator':
    case 'skipped':
      return step;
  }
}

function again(step: StepState, begins: Beginning): StepState {
  return { ...step, status: 'pending', begins: step.subagent_id === null ? 'anew' : begins };
}

function stepAfter(step: StepState, data: EventData['workflow_event']): StepState {
  switch (data.event) {
    case 'step_scheduled':
      return step.status === 'pending' ? { ...step, status: 'scheduled' } : step;
    case 'step_started':
      return step.status === 'pending' || step.status === 'scheduled' ? started(step, data) : step;
    case 'checkpoint_decided':
    case 'step_held':
      return decided(step, data);
    case 'step_answered':
      return answeredStep(step, data);
    default:
      return step;
  }
}

function started(step: StepState, data: EventData['workflow_event']): StepState {
  return {
    ...step,
    status: 'running',
    begins: 'anew',
    subagent_id: wordsOrNull(data, 'subagent_id'),
    child_session_id: wordsOrNull(data, 'child_session_id'),
    attempts: step.attempts + 1,
  };
}

/** What is ready stays ready: dependents may have begun. */
function decided(step: StepState, data: EventData['workflow_event']): StepState {
  const result = readStepResult(step.id, field(data, 'result'), textOrNull(data, 'status'));
  if (result === null || result.status === 'not_run' || step.status === 'checkpoint_ready') return step;
  return { ...step, status: result.status, result };
}

function answeredStep(step: StepState, data: EventData['workflow_event']): StepState {
  if (!isHeld(step.status)) return step;
  const answer = field(data, 'answer');
  const action = field(answer, 'action');
  if (action !== 'go_on' && action !== 'skip') return step;
  const answers = [...step.answers, { action, text: textOrNull(answer, 'text') ?? '' }] as const;
  return action === 'skip' ? { ...step, answers } : { ...again(step, 'answered'), answers };
}

export function isHeld(status: StepState['status'] | StepStatus): boolean {
  return status === 'held' || status === 'needs_orchestrator';
}
