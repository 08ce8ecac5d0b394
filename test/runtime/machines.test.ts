import { describe, expect, it } from 'vitest';
import {
  CALL_MOVES,
  canMoveCall,
  IllegalMove,
  isFinal,
  moveCall,
  moveRun,
  RUN_MOVES,
  type CallState,
  type RunState,
} from '../../src/runtime/machines.ts';

const CALL_STATES = Object.keys(CALL_MOVES) as CallState[];
const RUN_STATES = Object.keys(RUN_MOVES) as RunState[];

describe('the run machine', () => {
  it('is the table of the contract', () => {
    expect(RUN_MOVES).toEqual({ running: ['waiting', 'done'], waiting: ['running', 'done'], done: [] });
  });

  it('makes every move of the table and refuses every other', () => {
    for (const from of RUN_STATES) {
      for (const to of RUN_STATES) {
        const legal = (RUN_MOVES[from] as readonly RunState[]).includes(to);
        const move = (): RunState => moveRun(from, to, 'turn_1');
        if (legal) expect(move()).toBe(to);
        else expect(move).toThrow(new IllegalMove('run', from, to, 'turn_1'));
      }
    }
  });
});

describe('the call machine', () => {
  it('is the table of the contract', () => {
    expect(CALL_MOVES).toEqual({
      new: ['running', 'suspended', 'failed', 'cancelled'],
      running: ['suspended', 'succeeded', 'failed', 'cancelled'],
      suspended: ['resuming', 'cancelled'],
      resuming: ['running', 'suspended', 'succeeded', 'failed', 'cancelled'],
      succeeded: [],
      failed: [],
      cancelled: [],
    });
  });

  it('makes every move of the table and refuses every other', () => {
    for (const from of CALL_STATES) {
      for (const to of CALL_STATES) {
        const legal = (CALL_MOVES[from] as readonly CallState[]).includes(to);
        expect(canMoveCall(from, to)).toBe(legal);
        const move = (): CallState => moveCall(from, to, 'call_1');
        if (legal) expect(move()).toBe(to);
        else expect(move).toThrow(new IllegalMove('call', from, to, 'call_1'));
      }
    }
  });

  it('has exactly three final states', () => {
    expect(CALL_STATES.filter(isFinal)).toEqual(['succeeded', 'failed', 'cancelled']);
  });
});

describe('an illegal move', () => {
  it('says which machine, from where, to where, and of what', () => {
    const { name, machine, from, to, subject, message } = new IllegalMove(
      'call',
      'succeeded',
      'running',
      'c',
    );
    expect({ name, machine, from, to, subject, message }).toEqual({
      name: 'IllegalMove',
      machine: 'call',
      from: 'succeeded',
      to: 'running',
      subject: 'c',
      message: 'illegal call move succeeded -> running of c',
    });
  });
});
