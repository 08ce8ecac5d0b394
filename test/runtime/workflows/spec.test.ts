import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mistakesText } from '../../../src/runtime/workflows/fields.ts';
import { parseSpec, SPEC_LIMITS } from '../../../src/runtime/workflows/spec.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** What is wrong with a workflow, a line a mistake. */
function wrongWith(value: unknown): readonly string[] {
  const parsed = parseSpec(value);
  return parsed.ok ? [] : mistakesText(parsed.mistakes).split('\n');
}

function ofSteps(...steps: readonly unknown[]): unknown {
  return { id: 'w', steps };
}

function withStep(more: object): unknown {
  return ofSteps({ id: 'a', task: 'Do it.', ...more });
}

describe('a workflow', () => {
  test('gets its defaults', () => {
    expect(parseSpec(ofSteps({ id: 'a', task: 'Do it.' }))).toEqual({
      ok: true,
      spec: {
        id: 'w',
        name: 'w',
        max_concurrency: null,
        timeout_ms: null,
        steps: [
          {
            id: 'a',
            task: 'Do it.',
            agent: 'default',
            depends_on: [],
            permission_mode: null,
            read_set: [],
            write_set: [],
            timeout_ms: null,
            required: true,
          },
        ],
      },
    });
  });

  test('keeps all that it says', () => {
    const spec = {
      id: 'release',
      name: 'Release check',
      max_concurrency: 2,
      timeout_ms: 60_000,
      steps: [
        {
          id: 'look',
          task: 'Look.',
          agent: 'explorer',
          depends_on: [],
          permission_mode: 'read_only',
          read_set: ['src/**'],
          write_set: [],
          timeout_ms: 1000,
          required: true,
        },
        {
          id: 'fix',
          task: 'Fix.',
          agent: 'worker',
          depends_on: ['look'],
          permission_mode: 'ask',
          read_set: [],
          write_set: ['src/a.ts'],
          timeout_ms: 1,
          required: false,
        },
      ],
    };
    expect(parseSpec(spec)).toEqual({ ok: true, spec });
  });

  test('may say null for whatever it may leave out', () => {
    const nothing = {
      agent: null,
      depends_on: null,
      permission_mode: null,
      read_set: null,
      write_set: null,
      timeout_ms: null,
      required: null,
    };
    const spec = {
      id: null,
      name: 'W',
      max_concurrency: null,
      timeout_ms: null,
      steps: [{ id: 'a', task: 'T', ...nothing }],
    };
    expect(parseSpec(spec)).toEqual(parseSpec({ name: 'W', steps: [{ id: 'a', task: 'T' }] }));
  });

  test.each([
    ['Release check!', 'release-check'],
    ['Prüfe Größe', 'prüfe-größe'],
    ['!?', 'workflow'],
  ])('without an id, called %s, has the id %s', (name, id) => {
    expect(parseSpec({ name, steps: [{ id: 'a', task: 'T' }] })).toMatchObject({
      ok: true,
      spec: { id, name },
    });
  });

  test.each([
    [null, 'workflow: is not an object'],
    ['a workflow', 'workflow: is not an object'],
    [[], 'workflow: is not an object'],
    [{ id: 'w' }, 'steps: is missing'],
    [{ id: 'w', steps: null }, 'steps: is missing'],
    [{ id: 'w', steps: {} }, 'steps: is not a list'],
    [{ id: 'w', steps: [] }, 'steps: has no step'],
    [{ steps: [{ id: 'a', task: 'T' }] }, 'name: is missing'],
    [{ id: 7, steps: [{ id: 'a', task: 'T' }] }, 'id: is not text'],
    [{ id: ' ', steps: [{ id: 'a', task: 'T' }] }, 'id: is empty'],
    [{ id: 'a\nb', steps: [{ id: 'a', task: 'T' }] }, 'id: has a line break or another control character'],
    [
      { id: 'w', steps: [{ id: 'a', task: 'T' }], agents: 1 },
      'agents: is no field here; the fields are id, name, max_concurrency, timeout_ms, steps',
    ],
    [{ id: 'w', max_concurrency: 0, steps: [{ id: 'a', task: 'T' }] }, 'max_concurrency: is not more than 0'],
    [{ id: 'w', max_concurrency: 65, steps: [{ id: 'a', task: 'T' }] }, 'max_concurrency: is more than 64'],
    [{ id: 'w', timeout_ms: -1, steps: [{ id: 'a', task: 'T' }] }, 'timeout_ms: is not more than 0'],
    [{ id: 'w', timeout_ms: 1.5, steps: [{ id: 'a', task: 'T' }] }, 'timeout_ms: is not a whole number'],
    [{ id: 'w', timeout_ms: '9', steps: [{ id: 'a', task: 'T' }] }, 'timeout_ms: is not a whole number'],
    [
      { id: 'w', name: 'x'.repeat(201), steps: [{ id: 'a', task: 'T' }] },
      'name: has more than 200 characters',
    ],
  ])('as %j is refused: %s', (value, mistake) => {
    expect(wrongWith(value)).toEqual([mistake]);
  });

  test('with more than 200 steps is refused, and they may still depend on each other', () => {
    const steps = Array.from({ length: 201 }, (_, index) => ({
      id: `s${index}`,
      task: 'T',
      depends_on: index < 200 ? ['s200'] : [],
    }));
    expect(wrongWith(ofSteps(...steps))).toEqual(['steps: has more than 200 steps']);
    expect(wrongWith(ofSteps(...steps.slice(1)))).toEqual([]);
  });

  test('is refused where all tasks, or all paths, are too many together', () => {
    const large = Array.from({ length: 11 }, (_, index) => ({ id: `s${index}`, task: 'x'.repeat(20_000) }));
    expect(wrongWith(ofSteps(...large))).toEqual([
      'steps: has tasks with more than 200000 characters in all',
    ]);
    const write_set = Array.from({ length: 64 }, (_, index) => `f${index}`);
    const wide = Array.from({ length: 32 }, (_, index) => ({ id: `s${index}`, task: 'T', write_set }));
    expect(wrongWith(ofSteps(...wide))).toEqual(['steps: has more than 2000 paths in all']);
  });
});

describe('a step', () => {
  test.each([
    [7, 'steps[0]: is not an object'],
    [{ task: 'T' }, 'steps[0].id: is missing'],
    [{ id: 'a' }, 'steps[0].task: is missing'],
    [{ id: '', task: 'T' }, 'steps[0].id: is empty'],
    [{ id: ' a', task: 'T' }, 'steps[0].id: begins or ends with a space'],
    [{ id: 'x'.repeat(101), task: 'T' }, 'steps[0].id: has more than 100 characters'],
    [{ id: 'a', task: 'x'.repeat(20_001) }, 'steps[0].task: has more than 20000 characters'],
  ])('as %j is refused: %s', (step, mistake) => {
    expect(wrongWith(ofSteps(step))).toEqual([mistake]);
  });

  test.each([
    [{ agent: 'boss' }, 'steps[0].agent: is "boss", and has to be default, explorer or worker'],
    [{ agent: {} }, 'steps[0].agent: is something else, and has to be default, explorer or worker'],
    [{ permission_mode: 'all' }, 'steps[0].permission_mode: is "all", and has to be read_only, ask or auto'],
    [{ required: 'yes' }, 'steps[0].required: is neither true nor false'],
    [{ timeout_ms: 0 }, 'steps[0].timeout_ms: is not more than 0'],
    [{ timeout_ms: 604_800_001 }, 'steps[0].timeout_ms: is more than 604800000'],
    [{ depends_on: 'b' }, 'steps[0].depends_on: is not a list'],
    [{ depends_on: [1] }, 'steps[0].depends_on[0]: is not text'],
    [{ depends_on: ['b'] }, 'steps[0].depends_on: names "b", and there is no such step'],
    [{ depends_on: ['a'] }, 'steps[0].depends_on: names its own step'],
    [
      { write_set: ['/etc/x'] },
      'steps[0].write_set[0]: is not a path in the workspace: give one that is relative to it',
    ],
    [
      { write_set: ['C:/x'] },
      'steps[0].write_set[0]: is not a path in the workspace: give one that is relative to it',
    ],
    [
      { read_set: ['~/x'] },
      'steps[0].read_set[0]: is not a path in the workspace: give one that is relative to it',
    ],
    [{ read_set: ['a', 'src/../../x'] }, 'steps[0].read_set[1]: leads out of the workspace'],
    [{ read_set: ['a\\b'] }, 'steps[0].read_set[0]: has a backslash: separate folders with /'],
    [{ read_set: [''] }, 'steps[0].read_set[0]: is empty'],
    [{ write_set: Array.from({ length: 65 }, () => 'a') }, 'steps[0].write_set: has more than 64 entries'],
    [
      { after: [] },
      'steps[0].after: is no field here; the fields are id, task, agent, depends_on, permission_mode, read_set, write_set, timeout_ms, required',
    ],
  ])('with %j is refused: %s', (more, mistake) => {
    expect(wrongWith(withStep(more))).toEqual([mistake]);
  });

  test('may be named by no other', () => {
    const step = { id: 'a', task: 'T' };
    expect(wrongWith(ofSteps(step, { id: 'b', task: 'T' }, step))).toEqual([
      'steps[2].id: is the id of steps[0] already',
    ]);
  });

  test('that names a dependency twice depends on it once', () => {
    const parsed = parseSpec(ofSteps({ id: 'a', task: 'T' }, { id: 'b', task: 'T', depends_on: ['a', 'a'] }));
    expect(parsed).toMatchObject({ ok: true, spec: { steps: [{}, { depends_on: ['a'] }] } });
  });
});

describe('mistakes', () => {
  test('are all told at once', () => {
    const value = {
      max_concurrency: -1,
      steps: [
        { id: 'a', task: '', agent: 'x', depends_on: ['b', 'nobody'] },
        { id: 'b', task: 'T', depends_on: ['c'], write_set: ['/x', '../y'] },
        { id: 'c', task: 'T', depends_on: ['a', 'c'], other: 1 },
        { id: 'a', timeout_ms: 'soon' },
      ],
    };
    expect(wrongWith(value)).toEqual([
      'name: is missing',
      'max_concurrency: is not more than 0',
      'steps[0].task: is empty',
      'steps[0].agent: is "x", and has to be default, explorer or worker',
      'steps[1].write_set[0]: is not a path in the workspace: give one that is relative to it',
      'steps[1].write_set[1]: leads out of the workspace',
      'steps[2].other: is no field here; the fields are id, task, agent, depends_on, permission_mode, read_set, write_set, timeout_ms, required',
      'steps[3].task: is missing',
      'steps[3].timeout_ms: is not a whole number',
      'steps[0].depends_on: names "nobody", and there is no such step',
      'steps[2].depends_on: names its own step',
      'steps[3].id: is the id of steps[0] already',
      'steps[0].depends_on: is a circle: "a" -> "b" -> "c" -> "a"',
    ]);
  });

  test('name every circle, each with its way', () => {
    const steps = [
      { id: 'a', task: 'T', depends_on: ['b', 'c'] },
      { id: 'b', task: 'T', depends_on: ['a'] },
      { id: 'c', task: 'T', depends_on: ['a'] },
      { id: 'x', task: 'T', depends_on: ['y', 'a'] },
      { id: 'y', task: 'T', depends_on: ['x'] },
    ];
    expect(wrongWith(ofSteps(...steps))).toEqual([
      'steps[0].depends_on: is a circle: "a" -> "b" -> "a"',
      'steps[0].depends_on: is a circle: "a" -> "c" -> "a"',
      'steps[3].depends_on: is a circle: "x" -> "y" -> "x"',
    ]);
  });

  test('of something that is all wrong are counted after the first 200', () => {
    const steps = Array.from({ length: 200 }, () => ({}));
    const mistakes = wrongWith(ofSteps(...steps));
    expect(mistakes).toHaveLength(201);
    expect(mistakes.at(-1)).toBe('workflow: has 200 more mistakes');
  });
});

describe('a chain', () => {
  test.each([50, 200])('of %i steps is fine, and a circle of as many is found', (length) => {
    const chain = (closed: boolean) =>
      Array.from({ length }, (_, index) => ({
        id: `s${index}`,
        task: 'T',
        depends_on: index > 0 ? [`s${index - 1}`] : closed ? [`s${length - 1}`] : [],
      }));
    expect(wrongWith(ofSteps(...chain(false)))).toEqual([]);
    const [mistake, ...others] = wrongWith(ofSteps(...chain(true)));
    expect(others).toEqual([]);
    expect(mistake?.split(' -> ')).toHaveLength(length + 1);
  });
});

test('whatever is given, there is an answer and no exception, and what is taken is taken again', () => {
  const key = fc.constantFrom('id', 'name', 'steps', 'task', 'depends_on', 'agent', '__proto__', 'toString');
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, -1, 1.5, '', 'a', '../x'),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('json')), { maxLength: 5 }).map((all) => Object.fromEntries(all)),
    ),
  }));
  fc.assert(
    fc.property(json, (value) => {
      const parsed = parseSpec(value);
      if (parsed.ok) expect(parseSpec(parsed.spec)).toEqual(parsed);
      else expect(parsed.mistakes.length).toBeGreaterThan(0);
    }),
    { numRuns: searchRuns(100), seed: 20261118 },
  );
  expect(SPEC_LIMITS.steps).toBe(200);
});
