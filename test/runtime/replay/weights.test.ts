import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ReplayFold } from '../../../src/runtime/replay/fold.ts';
import { WEIGHTLESS, withWeight } from '../../../src/runtime/replay/weights.ts';
import { legalLog } from './legal-log.ts';
import { story } from './legal-story.ts';
import { searchRuns } from '../../support/search-runs.ts';

const TARGETS = [
  { model: 'm1', endpoint: 'e1' },
  { model: 'm2', endpoint: 'e2' },
];

it(
  'what an input weighs is added up as it grows, and is what all of it weighs',
  () => {
    let looked = 0;
    const property = fc.property(story, fc.infiniteStream(fc.nat(3)), (plan, turns) => {
      const fold = new ReplayFold();
      for (const event of legalLog(plan).events) {
        fold.push(event);
        // Now and then, and to another model at times: what was added up so far is not begun anew each time.
        const choice = turns.next().value ?? 0;
        const target = TARGETS[choice === 3 ? 1 : 0];
        if (choice === 0 || target === undefined) continue;
        const whole = fold.explain(target).sent.reduce(withWeight, WEIGHTLESS);
        const summed = fold.weights(target);
        expect(fold.sent(target)).toEqual(fold.explain(target).sent);
        for (const part of ['skills', 'history', 'tool_output'] as const)
          expect(summed[part]).toBeCloseTo(whole[part], 6);
        looked += 1;
      }
    });
    fc.assert(property, { numRuns: searchRuns(60), seed: 20261122 });
    expect(looked).toBeGreaterThan(500);
  },
  searchRuns(60_000),
);
