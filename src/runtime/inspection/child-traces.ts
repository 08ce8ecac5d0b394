import type { EventData, KnownEvent, NextAction } from '../events.ts';
import { field, nextActions, numberOrNull, wordsOrNull } from '../loose-fields.ts';
import { oneLine } from './one-line.ts';
import { isOpenState, toldState, type NodeState } from './node-state.ts';

/** What the log says of a child (§9), with the events that say it. */
export interface SubagentTrace {
  readonly subagent_id: string;
  readonly child_session_id: string | null;
  readonly turn_id: string | null;
  readonly agent: string | null;
  readonly task: string | null;
  readonly status: string;
  readonly state: NodeState;
  /** The first event of it, and the one that gave its state. */
  readonly seq: number;
  readonly state_seq: number;
  readonly delivered_seq: number | null;
  readonly summary: string | null;
  readonly has_checkpoint: boolean;
  readonly reason: string | null;
  readonly timeout_ms: number | null;
  readonly elapsed_ms: number | null;
  readonly next_actions: readonly NextAction[];
}

/** A final state stays: what a manager says later of a child that ended is not its state any more. */
export function applyToSubagent(
  known: SubagentTrace | undefined,
  { seq, data }: KnownEvent<'subagent_event'>,
): SubagentTrace {
  const told = toldState(data.status);
  const delivered = data.event === 'delivered';
  const settled = known !== undefined && !isOpenState(known.state) && !(isOpenState(told) && !delivered);
  const moves = known === undefined || (!settled && (told !== known.state || data.status !== known.status));
  const actions = nextActions(data);
  return {
    subagent_id: data.subagent_id,
    child_session_id: wordsOrNull(data, 'child_session_id') ?? known?.child_session_id ?? null,
    turn_id: data.turn_id ?? known?.turn_id ?? null,
    agent: wordsOrNull(data, 'agent') ?? known?.agent ?? null,
    task: shortText(data, 'task') ?? known?.task ?? null,
    status: moves ? data.status : known.status,
    state: moves ? told : known.state,
    seq: known?.seq ?? seq,
    state_seq: moves ? seq : known.state_seq,
    delivered_seq: delivered ? seq : (known?.delivered_seq ?? null),
    summary: shortText(data, 'summary') ?? known?.summary ?? null,
    has_checkpoint: known?.has_checkpoint === true || isThere(field(data, 'checkpoint')),
    reason: shortText(data, 'reason') ?? known?.reason ?? null,
    timeout_ms: numberOrNull(data, 'timeout_ms') ?? known?.timeout_ms ?? null,
    elapsed_ms: numberOrNull(data, 'elapsed_ms') ?? known?.elapsed_ms ?? null,
    next_actions: actions.length > 0 ? actions : (known?.next_actions ?? []),
  };
}

export interface StepTrace {
  readonly step_id: string;
  readonly status: string;
  readonly state: NodeState;
  readonly seq: number;
  readonly state_seq: number;
  /** The event that decided its checkpoint; null as long as none did. */
  readonly checkpoint_seq: number | null;
  readonly summary: string | null;
}

/** What the log says of a workflow (§10). */
export interface WorkflowTrace {
  readonly workflow_id: string;
  readonly turn_id: string | null;
  readonly name: string | null;
  readonly status: string;
  readonly state: NodeState;
  readonly seq: number;
  readonly state_seq: number;
  readonly finished_seq: number | null;
  readonly steps: readonly StepTrace[];
  readonly next_actions: readonly NextAction[];
}

export function applyToWorkflow(
  known: WorkflowTrace | undefined,
  { seq, data }: KnownEvent<'workflow_event'>,
): WorkflowTrace {
  const base: WorkflowTrace = known ?? {
    workflow_id: data.workflow_id,
    turn_id: data.turn_id ?? null,
    name: null,
    status: 'running',
    state: 'running',
    seq,
    state_seq: seq,
    finished_seq: null,
    steps: [],
    next_actions: [],
  };
  const actions = nextActions(data);
  const next: WorkflowTrace = {
    ...base,
    name: base.name ?? wordsOrNull(data, 'name'),
    next_actions: actions.length > 0 ? actions : base.next_actions,
  };
  const step = wordsOrNull(data, 'step_id');
  if (step !== null) return { ...next, steps: stepsAfter(base.steps, step, { seq, data }) };
  if (data.event !== 'workflow_finished') return next;
  const status = wordsOrNull(data, 'status') ?? 'unknown';
  return { ...next, status, state: toldState(status), state_seq: seq, finished_seq: seq };
}

interface StepEvent {
  readonly seq: number;
  readonly data: EventData['workflow_event'];
}

function stepsAfter(steps: readonly StepTrace[], id: string, event: StepEvent): readonly StepTrace[] {
  const at = steps.findIndex(({ step_id }) => step_id === id);
  const after = stepAfter(steps[at], id, event);
  return at < 0 ? [...steps, after] : steps.with(at, after);
}

/** Where an event of a step does not say its status, the event does. */
const STEP_EVENTS: ReadonlyMap<string, string> = new Map([
  ['step_scheduled', 'queued'],
  ['step_started', 'running'],
  ['step_held', 'held'],
]);

function stepAfter(known: StepTrace | undefined, step_id: string, { seq, data }: StepEvent): StepTrace {
  const status =
    wordsOrNull(data, 'status') ?? STEP_EVENTS.get(data.event) ?? known?.status ?? `unknown (${data.event})`;
  const decided = data.event === 'checkpoint_decided' || data.event === 'step_held';
  return {
    step_id,
    status,
    state: toldState(status),
    seq: known?.seq ?? seq,
    state_seq: seq,
    checkpoint_seq: decided ? seq : (known?.checkpoint_seq ?? null),
    summary: shortText(data, 'summary') ?? known?.summary ?? null,
  };
}

function shortText(data: object, name: string): string | null {
  const found = wordsOrNull(data, name);
  return found === null ? null : oneLine(found, 300);
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}
