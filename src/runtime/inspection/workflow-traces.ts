import type { EventData, KnownEvent, NextAction } from '../events.ts';
import { field, list, nextActions, numberOrNull, wordsOrNull } from '../loose-fields.ts';
import { toldState, type NodeState } from './node-state.ts';
import { shortWords } from './reported-work.ts';
import { startFaults } from './step-faults.ts';
import { newStep, NOT_SCHEDULED, stepAfter, stepAtEnd, stepOf, type StepTrace } from './step-traces.ts';

/** What the log says of a workflow (§10). Of a bounded size. */
export interface WorkflowTrace {
  readonly workflow_id: string;
  /** The turn that started or last resumed it. */
  readonly turn_id: string | null;
  readonly name: string | null;
  readonly template: string | null;
  readonly spec_sha256: string | null;
  readonly status: string;
  readonly state: NodeState;
  readonly seq: number;
  readonly state_seq: number;
  readonly started_at: string;
  readonly state_at: string;
  /** The last event of it or of its steps. */
  readonly news_seq: number;
  readonly deadline_at: string | null;
  /** The end that stands; null while it is at work, also again. */
  readonly finished_seq: number | null;
  /** All ends, the last ones: one that was held can be resumed. */
  readonly ends: readonly { readonly seq: number; readonly status: string }[];
  readonly resumed_seq: number | null;
  readonly ok: boolean | null;
  readonly completion_ready: boolean | null;
  readonly partial_outcome_ready: boolean | null;
  /** In the order of the spec, then in that of the log. */
  readonly steps: readonly StepTrace[];
  /** Steps beyond those that are kept. */
  readonly more_steps: number;
  readonly elapsed_ms: number | null;
  readonly reason: string | null;
  readonly next_actions: readonly NextAction[];
}

export const STEPS_KEPT = 500;
const ENDS_KEPT = 5;
const ACTIONS_KEPT = 8;

/** Pure: the workflow after one more event of it. */
export function applyToWorkflow(
  known: WorkflowTrace | undefined,
  event: KnownEvent<'workflow_event'>,
): WorkflowTrace {
  const { seq, data } = event;
  const flow = { ...(known ?? begun(event)), ...told(known, event), news_seq: seq };
  const step = shortWords(data, 'step_id');
  if (step !== null)
    return withStep(flow, step, (before) => stepAfter(before, event, startFaults(before, flow, seq)));
  switch (data.event) {
    case 'workflow_started':
      return { ...flow, ...withSpec(flow, field(data, 'spec')) };
    case 'workflow_resumed':
      return resumed(flow, event);
    case 'workflow_finished':
      return finished(flow, event);
    default:
      return flow;
  }
}

function begun({ seq, ts, data }: KnownEvent<'workflow_event'>): WorkflowTrace {
  return {
    workflow_id: data.workflow_id,
    turn_id: data.turn_id ?? null,
    name: null,
    template: null,
    spec_sha256: null,
    status: 'running',
    state: 'running',
    seq,
    state_seq: seq,
    started_at: ts,
    state_at: ts,
    news_seq: seq,
    deadline_at: null,
    finished_seq: null,
    ends: [],
    resumed_seq: null,
    ok: null,
    completion_ready: null,
    partial_outcome_ready: null,
    steps: [],
    more_steps: 0,
    elapsed_ms: null,
    reason: null,
    next_actions: [],
  };
}

/** What any event of a workflow may say of it. */
function told(
  known: WorkflowTrace | undefined,
  { data }: KnownEvent<'workflow_event'>,
): Pick<WorkflowTrace, 'name' | 'template' | 'spec_sha256' | 'deadline_at'> {
  return {
    name: known?.name ?? shortWords(data, 'name') ?? shortWords(field(data, 'spec'), 'name'),
    template: known?.template ?? shortWords(data, 'template'),
    spec_sha256: known?.spec_sha256 ?? wordsOrNull(data, 'spec_sha256')?.slice(0, 64) ?? null,
    deadline_at: shortWords(data, 'deadline_at') ?? known?.deadline_at ?? null,
  };
}

function withSpec(flow: WorkflowTrace, spec: unknown): Pick<WorkflowTrace, 'steps' | 'more_steps'> {
  const planned = list(spec, 'steps').filter((one) => wordsOrNull(one, 'id') !== null);
  const before = new Map(flow.steps.map((step) => [step.step_id, step]));
  const steps = planned.slice(0, STEPS_KEPT).map((one) => stepOf(one, before));
  const named = new Set(steps.map(({ step_id }) => step_id));
  const others = flow.steps.filter(({ step_id }) => !named.has(step_id));
  return { steps: [...steps, ...others], more_steps: planned.length - steps.length };
}

/** A step beyond those that are kept is not kept because something is said of it. */
function withStep(flow: WorkflowTrace, id: string, change: (before: StepTrace) => StepTrace): WorkflowTrace {
  const at = flow.steps.findIndex(({ step_id }) => step_id === id);
  const known = flow.steps[at];
  if (known !== undefined) return { ...flow, steps: flow.steps.with(at, change(known)) };
  if (flow.more_steps > 0) return flow;
  if (flow.steps.length >= STEPS_KEPT) return { ...flow, more_steps: 1 };
  return { ...flow, steps: [...flow.steps, change(newStep(id))] };
}

/** What was under way is not any more, and what was not come to may be now. */
function resumed(flow: WorkflowTrace, { seq, ts, data }: KnownEvent<'workflow_event'>): WorkflowTrace {
  return {
    ...flow,
    turn_id: data.turn_id ?? null,
    status: 'running',
    state: 'running',
    state_seq: seq,
    state_at: ts,
    finished_seq: null,
    resumed_seq: seq,
    ok: null,
    completion_ready: null,
    partial_outcome_ready: null,
    elapsed_ms: null,
    reason: null,
    next_actions: [],
    steps: flow.steps.map((step) => reopened(step, seq)),
  };
}

function reopened(step: StepTrace, seq: number): StepTrace {
  if (step.state === 'running') return { ...step, status: 'queued', state: 'queued', state_seq: seq };
  return step.state === 'not_run' ? { ...step, status: NOT_SCHEDULED, state: 'queued' } : step;
}

function finished(flow: WorkflowTrace, { seq, ts, data }: KnownEvent<'workflow_event'>): WorkflowTrace {
  const status = shortWords(data, 'status') ?? 'unknown';
  return {
    ...withResults(flow, data, seq),
    status,
    state: toldState(status),
    state_seq: seq,
    state_at: ts,
    finished_seq: seq,
    ends: [...flow.ends, { seq, status }].slice(-ENDS_KEPT),
    ok: booleanOrNull(data, 'ok'),
    completion_ready: booleanOrNull(data, 'completion_ready'),
    partial_outcome_ready: booleanOrNull(data, 'partial_outcome_ready'),
    elapsed_ms: numberOrNull(data, 'elapsed_ms'),
    reason: shortWords(data, 'reason'),
    next_actions: nextActions(data).slice(0, ACTIONS_KEPT),
  };
}

/** The end says once more what became of each step, and of those that no other event speaks of. */
function withResults(flow: WorkflowTrace, data: EventData['workflow_event'], seq: number): WorkflowTrace {
  const results = list(data, 'steps').filter((one) => wordsOrNull(one, 'id') !== null);
  return results.reduce<WorkflowTrace>(
    (after, result) =>
      withStep(after, shortWords(result, 'id') ?? '', (step) => stepAtEnd(step, result, seq)),
    flow,
  );
}

function booleanOrNull(value: unknown, key: string): boolean | null {
  const found = field(value, key);
  return typeof found === 'boolean' ? found : null;
}
