import type { NextAction } from '../events.ts';
import { childActions, openTranscript, resumeWorkflow, together } from './agent-actions.ts';
import type { ChildBook, ChildFinding } from './child-book.ts';
import type { SubagentTrace } from './child-traces.ts';
import { counted, ok, openLog, warning, type Check } from './checks.ts';

/** What the checks of children and workflows look at. */
export interface ChildrenSeen {
  readonly session_id: string;
  readonly book: ChildBook;
  /** A live process has the log. */
  readonly live: boolean;
  /** The last event that a request of a turn that ended by itself was made of. */
  readonly requested_at: number;
  readonly isOver: (turnId: string | null) => boolean;
}

interface Finding {
  readonly seq: number;
  readonly next_actions: readonly NextAction[];
}

/** What can be done about the first finding, and its line: each of the others has its own. */
function actionsFor(session_id: string, [first]: readonly Finding[]): readonly NextAction[] {
  if (first === undefined) return [];
  return together(first.next_actions, [openLog({ session_id, seq: first.seq })]);
}

export function subagentTimeouts(seen: ChildrenSeen): Check {
  const { session_id, book, live } = seen;
  const late = book.timeouts;
  if (late.count === 0) return ok('subagent_timeouts', 'No subagent timed out.');
  const details = late.found.map((child) => ({
    subagent_id: child.subagent_id,
    child_session_id: child.child_session_id,
    seq: child.state_seq,
    reason: child.reason,
    timeout_ms: child.timeout_ms,
    elapsed_ms: child.elapsed_ms,
    next_actions: childActions(session_id, child, { live }),
  }));
  const message = counted(late.count, {
    one: '1 subagent timed out before it was done.',
    many: '{0} subagents timed out before they were done.',
  });
  return warning('subagent_timeouts', message, details, actionsFor(session_id, details));
}

/** What is at work, and what nobody has in hand any more: only a person can say what becomes of it. */
export function openChildren(seen: ChildrenSeen): Check {
  const { session_id, book, live } = seen;
  const { detached, open } = book;
  if (detached.length > 0) {
    const details = detached.slice(0, DETAILS_KEPT).map((child) => ({
      subagent_id: child.subagent_id,
      child_session_id: child.child_session_id,
      seq: child.state_seq,
      status: child.status,
      reason: child.reason,
      next_actions: childActions(session_id, child, { live }),
    }));
    const message = counted(detached.length, {
      one: '1 subagent is detached: resume or discard it.',
      many: '{0} subagents are detached: resume or discard them.',
    });
    return warning('open_children', message, details, actionsFor(session_id, details));
  }
  if (open.length === 0) return ok('open_children', 'No subagent is left over.');
  return ok(
    'open_children',
    counted(open.length, { one: '1 subagent is not over.', many: '{0} subagents are not over.' }),
  );
}

export const DETAILS_KEPT = 200;

/** Each end is told to the model once: not twice, and not never. */
export function subagentDelivery(seen: ChildrenSeen): Check {
  const { session_id, book, requested_at } = seen;
  const found = book.tellings(requested_at);
  if (found.count === 0)
    return ok('subagent_delivery', 'Every end of a subagent was told to the model as it should be.');
  const details = found.found.map((one) => childDetail(seen, one));
  const message = counted(found.count, {
    one: '1 end of a subagent that the model was told of not once, but twice or never.',
    many: '{0} ends of subagents that the model was told of not once, but twice or never.',
  });
  return warning('subagent_delivery', message, details, actionsFor(session_id, details));
}

export interface ChildDetail extends Finding {
  readonly subagent_id: string;
  readonly child_session_id: string | null;
  readonly what: string;
}

export function childDetail(
  { session_id, live }: Pick<ChildrenSeen, 'session_id' | 'live'>,
  { child, what, seq }: ChildFinding,
): ChildDetail {
  const { subagent_id, child_session_id } = child;
  const next_actions = childActions(session_id, child, { live });
  return { subagent_id, child_session_id, what, seq, next_actions };
}

const SILENT_MINUTES = 3;

/** Children that nobody could end, or of which nobody knows whether somebody does. One that asks a person is neither. */
export function staleChildren(seen: ChildrenSeen): readonly StaleChild[] {
  return seen.book.open
    .filter(({ state }) => state !== 'waiting')
    .flatMap((child) => {
      const why = staleness(child, seen);
      if (why === null) return [];
      const id = child.subagent_id;
      const what = {
        no_process: `subagent ${id}`,
        turn_over: `subagent ${id}: open although its turn is over`,
        silent: `subagent ${id}: no sign of life since seq ${child.news.seq}`,
      }[why];
      const { status } = child;
      return [{ ...childDetail(seen, { child, what, seq: child.news.seq }), why, status }];
    });
}

export interface StaleChild extends ChildDetail {
  readonly why: 'no_process' | 'turn_over' | 'silent';
  readonly status: string;
}

function staleness(child: SubagentTrace, { live, isOver, book }: ChildrenSeen): StaleChild['why'] | null {
  if (!live) return 'no_process';
  // Where a person gave it work, no turn is waiting for it.
  if (child.turn_id !== null && isOver(child.turn_id)) return 'turn_over';
  const silent = Date.parse(book.latest_at) - Date.parse(child.news.at);
  return child.state === 'running' && silent > SILENT_MINUTES * 60_000 ? 'silent' : null;
}

/** What children ask a person, one a question. */
export function askingChildren({ session_id, book, live }: ChildrenSeen): readonly (Finding & object)[] {
  return book.open
    .filter(({ state }) => state === 'waiting')
    .flatMap((child) => {
      const { subagent_id, child_session_id, state_seq: seq, questions } = child;
      const base = { subagent_id, child_session_id, seq };
      const next_actions = childActions(session_id, child, { live });
      if (questions.length === 0) return [{ ...base, next_actions }];
      return questions.map(({ call_id, name, suspension_id: id, reason, message }) => ({
        ...base,
        call_id,
        name,
        suspension: { id, reason, message },
        next_actions,
      }));
    });
}

/** Workflows that ended short of completion, or with a record that has gaps or contradicts itself. */
export function workflowGaps({ session_id, book, ...around }: ChildrenSeen): Check {
  const gaps = book.gaps(around);
  if (gaps.count === 0) return ok('workflow_gaps', 'Every step of a finished workflow has its checkpoint.');
  const details = gaps.found.map(({ child_session_id, can_resume, ...gap }) => ({
    ...gap,
    next_actions: [
      ...(can_resume ? [resumeWorkflow(session_id, gap.workflow_id)] : []),
      ...(child_session_id === null ? [] : [openTranscript(child_session_id)]),
    ],
  }));
  const message = counted(gaps.count, {
    one: '1 gap or contradiction in workflows.',
    many: '{0} gaps or contradictions in workflows.',
  });
  return warning('workflow_gaps', message, details, actionsFor(session_id, details));
}
