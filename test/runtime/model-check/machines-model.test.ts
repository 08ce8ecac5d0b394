import { describe, expect, test } from 'vitest';
import { SEARCHING, searchRuns } from '../../support/search-runs.ts';
import { ASKING_WRITE, BATCHED, COMMAND_AND_READ, WRITE_AND_ASK } from './casts.ts';
import { Exploration } from './exploration.ts';
import type { Cast } from './inputs.ts';

/** All the unsound cores of mutations.test.ts are caught within six. */
const DEPTH = SEARCHING ? 8 : 6;
const PATIENCE = { timeout: searchRuns(60_000) };

const CASTS: Readonly<Record<string, Cast>> = {
  'a write and a question': WRITE_AND_ASK,
  'a write and a question, decided together': BATCHED,
  'a command that may outlive the program, and a read': COMMAND_AND_READ,
  'a write that asks while it runs, and a question': ASKING_WRITE,
};

describe(`every sequence of up to ${DEPTH} inputs, cut off after any event`, () => {
  for (const [name, cast] of Object.entries(CASTS)) {
    test(`keeps both machines to their tables and every promise about calls: ${name}`, PATIENCE, () => {
      const { states, moves, sequences, broken } = new Exploration(cast).run(DEPTH);
      console.info(`${name}: ${states} states, ${moves} moves, ${sequences.toExponential(2)} sequences`);
      expect(broken).toBeNull();
      expect(states).toBeGreaterThan(700);
    });
  }
});
