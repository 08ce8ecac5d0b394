import { expect, test } from 'vitest';
import { pressureMessage } from '../../src/presenter/pressure.ts';
import { oneOfEach } from '../support/made-events.ts';

const USAGE = oneOfEach().provider_usage.data;

function pressure(input: number | null, window: number | null) {
  const usage = { ...USAGE, tokens: { ...USAGE.tokens, input, cached: 5 } };
  const { tier, ratio } = pressureMessage(usage, window);
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

test('what is not known is never guessed', () => {
  expect(pressure(500, null)).toEqual(['unknown', null]);
  expect(pressure(null, 1000)).toEqual(['unknown', null]);
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
