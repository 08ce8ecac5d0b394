import { outcomeUnknown } from '../recovery.ts';
import { OUTCOME_UNKNOWN } from '../turn-calls.ts';
import { isTerminal, pendingCalls, turnState, type OpenCall, type Turn } from '../turn.ts';
import { decideInChat, resumeWorkflow, together } from './agent-actions.ts';
import {
  askingChildren,
  DETAILS_KEPT,
  staleChildren,
  type ChildrenSeen,
  type StaleChild,
} from './child-checks.ts';
import { counted, ok, openSession, settling, warning, type Check, type LogFacts } from './checks.ts';
import { unanswered, type TurnFindings, type TurnReport, type UnansweredCall } from './turn-findings.ts';

/** What the checks of turns look at. */
export interface TurnsSeen {
  readonly session_id: string;
  readonly found: TurnFindings;
  /** The last one: the only one that can run or wait. */
  readonly turn: Turn | null;
  readonly facts: LogFacts;
  readonly children: ChildrenSeen;
}

const ENDED = {
  one: '1 turn, with the evidence of how it ended.',
  many: '{0} turns, each with the evidence of how it ended.',
};
const UNENDED = {
  one: '1 turn without evidence of an end.',
  many: '{0} turns without evidence of an end.',
};

export function completion(seen: TurnsSeen): Check {
  const { session_id, found, turn, facts } = seen;
  const abandoned = abandonedTurns(seen);
  if (abandoned.length === 0) {
    const state = turn === null ? 'completed' : turnState(turn);
    if (state === 'running') return ok('turn_completion', 'The last turn is running in a live process.');
    if (state === 'waiting') return ok('turn_completion', 'The last turn waits for a person.');
    return ok('turn_completion', counted(found.turns, ENDED));
  }
  const closes = facts.damage.length === 0 && abandoned.some(({ turn_id }) => turn_id === turn?.turn_id);
  const then = closes ? ' Opening the session closes the last one honestly.' : '';
  const message = `${counted(abandoned.length, UNENDED)}${then}`;
  return warning('turn_completion', message, abandoned, settling(session_id, facts));
}

/** Turns that did not end: of the last one, only when no live process has it in hand. Only that one can wait. */
function abandonedTurns({ found, turn, facts }: TurnsSeen): readonly TurnReport[] {
  return found.reports.filter(({ turn_id, state }) =>
    turn_id === turn?.turn_id
      ? state === 'running' && facts.lease !== 'held'
      : state === 'running' || state === 'waiting',
  );
}

/** The calls that wait for a person, in the one turn that can wait: also while others of it run. */
function waiting(turn: Turn | null): readonly Pick<OpenCall, 'call_id' | 'name' | 'suspension'>[] {
  if (turn === null || isTerminal(turnState(turn))) return [];
  return pendingCalls(turn).map(({ call_id, name, suspension }) => ({ call_id, name, suspension }));
}

export function pending(seen: TurnsSeen): Check {
  const calls = waiting(seen.turn);
  const asking = askingChildren(seen.children);
  if (calls.length + asking.length === 0) return ok('pending_decisions', 'Nothing waits for a person.');
  const message =
    asking.length === 0
      ? counted(calls.length, {
          one: '1 call waiting for a person.',
          many: '{0} calls waiting for a person.',
        })
      : calls.length === 0
        ? counted(asking.length, {
            one: '1 question of a subagent waiting for a person.',
            many: '{0} questions of subagents waiting for a person.',
          })
        : `${calls.length + asking.length} calls and questions of subagents waiting for a person.`;
  const [first] = asking;
  const actions = calls.length > 0 || first === undefined ? [] : first.next_actions;
  return warning(
    'pending_decisions',
    message,
    [...calls, ...asking].slice(0, DETAILS_KEPT),
    together(deciding(seen), actions),
  );
}

function deciding({ session_id, turn, facts }: TurnsSeen): Check['next_actions'] {
  if (facts.damage.length > 0) return settling(session_id, facts);
  const decide = turn === null ? [] : [decideInChat(turn.turn_id)];
  return facts.lease === 'held' ? decide : [openSession(session_id), ...decide];
}

/** Calls with effects that were under way: those of the last turn, and those of turns that are over. */
function underWay({ found, turn, facts }: TurnsSeen): {
  readonly now: readonly UnansweredCall[];
  readonly before: readonly UnansweredCall[];
} {
  const isUnknown = (call: UnansweredCall): boolean => outcomeUnknown(call, facts.effectOf);
  const runs = turn !== null && turnState(turn) === 'running';
  return {
    now: runs ? unanswered(turn).filter(isUnknown) : [],
    before: found.unpaired.filter(isUnknown),
  };
}

export function unknownOutcomes(seen: TurnsSeen): Check {
  const { session_id, turn, facts } = seen;
  const asked = waiting(turn).filter(({ suspension }) => suspension?.reason === OUTCOME_UNKNOWN);
  const { now, before } = underWay(seen);
  const live = facts.lease === 'held';
  const calls = [...before, ...(live ? [] : now), ...asked];
  if (calls.length > 0) {
    const message = counted(calls.length, {
      one: '1 call of which nobody knows whether it took effect.',
      many: '{0} calls of which nobody knows whether they took effect.',
    });
    const actions = asked.length > 0 ? deciding(seen) : settling(session_id, facts);
    return warning('unknown_outcomes', message, calls, actions);
  }
  return now.length > 0
    ? ok('unknown_outcomes', 'A live process is running a call with effects.')
    : ok('unknown_outcomes', 'No call with effects is left open whose outcome nobody knows.');
}

/** What is open is named up to here: the details have it all. */
const NAMED = 10;

/** Not final, and nobody there who could end it, or none of whom is known that he does. */
export function staleness(seen: TurnsSeen): Check {
  const { session_id, turn, facts, children } = seen;
  const turns = abandonedTurns(seen);
  const calls =
    turn !== null && turns.some(({ turn_id }) => turn_id === turn.turn_id) ? unanswered(turn) : [];
  const stale = staleChildren(children);
  const flows = children.live ? [] : children.book.unfinished;
  const lost = [
    ...turns.map(({ turn_id, state, seq }) => ({ what: `turn ${turn_id}`, status: state, seq })),
    ...calls.map(({ call_id, name, state, seq }) => ({
      what: `call ${call_id} of ${name}`,
      status: state,
      seq,
    })),
    ...stale.filter(({ why }) => why === 'no_process'),
    ...flows.map(({ workflow_id, status, state_seq }) => ({
      what: `workflow ${workflow_id}`,
      status,
      seq: state_seq,
      next_actions: [resumeWorkflow(session_id, workflow_id)],
    })),
  ];
  const adrift = stale.filter(({ why }) => why !== 'no_process');
  if (lost.length + adrift.length === 0)
    return ok('staleness', 'Nothing is open that no live process could end.');
  const details = [...lost, ...adrift].slice(0, DETAILS_KEPT);
  const [first] = adrift;
  const actions = lost.length > 0 || first === undefined ? settling(session_id, facts) : first.next_actions;
  return warning('staleness', staleWords(lost, adrift), details, actions);
}

function staleWords(lost: readonly { readonly what: string }[], adrift: readonly StaleChild[]): string {
  if (adrift.length === 0) {
    const more = lost.length - NAMED;
    const names = lost.slice(0, NAMED).map(({ what }) => what);
    return `No live process could end ${[...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}.`;
  }
  const over = adrift.filter(({ why }) => why === 'turn_over').length;
  if (lost.length === 0 && over === adrift.length)
    return counted(over, {
      one: '1 subagent is open although its turn is over.',
      many: '{0} subagents are open although their turns are over.',
    });
  if (lost.length === 0 && over === 0)
    return counted(adrift.length, {
      one: '1 subagent has given no sign of life for more than 3 minutes.',
      many: '{0} subagents have given no sign of life for more than 3 minutes.',
    });
  return `${lost.length + adrift.length} findings: what nobody ends, and subagents without a sign of life.`;
}
