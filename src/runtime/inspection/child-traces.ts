import type { KnownEvent, LogEvent, NextAction } from '../events.ts';
import { field, list, nextActions, numberOrNull, text, wordsOrNull } from '../loose-fields.ts';
import { isOpenState, toldState, type NodeState } from './node-state.ts';
import { reportedWork, shortWords, type ReportedWork } from './reported-work.ts';

/** Where the log says something, and when it was written. */
export interface Place {
  readonly seq: number;
  readonly at: string;
}

/** An attempt that came to nothing, with the log that it left. */
export interface AttemptTrace {
  readonly attempt: number;
  readonly child_session_id: string | null;
  readonly error_kind: string | null;
  readonly reason: string | null;
  readonly elapsed_ms: number | null;
}

/** What a child asks a person. */
export interface QuestionTrace {
  readonly call_id: string;
  readonly name: string;
  readonly suspension_id: string;
  readonly reason: string;
  readonly message: string;
}

/** An end of a child: there may be more than one, where it was given more to do. */
export interface ChildEnd {
  readonly seq: number;
  readonly status: string;
  /** The model has to hear of it by itself: not of one that nobody has in hand, nor of one of a workflow. */
  readonly for_model: boolean;
  /** The events that told the model, the first ones; more than one is too many. */
  readonly told: readonly number[];
}

/** What the log says of a child (§9), with the events that say it. Of a bounded size. */
export interface SubagentTrace {
  readonly subagent_id: string;
  readonly child_session_id: string | null;
  /** The turn that last gave it work; null where a person did. */
  readonly turn_id: string | null;
  readonly workflow_id: string | null;
  readonly step_id: string | null;
  readonly agent: string | null;
  readonly task: string | null;
  readonly depth: number | null;
  readonly status: string;
  readonly state: NodeState;
  /** The first event of it, and the one that gave its state. */
  readonly seq: number;
  readonly state_seq: number;
  readonly state_at: string;
  /** When it last began to work. */
  readonly started: Place | null;
  /** The last sign of life of it: what others are told of it is none. */
  readonly news: Place;
  readonly deadline_at: string | null;
  readonly questions: readonly QuestionTrace[];
  readonly attempts: readonly AttemptTrace[];
  /** How often it was given more to do after it had ended. */
  readonly continued: number;
  readonly ends: readonly ChildEnd[];
  /** What told the model how it is now. */
  readonly told_seq: number | null;
  readonly summary: string | null;
  readonly checkpoint: ReportedWork | null;
  readonly reason: string | null;
  readonly timeout_ms: number | null;
  readonly elapsed_ms: number | null;
  readonly next_actions: readonly NextAction[];
}

const ATTEMPTS_KEPT = 10;
const QUESTIONS_KEPT = 20;
const ENDS_KEPT = 8;
const TELLINGS_KEPT = 2;
const ACTIONS_KEPT = 8;

/** Not over: it waits for its turn, works, or waits for a person. */
export function isOpenChild({ state }: Pick<SubagentTrace, 'state'>): boolean {
  return isOpenState(state) || state === 'waiting';
}

/** Pure: the child after one more event of it. */
export function applyToSubagent(
  known: SubagentTrace | undefined,
  event: KnownEvent<'subagent_event'>,
): SubagentTrace {
  const { seq, data } = event;
  if (data.event === 'delivered')
    return toldOf(known ?? begun(event), { of_seq: numberOrNull(data, 'of_seq'), seq });
  if (known === undefined) return afterMove(begun(event), event, true);
  if (data.event === 'heartbeat') return { ...known, ...vitals(known, event) };
  return canMove(known, data.status) ? afterMove(known, event, false) : known;
}

/** A final state stays, until the child gets more to do; one that nobody has in hand can also be put away. */
function canMove(known: SubagentTrace, status: string): boolean {
  if (isOpenChild(known) || known.state === 'unknown') return true;
  return isOpenState(toldState(status)) || (known.state === 'detached' && status === 'closed');
}

function begun({ seq, ts, data }: KnownEvent<'subagent_event'>): SubagentTrace {
  return {
    subagent_id: data.subagent_id,
    child_session_id: wordsOrNull(data, 'child_session_id'),
    turn_id: data.turn_id ?? null,
    workflow_id: null,
    step_id: null,
    agent: shortWords(data, 'agent'),
    task: null,
    depth: null,
    status: data.status,
    state: toldState(data.status),
    seq,
    state_seq: seq,
    state_at: ts,
    started: null,
    news: { seq, at: ts },
    deadline_at: null,
    questions: [],
    attempts: [],
    continued: 0,
    ends: [],
    told_seq: null,
    summary: shortWords(data, 'summary'),
    checkpoint: null,
    reason: null,
    timeout_ms: null,
    elapsed_ms: null,
    next_actions: [],
  };
}

/** What an end said is not said of what comes after it. */
const NO_END = {
  told_seq: null,
  summary: null,
  checkpoint: null,
  reason: null,
  elapsed_ms: null,
  next_actions: [],
} as const satisfies Partial<SubagentTrace>;

function afterMove(
  known: SubagentTrace,
  event: KnownEvent<'subagent_event'>,
  isFirst: boolean,
): SubagentTrace {
  const { seq, ts, data } = event;
  // One that is at work has only more to do.
  const isMore = data.event === 'continued' && !isFirst && isOpenChild(known);
  const state = isMore ? known.state : stateAfter(data.event, data.status);
  const reopened = !isFirst && !isOpenChild(known) && isOpenState(toldState(data.status));
  const begins = data.event === 'started' || data.event === 'retried' || data.event === 'continued';
  const before = reopened || data.event === 'retried' ? { ...known, ...NO_END } : known;
  const actions = nextActions(data).slice(0, ACTIONS_KEPT);
  return {
    ...before,
    ...vitals(before, event),
    child_session_id: wordsOrNull(data, 'child_session_id') ?? before.child_session_id,
    turn_id: begins ? (data.turn_id ?? null) : before.turn_id,
    workflow_id: wordsOrNull(data, 'workflow_id') ?? before.workflow_id,
    step_id: wordsOrNull(data, 'step_id') ?? before.step_id,
    agent: shortWords(data, 'agent') ?? before.agent,
    task: shortWords(data, 'task') ?? before.task,
    depth: numberOrNull(data, 'depth') ?? before.depth,
    status: data.status,
    state,
    ...(state === before.state && data.status === before.status && !isFirst
      ? {}
      : { state_seq: seq, state_at: ts }),
    started: begins && !isMore && state === 'running' ? { seq, at: ts } : before.started,
    questions: isMore ? known.questions : state === 'waiting' ? questionsIn(data) : [],
    attempts: attemptsAfter(known, event),
    continued: before.continued + (reopened ? 1 : 0),
    ends: isOpenChild({ state }) || state === 'unknown' ? before.ends : endsAfter(known, event, isFirst),
    summary: shortWords(data, 'summary') ?? before.summary,
    checkpoint: reportedWork(field(data, 'checkpoint')) ?? before.checkpoint,
    reason: shortWords(data, 'reason') ?? before.reason,
    timeout_ms: numberOrNull(data, 'timeout_ms') ?? before.timeout_ms,
    elapsed_ms: numberOrNull(data, 'elapsed_ms') ?? before.elapsed_ms,
    next_actions: actions.length > 0 ? actions : before.next_actions,
  };
}

function stateAfter(event: string, status: string): NodeState {
  const told = toldState(status);
  return event === 'waiting' && isOpenState(told) ? 'waiting' : told;
}

function vitals(
  { deadline_at }: SubagentTrace,
  { seq, ts, data }: KnownEvent<'subagent_event'>,
): Pick<SubagentTrace, 'news' | 'deadline_at'> {
  return { news: { seq, at: ts }, deadline_at: shortWords(data, 'deadline_at') ?? deadline_at };
}

function questionsIn(data: object): readonly QuestionTrace[] {
  return list(data, 'questions')
    .slice(0, QUESTIONS_KEPT)
    .map((one) => {
      const suspension = field(one, 'suspension');
      return {
        call_id: text(one, 'call_id'),
        name: shortWords(one, 'name') ?? '',
        suspension_id: text(suspension, 'id'),
        reason: shortWords(suspension, 'reason') ?? '',
        message: shortWords(suspension, 'message') ?? '',
      };
    });
}

/** As the event lists them; where it does not, the attempt that it takes the place of is one. */
function attemptsAfter(
  known: SubagentTrace,
  { data }: KnownEvent<'subagent_event'>,
): readonly AttemptTrace[] {
  const listed = list(data, 'retry_history').filter((one) => wordsOrNull(one, 'child_session_id') !== null);
  if (listed.length > 0)
    return listed.slice(-ATTEMPTS_KEPT).map((one, index) => ({
      attempt: numberOrNull(one, 'attempt') ?? index + 1,
      child_session_id: wordsOrNull(one, 'child_session_id'),
      error_kind: shortWords(one, 'error_kind'),
      reason: shortWords(one, 'reason'),
      elapsed_ms: numberOrNull(one, 'elapsed_ms'),
    }));
  if (data.event !== 'retried' || known.child_session_id === null) return known.attempts;
  const attempt = (known.attempts.at(-1)?.attempt ?? 0) + 1;
  const { child_session_id } = known;
  const failed = { error_kind: null, reason: shortWords(data, 'reason'), elapsed_ms: null };
  return [...known.attempts, { attempt, child_session_id, ...failed }].slice(-ATTEMPTS_KEPT);
}

function endsAfter(
  known: SubagentTrace,
  { seq, data }: KnownEvent<'subagent_event'>,
  isFirst: boolean,
): readonly ChildEnd[] {
  const { event, status } = data;
  const of_workflow = (wordsOrNull(data, 'workflow_id') ?? known.workflow_id) !== null;
  const isNews = isFirst || isOpenChild(known) || known.state === 'detached';
  const for_model = event === 'finished' && status !== 'detached' && !of_workflow && isNews;
  return [...known.ends, { seq, status, for_model, told: [] }].slice(-ENDS_KEPT);
}

export interface Telling {
  /** The event of the end that is told; null where that is not said: then it is the last one. */
  readonly of_seq: number | null;
  /** The event that tells it. */
  readonly seq: number;
}

/** Pure: the child after its end was told to the model. */
export function toldOf(known: SubagentTrace, { of_seq, seq }: Telling): SubagentTrace {
  const last = known.ends.at(-1);
  const of = of_seq ?? last?.seq ?? null;
  const isPresent = !isOpenChild(known) && (last === undefined || last.seq === of);
  return {
    ...known,
    told_seq: isPresent ? (known.told_seq ?? seq) : known.told_seq,
    ends: known.ends.map((end) =>
      end.seq === of ? { ...end, told: [...end.told, seq].slice(0, TELLINGS_KEPT) } : end,
    ),
  };
}

/** Ends that a result told the model of: the children, each with what was told. */
export function tellingsIn(event: LogEvent): readonly (Telling & { readonly subagent_id: string })[] {
  if (event.type !== 'tool_result') return [];
  return list(event.data, 'delivers').flatMap((one) => {
    const subagent_id = wordsOrNull(one, 'subagent_id');
    const of_seq = numberOrNull(one, 'seq');
    return subagent_id === null || of_seq === null ? [] : [{ subagent_id, of_seq, seq: event.seq }];
  });
}
