import { isOpenState, toldState, type NodeState } from '../../src/presenter/agent-states.ts';
import type { Item } from '../../src/presenter/protocol.ts';
import { isCut } from '../call-entry.ts';
import { listIn, numberIn, stringIn } from '../fields.ts';
import { actionsIn, type Action } from '../actions.ts';
import {
  checkpointIn,
  momentIn,
  momentOf,
  NOTHING_REPORTED,
  wordsOrNull,
  type Reported,
} from './reported.ts';

/** An attempt that came to nothing, before the present one. */
export interface Attempt {
  readonly reason: string;
  readonly elapsed_ms: number | null;
  readonly child_session_id: string | null;
}

/** What became of a child that is over. */
export interface ChildEnd {
  readonly summary: string;
  /** Only the beginning of the summary is here. */
  readonly cut: boolean;
  readonly reason: string;
  readonly reported: Reported;
  readonly elapsed_ms: number | null;
  readonly actions: readonly Action[];
}

/** What the log says of a child, as far as its events were seen. */
export interface Child {
  readonly subagent_id: string;
  readonly child_session_id: string | null;
  readonly workflow_id: string | null;
  readonly step_id: string | null;
  readonly agent: string | null;
  readonly task: string | null;
  /** As the log spells it. */
  readonly status: string;
  readonly state: NodeState;
  /** It asked something, by the log. */
  readonly waits: boolean;
  /** While it waits its time stands still, at this; null otherwise. */
  readonly worked_ms: number | null;
  /** In milliseconds since 1970. */
  readonly started_at: number | null;
  readonly deadline_at: number | null;
  readonly timeout_ms: number | null;
  readonly attempts: readonly Attempt[];
  readonly end: ChildEnd | null;
  /** When the log last had anything of it. */
  readonly news_at: number | null;
  /** The seq of the last event that is in this. */
  readonly as_of: number;
}

/**
 * Pure: a child after one more event of it. Events of the log come in their order, but for those that are loaded later
 * from before: these tell only what is not known yet. One that comes twice changes nothing.
 */
export function childAfter(known: Child | undefined, item: Item): Child {
  const base = known ?? newChild(stringIn(item.data, 'subagent_id') ?? '');
  if (known !== undefined && item.seq === known.as_of) return known;
  const named = withNames(base, item);
  if (item.seq < base.as_of) return withStart(named, item);
  const event = stringIn(item.data, 'event') ?? '';
  const seen = { ...named, as_of: item.seq };
  // What the parent's model was told is no news of the child.
  return event === 'delivered' ? seen : moved(seen, event, item);
}

function newChild(subagent_id: string): Child {
  return {
    subagent_id,
    child_session_id: null,
    workflow_id: null,
    step_id: null,
    agent: null,
    task: null,
    status: 'unknown',
    state: 'unknown',
    waits: false,
    worked_ms: null,
    started_at: null,
    deadline_at: null,
    timeout_ms: null,
    attempts: [],
    end: null,
    news_at: null,
    as_of: -1,
  };
}

/** What does not change in its life, and of what changes what nobody has told yet. */
function withNames(child: Child, { data }: Item): Child {
  return {
    ...child,
    child_session_id: child.child_session_id ?? wordsOrNull(data, 'child_session_id'),
    workflow_id: child.workflow_id ?? wordsOrNull(data, 'workflow_id'),
    step_id: child.step_id ?? wordsOrNull(data, 'step_id'),
    agent: child.agent ?? wordsOrNull(data, 'agent'),
    task: child.task ?? wordsOrNull(data, 'task'),
    timeout_ms: child.timeout_ms ?? numberIn(data, 'timeout_ms') ?? null,
  };
}

function withStart(child: Child, item: Item): Child {
  if (child.started_at !== null || stringIn(item.data, 'event') !== 'started') return child;
  // A later deadline may be known already: while it waited for a person, its time stood still.
  const told = { ...child, deadline_at: child.deadline_at ?? momentIn(item.data, 'deadline_at') };
  return { ...told, started_at: startOf(told, 'started', momentOf(item.ts), item.data) };
}

/** What is said of one that is over without giving it more to do is not its state any more. */
const GOES_ON: ReadonlySet<string> = new Set(['spawned', 'started', 'retried', 'continued']);
const ENDS: ReadonlySet<string> = new Set(['finished', 'detached']);

function moved(child: Child, event: string, { ts, data }: Item): Child {
  const status = wordsOrNull(data, 'status') ?? child.status;
  const state = toldState(status);
  const at = momentOf(ts);
  if (child.end !== null && !GOES_ON.has(event) && !ENDS.has(event)) return child;
  // One that is at work has only more to do.
  if (event === 'continued' && child.end === null && isOpenState(child.state))
    return { ...child, news_at: at ?? child.news_at };
  const told: Child = {
    ...child,
    status,
    state,
    child_session_id: wordsOrNull(data, 'child_session_id') ?? child.child_session_id,
    timeout_ms: numberIn(data, 'timeout_ms') ?? child.timeout_ms,
    deadline_at: momentIn(data, 'deadline_at') ?? (GOES_ON.has(event) ? null : child.deadline_at),
    attempts: Array.isArray(data.retry_history) ? attemptsIn(data) : child.attempts,
    news_at: at ?? child.news_at,
  };
  if (isOpenState(state) || (state === 'unknown' && !ENDS.has(event))) {
    const started_at = state === 'queued' ? null : startOf(told, event, at, data);
    const waits = event === 'waiting' || (child.waits && event === 'heartbeat');
    const worked = at === null || started_at === null ? null : Math.max(0, at - started_at);
    return { ...told, waits, worked_ms: waits ? (child.worked_ms ?? worked) : null, started_at, end: null };
  }
  const started_at = child.started_at;
  const elapsed_ms =
    numberIn(data, 'elapsed_ms') ?? (at === null || started_at === null ? null : at - started_at);
  return { ...told, waits: false, worked_ms: null, end: { ...endIn(data), elapsed_ms } };
}

/** The deadline tells it also where the event that began it is not known. */
function startOf(child: Child, event: string, at: number | null, data: Item['data']): number | null {
  const { deadline_at, timeout_ms } = child;
  if (deadline_at !== null && timeout_ms !== null) return deadline_at - timeout_ms;
  if (GOES_ON.has(event)) return at;
  const elapsed = numberIn(data, 'elapsed_ms');
  return child.started_at ?? (at === null || elapsed === undefined ? null : at - elapsed);
}

function endIn(data: Item['data']): Omit<ChildEnd, 'elapsed_ms'> {
  return {
    summary: stringIn(data, 'summary') ?? '',
    cut: isCut(data, 'summary'),
    reason: stringIn(data, 'reason') ?? '',
    reported: data.checkpoint === undefined ? NOTHING_REPORTED : checkpointIn(data),
    actions: actionsIn(data.next_actions),
  };
}

function attemptsIn(data: Item['data']): readonly Attempt[] {
  return listIn(data, 'retry_history').map((one) => ({
    reason: wordsOrNull(one, 'reason') ?? wordsOrNull(one, 'error_kind') ?? '',
    elapsed_ms: numberIn(one, 'elapsed_ms') ?? null,
    child_session_id: wordsOrNull(one, 'child_session_id'),
  }));
}
