import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compactionNotice, pressureMessage, tierNotice } from '../../src/presenter/pressure.ts';
import { tierOf } from '../../src/runtime/pressure.ts';
import { wholePercent } from '../../src/runtime/whole-percent.ts';
import { RECORD } from '../support/compaction-record.ts';
import { made } from '../support/made-events.ts';
import { searchRuns } from '../support/search-runs.ts';

function pressure(input_tokens: number, window: number | null, measured = true) {
  const gauge = { of: 'call', input_tokens, cached_tokens: 5, measured, parts: null } as const;
  const { tier, ratio } = pressureMessage(gauge, window);
  return [tier, ratio];
}

test.each([
  [699, 1000, 'none', 0.699],
  [700, 1000, 'advisory', 0.7],
  [800, 1000, 'warning', 0.8],
  [900, 1000, 'critical', 0.9],
  [1200, 1000, 'critical', 1.2],
])('%i tokens in a window of %i are %s', (input, window, tier, ratio) => {
  expect(pressure(input, window)).toEqual([tier, ratio]);
});

test('what a checkpoint came to is an estimate of the next call, and what a call came to is not', () => {
  const gauge = {
    of: 'checkpoint',
    input_tokens: 500,
    cached_tokens: null,
    measured: false,
    parts: null,
  } as const;
  expect(pressureMessage(gauge, 1000)).toEqual({
    v: 1,
    type: 'context_pressure',
    tier: 'unknown',
    ratio: 0.5,
    input_tokens: 500,
    cached_tokens: null,
    window_tokens: 1000,
    estimated: true,
    after_compaction: true,
  });
  const parts = { instructions: 100, tools: 100, skills: 0, history: 300, tool_output: 0 };
  expect(pressureMessage({ ...gauge, parts }, 1000)).toMatchObject({ parts, after_compaction: true });
  expect(pressureMessage({ ...gauge, of: 'call', parts }, 1000)).not.toHaveProperty('after_compaction');
});

test('what is not known is never guessed', () => {
  expect(pressure(500, null)).toEqual(['unknown', null]);
  expect(pressure(950, 1000, false)).toEqual(['unknown', 0.95]);
  expect(pressureMessage(null, 1000)).toEqual({
    v: 1,
    type: 'context_pressure',
    tier: 'unknown',
    ratio: null,
    input_tokens: null,
    cached_tokens: null,
    window_tokens: 1000,
  });
});

function said(more: Partial<typeof RECORD>): string {
  return compactionNotice(made('history_compaction', 7, { ...RECORD, ...more })).message;
}

test('what was compacted is said with numbers that can be read, and what kept a model from telling it', () => {
  const done =
    'Earlier history was compacted, from about 48,012 to about 9,120 tokens. The log keeps all of it.';
  expect(said({})).toBe(done);
  const message = 'The answer was not in the form that was asked for.';
  const fallback = { from: 'model_assisted_v1', kind: 'not_in_form', message } as const;
  expect(said({ fallback })).toBe(
    `${done} The model could not make the summary, so it was made by rules. ${message}`,
  );
});

test('no percentage claims a tier that is not reached, nor less than what was counted', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20_000_000 }),
      fc.integer({ min: 0, max: 1200 }),
      (window, part) => {
        const input = Math.floor((window * part) / 1000);
        const ratio = input / window;
        expect(tierOf(wholePercent(ratio) / 100)).toBe(tierOf(ratio));
        expect(wholePercent(ratio)).toBe(Number((BigInt(input) * 100n) / BigInt(window)));
      },
    ),
    { numRuns: searchRuns(100), seed: 20261118 },
  );
  expect(tierNotice('warning', 0.896)?.message).toContain('89 % full');
});

test('a window that is nearly full promises no more than can be done', () => {
  expect(tierNotice('critical', 0.93)?.message).toBe(
    'The context window is 93 % full. Before the next turn, earlier history is compacted where that makes room.',
  );
});
