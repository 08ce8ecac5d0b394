import { outcomeUnknown } from '../recovery.ts';
import { OUTCOME_UNKNOWN } from '../turn-calls.ts';
import { isTerminal, pendingCalls, turnState, type OpenCall, type Turn } from '../turn.ts';
import type { SubagentTrace, WorkflowTrace } from './child-traces.ts';
import { counted, ok, openSession, settling, warning, type Check, type LogFacts } from './checks.ts';
import { isOpenState } from './node-state.ts';
import { unanswered, type TurnFindings, type TurnReport, type UnansweredCall } from './turn-findings.ts';

/** What the checks of turns look at. */
export interface TurnsSeen {
  readonly session_id: string;
  readonly found: TurnFindings;
  /** The last one: the only one that can run or wait. */
  readonly turn: Turn | null;
  readonly facts: LogFacts;
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
  const details = waiting(seen.turn);
  if (details.length === 0) return ok('pending_decisions', 'Nothing waits for a person.');
  const message = counted(details.length, {
    one: '1 call waiting for a person.',
    many: '{0} calls waiting for a person.',
  });
  return warning('pending_decisions', message, details, deciding(seen));
}

function deciding({ session_id, turn, facts }: TurnsSeen): Check['next_actions'] {
  if (facts.damage.length > 0) return settling(session_id, facts);
  const args = [{ what: 'decision', turn_id: turn?.turn_id }];
  const decide = { label: 'Decide in chat', command: 'ledgerline.revealInChat', args };
  return facts.lease === 'held' ? [decide] : [openSession(session_id), decide];
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

/** Not final, and nobody there who could end it. */
export function staleness(
  seen: TurnsSeen,
  children: readonly SubagentTrace[],
  workflows: readonly WorkflowTrace[],
): Check {
  const { session_id, turn, facts } = seen;
  const live = facts.lease === 'held';
  const turns = abandonedTurns(seen);
  const calls =
    turn !== null && turns.some(({ turn_id }) => turn_id === turn.turn_id) ? unanswered(turn) : [];
  const open = [
    ...turns.map(({ turn_id, state, seq }) => ({ what: `turn ${turn_id}`, status: state, seq })),
    ...calls.map(({ call_id, name, state, seq }) => ({
      what: `call ${call_id} of ${name}`,
      status: state,
      seq,
    })),
    ...children
      .filter(({ state }) => !live && isOpenState(state))
      .map(({ subagent_id, status, state_seq }) => ({
        what: `subagent ${subagent_id}`,
        status,
        seq: state_seq,
      })),
    ...workflows
      .filter(({ finished_seq }) => !live && finished_seq === null)
      .map(({ workflow_id, status, state_seq }) => ({
        what: `workflow ${workflow_id}`,
        status,
        seq: state_seq,
      })),
  ];
  if (open.length === 0) return ok('staleness', 'Nothing is open that no live process could end.');
  const message = `No live process could end ${open.map(({ what }) => what).join(', ')}.`;
  return warning('staleness', message, open, settling(session_id, facts));
}
