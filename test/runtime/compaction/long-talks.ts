import { expect } from 'vitest';
import type { CompactOutcome } from '../../../src/runtime/session-compaction.ts';
import { message, responds, type Script } from '../../support/scripted-provider.ts';
import type { BenchOptions, SessionBench } from '../../support/session-bench.ts';
import { succeed, type ToolStub } from '../../support/tool-stubs.ts';

/** Talks of so many long answers that there is something to compact. */

export const LONG = 'A long answer. '.repeat(400);

/** Reads so much that its result is what a compaction cuts first. */
export const BIG: ToolStub = {
  effect: 'read',
  run: ({ subject }) => succeed(`${subject}: ${'x'.repeat(8000)}`),
};

export function many(n: number, script: Script): readonly Script[] {
  return Array.from({ length: n }, () => script);
}

export function longAnswers(n: number): readonly Script[] {
  return many(n, responds(message(LONG)));
}

/** So many turns, each with a question of its own. */
export async function talk(one: SessionBench, turns: number): Promise<void> {
  for (let n = 0; n < turns; n += 1) await one.run(`Question ${n}?`);
}

export function compact(
  one: SessionBench,
  {
    dry_run = false,
    settings = {},
  }: { readonly dry_run?: boolean; readonly settings?: BenchOptions['settings'] } = {},
): Promise<CompactOutcome> {
  return one.clock.until(one.session.compact({ dry_run }, async () => one.ports(settings)));
}

export async function compacted(one: SessionBench, settings: BenchOptions['settings'] = {}): Promise<void> {
  expect(await compact(one, { settings })).toMatchObject({ kind: 'compacted' });
}
