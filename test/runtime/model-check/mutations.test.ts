import { expect, test } from 'vitest';
import { NOTHING_REMAINS } from '../../../src/runtime/closing.ts';
import { resumption } from '../../../src/runtime/call-drafts.ts';
import { draft, type Draft } from '../../../src/runtime/events.ts';
import { recovery } from '../../../src/runtime/recovery.ts';
import type { OpenCall } from '../../../src/runtime/turn-calls.ts';
import { applyToTurn, pendingCalls, type Turn } from '../../../src/runtime/turn.ts';
import { BATCHED, COMMAND_AND_READ, WRITE_AND_ASK } from './casts.ts';
import { CORE, type Core } from './core.ts';
import { Exploration } from './exploration.ts';
import type { Cast } from './inputs.ts';

/** A check that cannot fail proves nothing: each of these unsound cores has to be caught. */
interface Mutation {
  readonly change: Partial<Core>;
  readonly cast?: Cast;
  readonly caught: RegExp;
}

const UNSOUND: Readonly<Record<string, Mutation>> = {
  'a table in which a suspended call can succeed': {
    change: {
      // The fold of a table that has the move: it does not see anything wrong.
      applyToTurn: (turn, event) => {
        if (event.type !== 'tool_call_status' || event.data.to !== 'succeeded')
          return applyToTurn(turn, event);
        const call = turn.open.get(event.data.call_id);
        if (call?.state !== 'suspended') return applyToTurn(turn, event);
        const open = new Map(turn.open).set(call.call_id, { ...call, state: 'running' });
        return applyToTurn({ ...turn, open }, { ...event, data: { ...event.data, from: 'running' } });
      },
      resumption: (turn_id, call, decision, ids) => {
        const next = resumption(turn_id, call, decision, ids);
        return next.kind === 'settled' && decision.action === 'resume'
          ? { kind: 'settled', drafts: next.drafts.slice(1).map(fromSuspended) }
          : next;
      },
    },
    caught: /illegal move suspended\/suspended -> succeeded/,
  },
  'a recovery that runs again what was running': {
    change: {
      recovery: (turn, scratch, effectOf, ids, rules) => {
        const drafts = recovery(turn, scratch, effectOf, ids, rules);
        return drafts.flatMap((entry) => (isUnknown(entry) ? [entry, decidedByItself(entry)] : [entry]));
      },
    },
    caught: /policy decides about a/,
  },
  'a recovery that forgets the calls that never started': {
    change: {
      recovery: (turn, scratch, effectOf, ids, rules) =>
        recovery(turn, scratch, effectOf, ids, rules).filter(
          ({ data }) => !('call_id' in data) || stateOf(turn, data.call_id) !== 'new',
        ),
    },
    caught: /done with a new|a is new after recovery/,
  },
  'a recovery that takes a cut off write for harmless': {
    change: {
      recovery: (turn, scratch, _effectOf, ids, rules) => recovery(turn, scratch, () => 'read', ids, rules),
    },
    caught: /a was cut off, and is cancelled/,
  },
  'a recovery that closes what a person is asked': {
    change: {
      recovery: (turn) =>
        turn === null || turn.run === 'done'
          ? []
          : CORE.closing(turn, { kind: 'interrupted', reason: 'disconnect' }, NOTHING_REMAINS),
    },
    caught: /a was cut off, and is cancelled|the question about [ab] is gone|what was shown .* is not kept/,
  },
  'a closing that leaves a suspended call open': {
    change: {
      closing: (turn, end, remains) =>
        CORE.closing({ ...turn, open: without(turn, pendingCalls(turn)) }, end, remains),
    },
    caught: /done with a suspended/,
  },
  'a decision that acts again when it is repeated': {
    change: {
      checkDecision: (turn, decision, history) =>
        CORE.checkDecision(turn, decision, { ...history, decided: () => undefined }),
    },
    caught: /is on record twice|a repeated decision is/,
  },
  'a pending call that goes on undecided': {
    change: { decidedCalls: (turn) => pendingCalls(turn) },
    caught: /goes on undecided/,
  },
  'a denied call that runs': {
    change: {
      resumption: (turn_id, call, decision, ids) =>
        resumption(turn_id, call, { ...decision, action: 'resume' }, ids),
    },
    caught: /goes on though a person said cancel/,
  },
  'a round that is not decided together': {
    cast: BATCHED,
    change: { decidedCalls: (turn, rules) => CORE.decidedCalls(turn, { ...rules, batch: false }) },
    caught: /goes on while its round is undecided/,
  },
  'a command that runs again beside itself': {
    cast: COMMAND_AND_READ,
    change: { decidedCalls: (turn, rules) => CORE.decidedCalls(turn, { ...rules, isAlive: () => false }) },
    caught: /runs again while its process lives/,
  },
  'a run that asks the model again while it waits': {
    change: {
      nextStep: (turn, halt, options) => CORE.nextStep({ ...turn, waited: false }, halt, options),
    },
    caught: /infers though it waited|infers with a whole round pending/,
  },
  'a run that completes over a pending call': {
    change: {
      nextStep: (turn, halt, options) =>
        turn.answered ? { kind: 'end', end: { kind: 'natural_end' } } : CORE.nextStep(turn, halt, options),
    },
    caught: /done with a suspended/,
  },
  'a call that runs without the word of the gate': {
    change: {
      passageDrafts: (turn_id, call, passage, ids) =>
        CORE.passageDrafts(turn_id, call, passage, ids).filter(({ type }) => type !== 'permission_decision'),
    },
    caught: /runs without anybody's say/,
  },
};

for (const [core, { change, cast = WRITE_AND_ASK, caught }] of Object.entries(UNSOUND)) {
  test(`${core} is caught`, () => {
    const { broken } = new Exploration({ ...cast, core: { ...CORE, ...change } }).run(6);
    expect(broken).toMatch(caught);
  });
}

function fromSuspended(entry: Draft): Draft {
  return entry.type === 'tool_call_status' ? { ...entry, data: { ...entry.data, from: 'suspended' } } : entry;
}

function isUnknown(entry: Draft): entry is Draft<'tool_call_status'> {
  return entry.type === 'tool_call_status' && entry.data.suspension?.reason === 'outcome_unknown';
}

function decidedByItself({ data: { turn_id, call_id } }: Draft<'tool_call_status'>): Draft {
  return draft('tool_call_decision', {
    turn_id,
    call_id,
    decision_id: `self_${call_id}`,
    target_id: call_id,
    action: 'resume',
    decided_by: 'policy',
  });
}

function stateOf(turn: Turn | null, callId: unknown): string | undefined {
  return typeof callId === 'string' ? turn?.open.get(callId)?.state : undefined;
}

function without(turn: Turn, calls: readonly OpenCall[]): Turn['open'] {
  return new Map([...turn.open].filter(([id]) => !calls.some(({ call_id }) => call_id === id)));
}
