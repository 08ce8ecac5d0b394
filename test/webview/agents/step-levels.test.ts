import { describe, expect, test } from 'vitest';
import { drawingOf, fitsDrawing, stepLevels } from '../../../webview/agents/step-levels.ts';
import type { Step } from '../../../webview/agents/workflow-facts.ts';
import { NOTHING } from '../../support/cast-provider.ts';
import { changed, ofFlow } from '../../support/changed-log.ts';
import { runsFlow } from '../../support/flow-stories.ts';
import { itemsOf, workflowOf } from './crew-items.ts';

const { events } = await runsFlow({ steps: { one: { says: [NOTHING] } } });

/** A plan in place of the one that was run: also one that would have been refused. */
function stepsOf(
  ...plan: readonly (readonly [id: string, ...depends_on: readonly string[]])[]
): readonly Step[] {
  const log = changed(events, ofFlow('workflow_started'), (data) => {
    const spec = data['spec'] as { readonly steps: readonly object[] };
    const steps = plan.map(([id, ...depends_on]) => ({ ...spec.steps[0], id, depends_on }));
    return { ...data, spec: { ...spec, steps } };
  });
  return workflowOf(itemsOf(log.filter(ofFlow('workflow_started')))).steps;
}

function names(levels: readonly (readonly Step[])[]): readonly (readonly string[])[] {
  return levels.map((level) => level.map(({ id }) => id));
}

describe('the levels of a workflow', () => {
  test('put every step below all that it waits for', () => {
    const steps = stepsOf(['report', 'test', 'lint'], ['build'], ['lint'], ['test', 'build']);
    expect(names(stepLevels(steps))).toEqual([['build', 'lint'], ['test'], ['report']]);
  });

  test('stand what no valid plan has', () => {
    expect(names(stepLevels(stepsOf(['a', 'nobody', 'a'], ['b', 'c'], ['c', 'b'])))).toEqual([
      ['a'],
      ['b', 'c'],
    ]);
    expect(stepLevels([])).toEqual([]);
  });

  test('look at every step and every line once, however many there are', () => {
    const wide = Array.from({ length: 50 }, (_, row) =>
      Array.from({ length: 50 }, (_, column): readonly [string, ...string[]] =>
        row === 0 ? [`s0-${column}`] : [`s${row}-${column}`, `s${row - 1}-${column}`],
      ),
    ).flat();
    let reads = 0;
    const steps = stepsOf(...wide).map((one) => ({
      ...one,
      get depends_on(): readonly string[] {
        reads += 1;
        return one.depends_on;
      },
    }));
    expect(stepLevels(steps).map((level) => level.length)).toEqual(Array.from({ length: 50 }, () => 50));
    expect(reads).toBe(2500);
  });
});

describe('a drawing of steps', () => {
  test('has a line for what a step waits for, but not for what that waits for anyway', () => {
    const steps = stepsOf(['a'], ['b', 'a'], ['c', 'a'], ['d', 'a', 'b']);
    const { edges, rows, spots } = drawingOf(stepLevels(steps));
    expect(rows).toBe(3);
    expect(edges.map(({ from, to }) => `${from.step.id} ${to.step.id}`)).toEqual(['a b', 'a c', 'b d']);
    expect(spots.map(({ step: { id }, x, row }) => [id, x, row])).toEqual([
      ['a', 50, 0],
      ['b', 25, 1],
      ['c', 75, 1],
      ['d', 50, 2],
    ]);
  });

  test('is made only where it can be read', () => {
    const three = stepLevels(stepsOf(['a'], ['b', 'a'], ['c', 'a'], ['d', 'a']));
    expect([250, 900].map((width) => fitsDrawing(three, width))).toEqual([false, true]);
    const chain = Array.from({ length: 50 }, (_, index): readonly [string, ...string[]] =>
      index === 0 ? ['s0'] : [`s${index}`, `s${index - 1}`],
    );
    expect(fitsDrawing(stepLevels(stepsOf(...chain)), 900)).toBe(false);
  });
});
