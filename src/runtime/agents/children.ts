import type { ChildStatus, SubagentEvent } from '../agent-events.ts';
import type { KnownEvent, LogEvent } from '../events.ts';
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
  /** When it last began to work; null while it has not. */
  readonly started_at: string | null;
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
  { ts, data }: KnownEvent<'subagent_event'>,
  status: ChildStatus,
): Child {
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
    waits: data.event === 'waiting',
    started_at: begins && status === 'running' ? ts : (before?.started_at ?? null),
  };
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
