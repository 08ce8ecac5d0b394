import { expect, test } from 'vitest';
import { timesIn } from './search-runs.ts';

test('how long to search is a number of at least one', () => {
  expect([timesIn('1'), timesIn('25')]).toEqual([1, 25]);
});

test.each(['0', '', 'many', '-1', '1.5'])('no search takes "%s"', (words) => {
  expect(() => timesIn(words)).toThrow(/LEDGERLINE_SEEDS/u);
});
