import type { KnownEvent, NextAction } from '../events.ts';
import { field, list, nextActions, numberOrNull, wordsOrNull } from '../loose-fields.ts';
import { toldState, type NodeState } from './node-state.ts';
import { reportedWork, shortWords, type ReportedWork } from './reported-work.ts';
import type { StepFault } from './step-faults.ts';
import { toldStepStatus } from './step-status.ts';

/** What the log says of a step of a workflow, its spec included. */
export interface StepTrace {
  readonly step_id: string;
  readonly task: string | null;
  readonly agent: string | null;
  readonly required: boolean;
  readonly depends_on: readonly string[];
  readonly write_set: readonly string[];
  readonly status: string;
  readonly state: NodeState;
  /** The first event of it, and the one that gave its state; null as long as only the spec speaks of it. */
  readonly seq: number | null;
  readonly state_seq: number | null;
  readonly started_seq: number | null;
  /** The event that decided its checkpoint since it last started; null as long as none did. */
  readonly checkpoint_seq: number | null;
  readonly answered_seq: number | null;
  readonly subagent_id: string | null;
  readonly child_session_id: string | null;
  readonly summary: string | null;
  readonly reason: string | null;
  readonly elapsed_ms: number | null;
  readonly work: ReportedWork | null;
  readonly next_actions: readonly NextAction[];
  /** What was against the rules when it started. */
  readonly faults: readonly StepFault[];
}

/** Of a step that only the spec speaks of. */
export const NOT_SCHEDULED = 'not_scheduled';

const ACTIONS_KEPT = 8;
const FAULTS_KEPT = 8;
const NAMES_KEPT = 50;

/** What the spec says of a step, and what was known of it before. */
export function stepOf(planned: unknown, known: ReadonlyMap<string, StepTrace>): StepTrace {
  const step_id = shortWords(planned, 'id') ?? '';
  return {
    ...(known.get(step_id) ?? newStep(step_id)),
    task: shortWords(planned, 'task'),
    agent: shortWords(planned, 'agent'),
    required: field(planned, 'required') !== false,
    depends_on: namesIn(planned, 'depends_on'),
    write_set: namesIn(planned, 'write_set'),
  };
}

function namesIn(value: unknown, key: string): readonly string[] {
  return list(value, key)
    .filter((one): one is string => typeof one === 'string')
    .slice(0, NAMES_KEPT);
}

export function newStep(step_id: string): StepTrace {
  return {
    step_id,
    task: null,
    agent: null,
    required: true,
    depends_on: [],
    write_set: [],
    status: NOT_SCHEDULED,
    state: 'queued',
    seq: null,
    state_seq: null,
    started_seq: null,
    checkpoint_seq: null,
    answered_seq: null,
    subagent_id: null,
    child_session_id: null,
    summary: null,
    reason: null,
    elapsed_ms: null,
    work: null,
    next_actions: [],
    faults: [],
  };
}

/** Pure: the step after one more event of it. */
export function stepAfter(
  known: StepTrace,
  { seq, data }: KnownEvent<'workflow_event'>,
  /** What would be wrong with it if it started now. */
  faults: readonly StepFault[],
): StepTrace {
  const result = field(data, 'result');
  const status =
    toldStepStatus(data) ??
    shortWords(result, 'status') ??
    (known.seq === null ? `unknown (${data.event})` : known.status);
  const decided = data.event === 'checkpoint_decided' || data.event === 'step_held';
  const starts = data.event === 'step_started';
  const answered = data.event === 'step_answered';
  return {
    ...known,
    ...resultOf(known, result),
    status,
    state: toldState(status),
    seq: known.seq ?? seq,
    state_seq: seq,
    // What is answered begins anew.
    started_seq: starts ? seq : answered ? null : known.started_seq,
    checkpoint_seq: decided ? seq : starts || answered ? null : known.checkpoint_seq,
    answered_seq: answered ? seq : known.answered_seq,
    ...workerIn(known, data),
    summary: shortWords(data, 'summary') ?? shortWords(result, 'summary') ?? known.summary,
    reason: shortWords(data, 'reason') ?? shortWords(result, 'reason') ?? known.reason,
    elapsed_ms: numberOrNull(data, 'elapsed_ms') ?? numberOrNull(result, 'elapsed_ms') ?? known.elapsed_ms,
    faults: starts ? [...known.faults, ...faults].slice(-FAULTS_KEPT) : known.faults,
  };
}

function workerIn(known: StepTrace, data: unknown): Pick<StepTrace, 'subagent_id' | 'child_session_id'> {
  return {
    subagent_id: wordsOrNull(data, 'subagent_id') ?? known.subagent_id,
    child_session_id: wordsOrNull(data, 'child_session_id') ?? known.child_session_id,
  };
}

function resultOf(known: StepTrace, result: unknown): Pick<StepTrace, 'work' | 'next_actions'> {
  const actions = nextActions(result).slice(0, ACTIONS_KEPT);
  return {
    work: reportedWork(result) ?? known.work,
    next_actions: actions.length > 0 ? actions : known.next_actions,
  };
}

/** What the end of a workflow says once more of each step, and of those that no other event speaks of. */
export function stepAtEnd(step: StepTrace, result: unknown, seq: number): StepTrace {
  const status = shortWords(result, 'status') ?? step.status;
  const isNews = status !== step.status;
  // Of one that was under way, the end says what came of it.
  const decides = isNews && step.started_seq !== null && step.checkpoint_seq === null && status !== 'not_run';
  return {
    ...step,
    ...resultOf(step, result),
    ...workerIn(step, result),
    status,
    state: toldState(status),
    seq: step.seq ?? seq,
    state_seq: isNews ? seq : step.state_seq,
    checkpoint_seq: decides ? seq : step.checkpoint_seq,
    summary: shortWords(result, 'summary') ?? step.summary,
    reason: shortWords(result, 'reason') ?? step.reason,
    elapsed_ms: numberOrNull(result, 'elapsed_ms') ?? step.elapsed_ms,
  };
}
