import { describe, expect, test } from 'vitest';

import { stepTo } from '../../webview/kept-place.ts';
import type { Held, Past } from '../../webview/log-stretch.ts';
import { prompt } from './log-items.ts';

/** Each event is a turn of its own. */
function held(from: number, to: number, more: Partial<Held> = {}): Held {
  const items = Array.from({ length: to - from }, (_, at) => ({
    ...prompt(from + at),
    turn_id: `turn-${from + at}`,
  }));
  return { items, blocks: [], has_more: from > 0, past: null, away: false, ...more };
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
