import { expect } from 'vitest';
import type { TurnState } from '../../src/runtime/turn.ts';
import { logLines } from './log-lines.ts';
import type { SessionBench } from './session-bench.ts';

/** The first turn of a session rests in this state, and adds these lines to the log once it is running. */
export async function expectTurn(
  bench: SessionBench,
  state: TurnState,
  lines: readonly string[],
): Promise<void> {
  expect(await bench.run('Go.')).toBe(state);
  const told = logLines(bench.events);
  expect(told.slice(told.indexOf('run running') + 1)).toEqual(lines);
}
