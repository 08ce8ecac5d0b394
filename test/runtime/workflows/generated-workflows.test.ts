import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WorkflowSpec } from '../../../src/runtime/agent-events.ts';
import { overlap } from '../../../src/runtime/workflows/path-sets.ts';
import type { ChildEnd } from '../../../src/runtime/workflows/ports.ts';
import { workflowRecovery } from '../../../src/runtime/workflows/result.ts';
import { specOf, wholeSpec } from './ran-workflow.ts';
import { Bench, BenchAgents, checkpoint, ready } from './workflow-bench.ts';
import { searchRuns } from '../../support/search-runs.ts';

const ENDS = {
  ready: ready(),
  partial: {},
  failed: { status: 'failed' },
  timed_out: { status: 'timed_out' },
  held: { checkpoint: checkpoint('held') },
} as const satisfies Record<string, Partial<ChildEnd>>;

interface Generated {
  readonly spec: WorkflowSpec;
  readonly ends: readonly (keyof typeof ENDS)[];
  /** Which of those that run ends next, each time. */
  readonly order: readonly number[];
}

const PATHS = ['src/**', 'src/a.ts', 'docs/x.md', '*.md', 'test'];

/** Steps in any order, each depending on some that come before it in another order. */
const generated: fc.Arbitrary<Generated> = fc
  .integer({ min: 1, max: 9 })
  .chain((size) =>
    fc.record({
      max_concurrency: fc.option(fc.integer({ min: 1, max: 4 })),
      steps: fc.tuple(
        ...Array.from({ length: size }, (_, index) =>
          fc.record({
            id: fc.constant(`s${index}`),
            task: fc.constant('T'),
            required: fc.boolean(),
            depends_on: fc.subarray(Array.from({ length: index }, (_unused, other) => `s${other}`)),
            write_set: fc.subarray(PATHS, { maxLength: 2 }),
            read_set: fc.subarray(PATHS, { maxLength: 1 }),
          }),
        ),
      ),
      places: fc.shuffledSubarray(
        Array.from({ length: size }, (_, index) => index),
        { minLength: size },
      ),
      ends: fc.array(
        fc.constantFrom('ready', 'ready', 'ready', 'partial', 'failed', 'timed_out', 'held' as const),
        {
          minLength: size,
          maxLength: size,
        },
      ),
      order: fc.array(fc.nat(), { minLength: size, maxLength: size }),
    }),
  )
  .map(({ max_concurrency, steps, places, ends, order }) => ({
    spec: wholeSpec({ id: 'w', max_concurrency, steps: places.map((place) => steps[place]) }),
    ends: ends as Generated['ends'],
    order,
  }));

/** Lets a workflow run, one child ending after the other, and looks at it whenever something changed. */
async function play(
  { spec, ends, order }: Generated,
  look: (running: readonly string[]) => void,
): Promise<Bench> {
  const bench = new Bench({ script: () => null });
  const run = bench.begin(spec);
  const ended = new Set<string>();
  for (const pick of order) {
    await bench.clock.idle();
    const running = bench.agents.children.map(({ task }) => task.step_id).filter((id) => !ended.has(id));
    look(running);
    const id = running[pick % Math.max(1, running.length)];
    if (id === undefined) break;
    ended.add(id);
    bench.agents.finish(id, ENDS[ends[Number(id.slice(1))] ?? 'ready']);
  }
  await run;
  return bench;
}

describe('whatever the workflow, and in whatever order its steps end,', () => {
  test('dependencies, room and paths are respected all the time', async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (given) => {
        const { spec, ends } = given;
        const isReady = (id: string): boolean => ends[Number(id.slice(1))] === 'ready';
        const bench = await play(given, (running) => {
          const steps = spec.steps.filter(({ id }) => running.includes(id));
          expect(running.length).toBeLessThanOrEqual(spec.max_concurrency ?? spec.steps.length);
          for (const { id, depends_on, write_set, read_set } of steps) {
            expect(depends_on.filter((other) => !isReady(other))).toEqual([]);
            expect(depends_on.filter((other) => running.includes(other))).toEqual([]);
            for (const other of steps.filter((one) => one.id !== id)) {
              const how = { ignores_case: false };
              expect(overlap(write_set, [...other.write_set, ...other.read_set], how)).toBe(false);
              expect(overlap(read_set, other.write_set, how)).toBe(false);
            }
          }
        });
        const starts = bench.told.filter((line) => line.startsWith('step_started'));
        expect(new Set(starts).size).toBe(starts.length);
      }),
      { numRuns: searchRuns(100), seed: 20261118 },
    );
  });

  test('every step that can run does, every step is told, and the state is what the steps prove', async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (given) => {
        const bench = await play(given, () => undefined);
        const finished = bench.events.at(-1);
        const steps = finished?.steps ?? [];
        expect(finished?.event).toBe('workflow_finished');
        expect(steps.map(({ id }) => id)).toEqual(given.spec.steps.map(({ id }) => id));
        const statusOf = new Map(steps.map(({ id, status }) => [id, status]));
        for (const { id, depends_on } of given.spec.steps) {
          const unlocked = depends_on.every((other) => statusOf.get(other) === 'checkpoint_ready');
          expect([id, statusOf.get(id) !== 'not_run']).toEqual([id, unlocked]);
        }
        const found = new Set(statusOf.values());
        const complete =
          found.has('checkpoint_ready') &&
          steps.every(({ status, required }) => !required || status === 'checkpoint_ready');
        const usable = found.has('checkpoint_ready') || found.has('partial');
        const short = usable
          ? 'partial'
          : found.has('held')
            ? 'held'
            : found.has('timed_out')
              ? 'timed_out'
              : 'failed';
        expect(finished).toMatchObject({
          status: complete ? 'completed' : short,
          ok: complete,
          completion_ready: complete,
          partial_outcome_ready: !complete && usable,
        });
      }),
      { numRuns: searchRuns(100), seed: 20261118 },
    );
  });

  test('cut off anywhere and resumed, it repeats nothing that is finished and ends on record', async () => {
    await fc.assert(
      fc.asyncProperty(generated, fc.nat(), async (given, at) => {
        const whole = await play(given, () => undefined);
        const cut = 1 + (at % whole.log.lines.length);
        const agents = new BenchAgents(() => ready(), '_later');
        agents.inherit(whole.agents.children);
        const bench = new Bench({ lines: whole.log.lines.slice(0, cut), agents });
        await bench.record(workflowRecovery([bench.workflow]));
        if (bench.workflow.status === 'completed') return;
        const { steps } = bench.workflow;
        const stays = steps.filter(({ status }) => status === 'checkpoint_ready' || status === 'held');
        const before = bench.told.length;
        await bench.goOn();
        const again = bench.told.slice(before).filter((line) => line.startsWith('step_started'));
        for (const { id } of stays) expect(again).not.toContain(`step_started ${id} running`);
        expect(bench.told.at(-1)).toMatch(/^workflow_finished /u);
      }),
      { numRuns: searchRuns(100), seed: 20261118 },
    );
  });
});

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

test.each(permutations(['a', 'b', 'c', 'd']).map((order) => [order]))(
  'steps beside each other may end as %j, and the last of them unlocks what waits for all',
  async (order) => {
    const ids = ['a', 'b', 'c', 'd'];
    const bench = new Bench({ script: ({ step_id }) => (step_id === 'z' ? ready() : null) });
    const run = bench.begin(specOf(...ids.map((id) => ({ id })), { id: 'z', depends_on: ids }));
    for (const id of order) {
      await bench.clock.idle();
      expect(bench.agents.children.map(({ task }) => task.step_id)).toEqual(ids);
      bench.agents.finish(id, ready());
    }
    expect((await run).result.status).toBe('completed');
    const decided = bench.told.filter((line) => line.startsWith('checkpoint_decided'));
    expect(decided.map((line) => line.split(' ')[1])).toEqual([...order, 'z']);
  },
);

describe('a large workflow', () => {
  const ids = Array.from({ length: 50 }, (_, index) => `s${index}`);

  test('of 50 steps beside each other starts them all at once', async () => {
    const bench = new Bench({ script: () => null });
    const run = bench.begin(specOf(...ids.map((id) => ({ id }))));
    await bench.clock.idle();
    expect(bench.agents.children).toHaveLength(50);
    for (const id of ids.toReversed()) bench.agents.finish(id, ready());
    expect((await run).result.status).toBe('completed');
    expect(bench.told).toHaveLength(152);
  });

  test.each([50, 200])('of %i steps after each other runs them one by one', async (length) => {
    const chain = Array.from({ length }, (_, index) => ({
      id: `s${index}`,
      depends_on: index === 0 ? [] : [`s${index - 1}`],
    }));
    const bench = new Bench();
    const { result } = await bench.begin(specOf(...chain.toReversed()));
    expect(result.status).toBe('completed');
    const started = bench.agents.children.map(({ task }) => task.step_id);
    expect(started).toEqual(chain.map(({ id }) => id));
  });

  test('of 50 steps that write one file runs them one after the other', async () => {
    const bench = new Bench();
    const { result } = await bench.begin(specOf(...ids.map((id) => ({ id, write_set: ['src/**'] }))));
    expect(result.status).toBe('completed');
    const order = bench.told.filter((line) => !line.startsWith('workflow'));
    for (let at = 0; at < order.length; at += 3)
      expect(new Set(order.slice(at, at + 3).map((line) => line.split(' ')[1])).size).toBe(1);
  });
});
