import type { ChildStatus, SubagentEvent } from '../agent-events.ts';
import type { KnownEvent, LogEvent } from '../events.ts';
import { list } from '../loose-fields.ts';
import { canMoveChild, isChildStatus, isOpenChild, isUnended } from './child-states.ts';

/** What a session knows of one of its children: a fold of its own log. Plain data, kept in marks. */
export interface Child {
  readonly subagent_id: string;
  readonly child_session_id: string;
  readonly agent: string;
  readonly task: string;
  readonly depth: number;
  readonly status: ChildStatus;
  /** The turn that last gave it work; null where a person did. */
  readonly turn_id: string | null;
  readonly timeout_ms: number | null;
  readonly permission_mode: string | null;
  readonly workflow_id: string | null;
  readonly step_id: string | null;
  /** It asks a person something, and does nothing else. */
  readonly waits: boolean;
  /** How long it has worked: up to its end, or up to the stretch that began then; null while it does not work. */
  readonly worked_ms: number;
  readonly started_at: string | null;
  readonly deadline_at: string | null;
  /** As the log has it. */
  readonly retry_history: readonly unknown[];
}

/** An end that the model of the session has to be told of. */
export interface ChildEnding {
  readonly subagent_id: string;
  readonly child_session_id: string;
  readonly agent: string;
  readonly status: ChildStatus;
  readonly summary: string;
  /** Of the event that says so. */
  readonly seq: number;
}

export interface Children {
  readonly known: readonly Child[];
  /** Oldest first. */
  readonly untold: readonly ChildEnding[];
}

export const NO_CHILDREN: Children = { known: [], untold: [] };

export function childOf({ known }: Children, subagentId: string): Child | undefined {
  return known.find(({ subagent_id }) => subagent_id === subagentId);
}

export function openChildrenOf({ known }: Children): readonly Child[] {
  return known.filter(isOpenChild);
}

/** Whether one of them is held up by a person: their time, and that of whoever waits for them, stands still. */
export function waitsForPerson({ known }: Children): boolean {
  return known.some((child) => child.waits && isOpenChild(child));
}

/** Pure: the children after one more event. */
export function applyToChildren(children: Children, event: LogEvent): Children {
  if (event.type === 'tool_result') return afterResult(children, event.data.delivers);
  if (event.type !== 'subagent_event') return children;
  const { data } = event;
  if (data.event === 'delivered') return told(children, [data.of_seq ?? -1]);
  if (data.event === 'heartbeat' || !isChildStatus(data.status)) return children;
  const at = children.known.findIndex(({ subagent_id }) => subagent_id === data.subagent_id);
  const before = children.known[at];
  if (before !== undefined && !canMoveChild(before.status, data.status)) return children;
  const after = childAfter(before, event, data.status);
  const known = before === undefined ? [...children.known, after] : children.known.with(at, after);
  const ended = isTold(data) && (before === undefined || isUnended(before));
  return { known, untold: ended ? [...children.untold, endingOf(after, event)] : children.untold };
}

function childAfter(
  before: Child | undefined,
  event: KnownEvent<'subagent_event'>,
  status: ChildStatus,
): Child {
  const { data } = event;
  const begins = data.event === 'started' || data.event === 'retried' || data.event === 'continued';
  return {
    subagent_id: data.subagent_id,
    child_session_id: data.child_session_id,
    agent: data.agent ?? before?.agent ?? 'default',
    task: data.task ?? before?.task ?? '',
    depth: data.depth ?? before?.depth ?? 1,
    status,
    turn_id: begins || before === undefined ? (data.turn_id ?? null) : before.turn_id,
    timeout_ms: data.timeout_ms ?? before?.timeout_ms ?? null,
    permission_mode: data.permission_mode ?? before?.permission_mode ?? null,
    workflow_id: data.workflow_id ?? before?.workflow_id ?? null,
    step_id: data.step_id ?? before?.step_id ?? null,
    ...timeAfter(before ?? UNBEGUN, event),
  };
}

type Time = Pick<Child, 'status' | 'waits' | 'worked_ms' | 'started_at' | 'deadline_at' | 'retry_history'>;

const UNBEGUN: Time = {
  status: 'completed',
  waits: false,
  worked_ms: 0,
  started_at: null,
  deadline_at: null,
  retry_history: [],
};

function timeAfter(before: Time, { ts, data }: KnownEvent<'subagent_event'>): Omit<Time, 'status'> {
  const { waits, worked_ms, started_at, deadline_at, retry_history } = before;
  const same = { waits, worked_ms, started_at, deadline_at, retry_history };
  const { status: _, ...unbegun } = UNBEGUN;
  const due = data.deadline_at ?? null;
  switch (data.event) {
    case 'spawned':
      return unbegun;
    case 'started':
      return { ...unbegun, started_at: ts, deadline_at: due };
    case 'continued':
      // One that is at work has only more to do.
      return isOpenChild(before) ? same : unbegun;
    case 'retried':
      return { ...same, retry_history: list(data, 'retry_history') };
    case 'waiting':
      return { ...same, waits: true, worked_ms: workedUntil(before, ts), started_at: null };
    case 'went_on':
      return { ...same, waits: false, started_at: ts, deadline_at: due ?? deadline_at };
    case 'finished':
    case 'detached':
      return {
        waits: false,
        worked_ms: data.elapsed_ms ?? workedUntil(before, ts),
        started_at: null,
        deadline_at: due ?? deadline_at,
        retry_history: data.retry_history === undefined ? retry_history : list(data, 'retry_history'),
      };
    default:
      return same;
  }
}

/** Pure: how long a child had worked at a moment; what it waited for a person does not count. */
export function workedUntil(
  { worked_ms, started_at }: Pick<Child, 'worked_ms' | 'started_at'>,
  until: string,
): number {
  const stretch = started_at === null ? 0 : Date.parse(until) - Date.parse(started_at);
  return worked_ms + (stretch > 0 ? stretch : 0);
}

/**
 * Whether an end has to be told to the model: not when nobody has the child in hand any more, which is for people, and
 * not when it worked on the step of a workflow, whose result tells of it.
 */
export function isTold({ event, status, workflow_id }: SubagentEvent): boolean {
  return event === 'finished' && status !== 'detached' && workflow_id === undefined;
}

function endingOf(
  { subagent_id, child_session_id, agent, status }: Child,
  { seq, data }: KnownEvent<'subagent_event'>,
): ChildEnding {
  return { subagent_id, child_session_id, agent, status, summary: wordsOf(data), seq };
}

/** What is told of an end: what the child said last, and why it ended where that was not by itself. */
function wordsOf({ status, summary, reason }: SubagentEvent): string {
  const why = status === 'completed' || !reason ? '' : `Reason: ${reason}`;
  return [why, summary ?? ''].filter((part) => part !== '').join('\n') || '(no summary)';
}

function afterResult(children: Children, delivers: unknown): Children {
  if (!Array.isArray(delivers) || children.untold.length === 0) return children;
  const seqs = delivers.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'seq' in one && typeof one.seq === 'number' ? [one.seq] : [],
  );
  return told(children, seqs);
}

function told(children: Children, seqs: readonly number[]): Children {
  if (!children.untold.some(({ seq }) => seqs.includes(seq))) return children;
  return { ...children, untold: children.untold.filter(({ seq }) => !seqs.includes(seq)) };
}
