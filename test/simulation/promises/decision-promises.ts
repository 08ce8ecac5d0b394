import type { Decision } from '../../../src/runtime/decisions.ts';
import type { LogEvent } from '../../../src/runtime/events.ts';
import type { PreparedCall } from '../../../src/runtime/ports.ts';
import type { DecideOutcome } from '../../../src/runtime/session-ports.ts';
import { first, type Promised } from './promise.ts';
import { TurnFacts, turnIdOf } from './turn-facts.ts';

export interface AnswerView {
  readonly decision: Decision;
  readonly outcome: DecideOutcome;
  /** Whether it was durable when the person said it, and whether it is now. */
  readonly before: boolean;
  readonly now: boolean;
  /** It was accepted already, some time. */
  readonly known: boolean;
}

/** Refused because its id is on record: for something else, or for a question that was asked again since. */
function isRepeated(outcome: DecideOutcome): boolean {
  return outcome.kind === 'refused' && ['decision_id_reused', 'asked_again'].includes(outcome.code);
}

/** Held by every answer to a decision. */
export const ANSWER_PROMISES: readonly Promised<AnswerView>[] = [
  {
    says: 'a decision_id acts once, whatever is repeated',
    broken: ({ decision, outcome, before, known }) =>
      (before || known) && outcome.kind !== 'duplicate' && !isRepeated(outcome)
        ? `${decision.decision_id} was made before, and is ${outcome.kind}`
        : null,
  },
  {
    says: 'a decision is durable before it is answered for',
    broken: ({ decision, outcome, now }) =>
      isRepeated(outcome) || now === (outcome.kind !== 'refused')
        ? null
        : `${decision.decision_id} is ${outcome.kind}, on record ${now}`,
  },
  {
    says: 'only an explicit resume approves',
    broken: ({ decision, outcome }) =>
      outcome.kind === 'accepted' && !['resume', 'cancel'].includes(decision.action) ? decision.action : null,
  },
];

export interface ActingView {
  readonly call: PreparedCall;
  /** How often the call has changed something now. */
  readonly times: number;
  /** What the file was that it changes. */
  readonly basis: string | null;
  /** What is durable at this moment. */
  readonly log: readonly LogEvent[];
}

/** Held by every effect when it happens. */
export const ACTING_PROMISES: readonly Promised<ActingView>[] = [
  {
    says: 'running is durable before an effect',
    broken: ({ call: { call_id }, log }) => (runsOf(callFacts(log, call_id), call_id) > 0 ? null : call_id),
  },
  {
    says: 'a call has its effect once, and once more only for a resume of a person',
    broken: ({ call: { call_id }, times, log }) => {
      const runs = runsOf(callFacts(log, call_id), call_id);
      return times > runs ? `${call_id} for the ${times}. time, in ${runs} runs` : null;
    },
  },
  {
    says: 'what runs is what a person was shown',
    broken: ({ call: { call_id, effect, subject }, basis, log }) => {
      if (effect !== 'write') return null;
      const turn = callFacts(log, call_id);
      const shown = turn.approvals(call_id).at(-1)?.suspension.parameters;
      if (typeof shown !== 'object' || shown === null || !('basis' in shown)) return null;
      let { sha256 } = shown.basis as { readonly sha256: string | null };
      for (const { data } of turn.of('file_change'))
        if (data.path === subject && data.before_sha256 === sha256 && sha256 !== basis)
          sha256 = data.after_sha256;
      return sha256 === basis ? null : `${call_id} was shown ${sha256}, and changes ${basis}`;
    },
  },
];

function callFacts(log: readonly LogEvent[], callId: string): TurnFacts {
  const call = log.findLast((event) => event.type === 'tool_call' && event.data.call_id === callId);
  const turn_id = call === undefined ? undefined : turnIdOf(call);
  return new TurnFacts(
    turn_id ?? '',
    log.filter((event) => turn_id !== undefined && turnIdOf(event) === turn_id),
  );
}

function runsOf(turn: TurnFacts, callId: string): number {
  return turn.moves(callId).filter(({ data }) => data.to === 'running').length;
}

export interface SaidView {
  readonly turns: readonly TurnFacts[];
  readonly said: ReadonlyMap<string, readonly Decision[]>;
  readonly accepted: ReadonlySet<string>;
}

/** Held by the log as a whole, at every moment. */
export const SAID_PROMISES: readonly Promised<SaidView>[] = [
  {
    says: 'every decision on record is what a person said, and is there once',
    broken: ({ turns, said }) => {
      const decisions = turns.flatMap((turn) => turn.of('tool_call_decision'));
      return first(decisions.entries(), ([at, { data }]) => {
        const { decision_id, action, decided_by } = data;
        const twin = decisions.findIndex((other) => other.data.decision_id === decision_id);
        if (twin !== at) return `${decision_id} is there twice`;
        const meant = said.get(decision_id)?.some((decision) => decision.action === action) === true;
        return meant && decided_by === 'user' ? null : `${decided_by} says ${action} in ${decision_id}`;
      });
    },
  },
  {
    says: 'no decision that was accepted is lost',
    broken: ({ turns, accepted }) => {
      const known = new Set(
        turns.flatMap((turn) => turn.of('tool_call_decision').map(({ data }) => data.decision_id)),
      );
      return first(accepted, (id) => (known.has(id) ? null : id));
    },
  },
];
