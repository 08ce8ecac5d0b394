import { describe, expect, it } from 'vitest';
import { nextStep } from '../../../src/runtime/decide.ts';
import type { CallState } from '../../../src/runtime/machines.ts';
import { beginTurn, type OpenCall, type Turn } from '../../../src/runtime/turn.ts';
import { oneOfEach } from '../../support/made-events.ts';

function open(call_id: string, state: CallState): OpenCall {
  return {
    call_id,
    name: 'read',
    args: '{}',
    stream_run_id: 'r1',
    state,
    result: 'none',
    suspension: null,
    pending_id: null,
    decision: null,
    approved: [],
    started: false,
    process: null,
  };
}

/** A turn whose last round asked for these calls; a settled one is not open any more. */
function turnWith(calls: Readonly<Record<string, CallState | 'settled'>>, more: Partial<Turn> = {}): Turn {
  const entries = Object.entries(calls);
  return {
    ...beginTurn(oneOfEach().user_message),
    open: new Map(
      entries.flatMap(([id, state]) => (state === 'settled' ? [] : [[id, open(id, state)] as const])),
    ),
    rounds: [
      {
        stream_run_id: 'r1',
        call_ids: Object.keys(calls),
        signature: [],
        settled: 0,
        failed: 0,
      },
    ],
    ...more,
  };
}

describe('the next step of a run', () => {
  it('is the end, whatever else, once it has to halt', () => {
    const end = { kind: 'interrupted', reason: 'disconnect' } as const;
    expect(nextStep(turnWith({ c1: 'new' }), end)).toEqual({ kind: 'end', end });
  });

  it('is to ask the model, when nothing is open', () => {
    expect(nextStep(turnWith({}), null)).toEqual({ kind: 'infer' });
    expect(nextStep(turnWith({ c1: 'settled' }), null)).toEqual({ kind: 'infer' });
  });

  it('is a round with exactly the calls that are new', () => {
    const turn = turnWith({ c1: 'suspended', c2: 'new', c3: 'new' });
    expect(nextStep(turn, null)).toEqual({ kind: 'round', calls: [open('c2', 'new'), open('c3', 'new')] });
  });

  it('is to wait, when all calls of the round wait', () => {
    const turn = turnWith({ c1: 'suspended', c2: 'suspended' });
    expect(nextStep(turn, null)).toEqual({ kind: 'wait', on: ['c1', 'c2'] });
  });

  it('is to ask the model, when only some of them wait', () => {
    expect(nextStep(turnWith({ c1: 'suspended', c2: 'settled' }), null)).toEqual({ kind: 'infer' });
  });

  it('is to wait again after it had waited, as long as one call is pending', () => {
    const turn = turnWith({ c1: 'suspended', c2: 'settled' }, { waited: true });
    expect(nextStep(turn, null)).toEqual({ kind: 'wait', on: ['c1'] });
  });

  it('is to wait, when the model has answered over a pending call', () => {
    const turn = turnWith({ c1: 'suspended', c2: 'settled' }, { answered: true });
    expect(nextStep(turn, null)).toEqual({ kind: 'wait', on: ['c1'] });
  });

  it('is the natural end, when the model has answered and nothing is pending', () => {
    const turn = turnWith({ c1: 'settled' }, { answered: true });
    expect(nextStep(turn, null)).toEqual({ kind: 'end', end: { kind: 'natural_end' } });
  });
});
