import { describe, expect, test } from 'vitest';

import { stepTo } from '../../webview/kept-place.ts';
import type { Held, Past } from '../../webview/log-stretch.ts';
import type { State } from '../../webview/state.ts';
import { prompt } from './log-items.ts';

/** Each event is a turn of its own. */
function held(from: number, to: number, more: Partial<Held> = {}): Held & Pick<State, 'jump'> {
  const items = Array.from({ length: to - from }, (_, at) => ({
    ...prompt(from + at),
    turn_id: `turn-${from + at}`,
  }));
  return { items, blocks: [], has_more: from > 0, past: null, away: false, jump: null, ...more };
}

function stretch(from: number, to: number): Past {
  return { ...held(from, to), left_at: 900 };
}

describe('the way to a turn', () => {
  const target = {
    session_id: 'one',
    turn_id: 't1',
    offset: 0,
    why: 'reveal',
    asked_before: null,
    asked_after: null,
  } as const;

  test('leads through one part of the log, however far it is', () => {
    const end = held(900, 1000);
    expect(stepTo({ ...target, seq: 40 }, end)).toEqual({ kind: 'load', before: 41 });
    expect(stepTo({ ...target, seq: 880 }, end)).toEqual({ kind: 'load', before: 881 });
    expect(stepTo({ ...target, seq: 40, asked_before: 900 }, end)).toEqual({ kind: 'wait' });
    const there = { ...end, past: stretch(30, 240) };
    expect(stepTo({ ...target, turn_id: 'turn-40', seq: 40, asked_before: 900 }, there)).toEqual({
      kind: 'go',
    });
  });

  test('waits for the part that was asked for, whatever else arrives before it', () => {
    const meanwhile = { ...held(700, 1000), jump: 41 };
    expect(stepTo({ ...target, seq: 40, asked_before: 900 }, meanwhile)).toEqual({ kind: 'wait' });
  });

  test('leads by the end when the turn is after what is shown', () => {
    const there = held(900, 1000, { past: stretch(30, 240) });
    expect(stepTo({ ...target, seq: 950 }, there)).toEqual({ kind: 'to_end' });
  });

  test('ends where the log has no such turn', () => {
    expect(stepTo({ ...target, seq: 40 }, held(0, 100))).toEqual({ kind: 'give_up' });
    const there = held(900, 1000, { past: stretch(30, 240) });
    expect(stepTo({ ...target, seq: 40, asked_before: 900 }, there)).toEqual({ kind: 'give_up' });
  });
});
