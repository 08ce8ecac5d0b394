import { describe, expect, test } from 'vitest';
import type { WorkflowSpec } from '../../../src/runtime/agent-events.ts';
import { conflictsOf } from '../../../src/runtime/workflows/path-sets.ts';
import { nextMoves, type Moves } from '../../../src/runtime/workflows/schedule.ts';
import { lacking, ofFlow } from '../../support/changed-log.ts';
import { cameTo, ran, specOf, wholeSpec, workflowIn, type Fate } from './ran-workflow.ts';

/** What comes next once some steps came to this, and no other has begun. */
async function movesOf(spec: WorkflowSpec, fates: Readonly<Record<string, Fate>> = {}): Promise<Moves> {
  const others = spec.steps.flatMap(({ id }) => (id in fates ? [] : [[id, 'never'] as const]));
  const workflow = await cameTo(spec, { ...Object.fromEntries(others), ...fates });
  return nextMoves(workflow, conflictsOf(spec, { ignores_case: false }));
}

describe('a step starts', () => {
  test('when it depends on nothing, all such together and in the order of the spec', async () => {
    expect(await movesOf(specOf({ id: 'b' }, { id: 'a' }, { id: 'c', depends_on: ['a', 'b'] }))).toEqual({
      start: ['b', 'a'],
      blocked: [],
      over: false,
    });
  });

  test('when everything that it depends on is ready, and not before', async () => {
    const spec = specOf({ id: 'c', depends_on: ['a', 'b'] }, { id: 'a' }, { id: 'b' });
    expect((await movesOf(spec, { a: 'checkpoint_ready' })).start).toEqual(['b']);
    const both = { a: 'checkpoint_ready', b: 'checkpoint_ready' } as const;
    expect(await movesOf(spec, both)).toEqual({ start: ['c'], blocked: [], over: false });
  });

  test('when there is room for it', async () => {
    const steps = ['a', 'b', 'c'].map((id) => ({ id, task: 'T' }));
    const spec = wholeSpec({ id: 'w', max_concurrency: 2, steps });
    expect((await movesOf(spec)).start).toEqual(['a', 'b']);
    expect((await movesOf(spec, { b: 'running' })).start).toEqual(['a']);
    expect((await movesOf(spec, { a: 'failed' })).start).toEqual(['b', 'c']);
  });

  test('when nothing runs that writes what it writes or reads', async () => {
    const spec = specOf(
      { id: 'a', write_set: ['src/**'] },
      { id: 'b', write_set: ['src/b.ts'] },
      { id: 'c', read_set: ['src'] },
      { id: 'd', read_set: ['docs'] },
    );
    expect((await movesOf(spec)).start).toEqual(['a', 'd']);
    expect((await movesOf(spec, { a: 'failed' })).start).toEqual(['b', 'd']);
    expect((await movesOf(spec, { a: 'failed', b: 'failed' })).start).toEqual(['c', 'd']);
  });
});

describe('only what is ready unlocks:', () => {
  test.each([
    'partial',
    'failed',
    'timed_out',
    'held',
    'needs_orchestrator',
    'cancelled',
    'skipped',
  ] as const)('a step that is %s blocks its dependents, and theirs', async (status) => {
    const spec = specOf(
      { id: 'c', depends_on: ['b', 'x'] },
      { id: 'b', depends_on: ['a'] },
      { id: 'a', required: false },
      { id: 'x' },
    );
    const moves = await movesOf(spec, { a: status, x: 'checkpoint_ready' });
    expect(moves).toEqual({
      start: [],
      blocked: [
        { id: 'c', by: ['b'] },
        { id: 'b', by: ['a'] },
      ],
      over: true,
    });
  });

  test('what else there is goes on meanwhile', async () => {
    const spec = specOf({ id: 'a' }, { id: 'b', depends_on: ['a'] }, { id: 'c' });
    expect(await movesOf(spec, { a: 'failed' })).toEqual({
      start: ['c'],
      blocked: [{ id: 'b', by: ['a'] }],
      over: false,
    });
  });
});

test('as long as a step runs, the workflow is not over', async () => {
  const spec = specOf({ id: 'a' }, { id: 'b', depends_on: ['a'] });
  expect(await movesOf(spec, { a: 'running' })).toEqual({ start: [], blocked: [], over: false });
});

test('without a spec there is nothing to do', async () => {
  const { events } = (await ran(specOf({ id: 'a' }))).log;
  const workflow = workflowIn(lacking(events, ofFlow('workflow_started'), 'spec'));
  expect(nextMoves(workflow, new Map())).toEqual({ start: [], blocked: [], over: true });
});

test.each([50, 200])('a chain of %i, and as many beside each other, are no burden', async (length) => {
  const ids = Array.from({ length }, (_, index) => `s${index}`);
  const chain = specOf(
    ...ids.map((id, index) => ({ id, depends_on: ids.slice(Math.max(0, index - 1), index) })),
  );
  expect((await movesOf(chain, { s0: 'failed' })).blocked).toHaveLength(length - 1);
  expect((await movesOf(specOf(...ids.map((id) => ({ id }))))).start).toEqual(ids);
});
