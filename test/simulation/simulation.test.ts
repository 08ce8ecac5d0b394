import { describe, expect, test } from 'vitest';
import { searchRuns } from '../support/search-runs.ts';
import { simulate, type Report } from './simulation.ts';

const BASE = 1;
const seeds = searchRuns(400);
const only = process.env['LEDGERLINE_SEED'];
/** Seeds a test: small enough to tell how far it is, large enough to be cheap. */
const CHUNK = 50;

describe('a session under every trouble a seed can think of', () => {
  const first = only === undefined ? BASE : Number(only);
  const end = only === undefined ? BASE + seeds : first + 1;
  for (let from = first; from < end; from += CHUNK) {
    const to = Math.min(from + CHUNK, end);
    test(`keeps its promises, seeds ${from} to ${to - 1}`, async () => {
      for (let seed = from; seed < to; seed += 1) {
        const report = await simulate(seed);
        expect(report.broken, explained(report)).toBeNull();
      }
    });
  }
});

test('the same seed gives the same history, line by line', async () => {
  for (const seed of [3, 21, 34]) {
    const [one, two] = [await simulate(seed), await simulate(seed)];
    expect(two.history.lines).toEqual(one.history.lines);
    expect(two.history.log).toEqual(one.history.log);
  }
});

function explained({ seed, broken, history }: Report): string {
  if (broken === null) return '';
  const again = `Run it alone, with its whole history: LEDGERLINE_SEED=${seed} npm test -- simulation`;
  return `${history.print({ whole: only !== undefined })}\n\nSeed ${seed}: ${broken.message}\n${again}`;
}
