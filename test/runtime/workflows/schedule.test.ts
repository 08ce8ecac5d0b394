import { describe, expect, test } from 'vitest';
import type { WorkflowSpec } from '../../../src/runtime/agent-events.ts';
import { conflictsOf } from '../../../src/runtime/workflows/path-sets.ts';
import { nextMoves, type Moves } from '../../../src/runtime/workflows/schedule.ts';
import { ranTo, specOf, started, wholeSpec, workflowOf, type Told } from './workflow-log.ts';

function movesOf(spec: WorkflowSpec, ...events: readonly Told[]): Moves {
  return nextMoves(workflowOf(started(spec), ...events), conflictsOf(spec, { ignores_case: false }));
}

describe('a step starts', () => {
  test('when it depends on nothing, all such together and in the order of the spec', () => {
    expect(movesOf(specOf({ id: 'b' }, { id: 'a' }, { id: 'c', depends_on: ['a', 'b'] }))).toEqual({
      start: ['b', 'a'],
      blocked: [],
      over: false,
    });
  });

  test('when everything that it depends on is ready, and not before', () => {
    const spec = specOf({ id: 'c', depends_on: ['a', 'b'] }, { id: 'a' }, { id: 'b' });
    expect(movesOf(spec, ...ranTo('a', 'checkpoint_ready')).start).toEqual(['b']);
    const both = [...ranTo('a', 'checkpoint_ready'), ...ranTo('b', 'checkpoint_ready')];
    expect(movesOf(spec, ...both)).toEqual({ start: ['c'], blocked: [], over: false });
  });

  test('when there is room for it', () => {
    const steps = ['a', 'b', 'c'].map((id) => ({ id, task: 'T' }));
    const spec = wholeSpec({ id: 'w', max_concurrency: 2, steps });
    expect(movesOf(spec).start).toEqual(['a', 'b']);
    expect(movesOf(spec, { event: 'step_scheduled', step_id: 'b' }).start).toEqual(['a']);
    expect(movesOf(spec, ...ranTo('a', 'failed')).start).toEqual(['b', 'c']);
  });

  test('when nothing runs that writes what it writes or reads', () => {
    const spec = specOf(
      { id: 'a', write_set: ['src/**'] },
      { id: 'b', write_set: ['src/b.ts'] },
      { id: 'c', read_set: ['src'] },
      { id: 'd', read_set: ['docs'] },
    );
    expect(movesOf(spec).start).toEqual(['a', 'd']);
    expect(movesOf(spec, ...ranTo('a', 'failed')).start).toEqual(['b', 'd']);
    expect(movesOf(spec, ...ranTo('a', 'failed'), ...ranTo('b', 'failed')).start).toEqual(['c', 'd']);
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
  ] as const)('a step that is %s blocks its dependents, and theirs', (status) => {
    const spec = specOf(
      { id: 'c', depends_on: ['b', 'x'] },
      { id: 'b', depends_on: ['a'] },
      { id: 'a', required: false },
      { id: 'x' },
    );
    const moves = movesOf(spec, ...ranTo('a', status), ...ranTo('x', 'checkpoint_ready'));
    expect(moves).toEqual({
      start: [],
      blocked: [
        { id: 'c', by: ['b'] },
        { id: 'b', by: ['a'] },
      ],
      over: true,
    });
  });

  test('what else there is goes on meanwhile', () => {
    const spec = specOf({ id: 'a' }, { id: 'b', depends_on: ['a'] }, { id: 'c' });
    expect(movesOf(spec, ...ranTo('a', 'failed'))).toEqual({
      start: ['c'],
      blocked: [{ id: 'b', by: ['a'] }],
      over: false,
    });
  });
});

test('as long as a step runs, the workflow is not over', () => {
  const spec = specOf({ id: 'a' }, { id: 'b', depends_on: ['a'] });
  expect(movesOf(spec, ...ranTo('a', 'failed').slice(0, 2))).toEqual({ start: [], blocked: [], over: false });
});

test('without a spec there is nothing to do', () => {
  const workflow = workflowOf({ event: 'workflow_started' });
  expect(nextMoves(workflow, new Map())).toEqual({ start: [], blocked: [], over: true });
});

test.each([50, 200])('a chain of %i, and as many beside each other, are no burden', (length) => {
  const ids = Array.from({ length }, (_, index) => `s${index}`);
  const chain = specOf(
    ...ids.map((id, index) => ({ id, depends_on: ids.slice(Math.max(0, index - 1), index) })),
  );
  expect(movesOf(chain, ...ranTo('s0', 'failed')).blocked).toHaveLength(length - 1);
  expect(movesOf(specOf(...ids.map((id) => ({ id })))).start).toEqual(ids);
});
