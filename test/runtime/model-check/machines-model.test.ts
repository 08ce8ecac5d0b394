import { expect, test } from 'vitest';
import { CORE } from './core.ts';
import { Exploration } from './exploration.ts';
import type { Cast } from './inputs.ts';

const WRITE_AND_ASK: Cast = {
  core: CORE,
  batch: false,
  tools: {
    a: { name: 'write', effect: 'write' },
    b: { name: 'ask', effect: 'interact' },
    c: { name: 'read', effect: 'read' },
  },
  first: ['a', 'b'],
  suspends: { b: 'use_decision_as_result' },
};

for (const depth of [5,6,7,8]) test(`x ${depth}`, { timeout: 60000 }, () => {
  const t = Date.now();
  const found = new Exploration(WRITE_AND_ASK).run(depth);
  console.log(depth, found, Date.now() - t);
  expect(found.broken).toBeNull();
});
