import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mistakesText, type Mistake } from '../../../src/runtime/workflows/fields.ts';
import { parseTemplate, specFrom, type WorkflowTemplate } from '../../../src/runtime/workflows/template.ts';
import { searchRuns } from '../../support/search-runs.ts';

const REVIEW = {
  $schema: 'https://example.invalid/workflow.json',
  name: 'Review of ${area}',
  description: 'Looks at one area.',
  max_concurrency: '${room}',
  parameters: {
    area: { type: 'string', description: 'What to look at.' },
    room: { type: 'number', default: 2 },
    strict: { type: 'boolean', default: false },
    depth: { type: 'enum', values: ['shallow', 'deep'], default: 'deep' },
    note: { type: 'string', required: false },
  },
  steps: [
    {
      id: 'look-${depth}',
      task: 'Look at ${area} (${depth}, ${room}). ${note}Write $${area} as it stands, and $ {x}.',
      read_set: ['src/${area}/**'],
    },
    { id: 'check', task: 'Check.', required: '${strict}', depends_on: ['look-${depth}'] },
  ],
};

function template(value: unknown): WorkflowTemplate {
  const parsed = parseTemplate(value);
  if (!parsed.ok) throw new Error(mistakesText(parsed.mistakes));
  return parsed.template;
}

function lines(parsed: { readonly ok: boolean; readonly mistakes?: readonly Mistake[] }): readonly string[] {
  return parsed.ok ? [] : mistakesText(parsed.mistakes ?? []).split('\n');
}

describe('a template', () => {
  test('is known by its name, what it is for, and what it wants to be told', () => {
    expect(template(REVIEW)).toMatchObject({
      title: 'Review of ${area}',
      description: 'Looks at one area.',
      parameters: [
        { name: 'area', type: 'string', description: 'What to look at.', preset: null, values: [] },
        { name: 'room', type: 'number', preset: 2 },
        { name: 'strict', type: 'boolean', preset: false },
        { name: 'depth', type: 'enum', preset: 'deep', values: ['shallow', 'deep'] },
        { name: 'note', type: 'string', preset: '' },
      ],
    });
  });

  test('becomes a workflow with what it is told, and its defaults', () => {
    expect(specFrom(template(REVIEW), { area: 'login', strict: true })).toMatchObject({
      ok: true,
      spec: {
        id: 'review-of-login',
        name: 'Review of login',
        max_concurrency: 2,
        steps: [
          {
            id: 'look-deep',
            task: 'Look at login (deep, 2). Write ${area} as it stands, and $ {x}.',
            read_set: ['src/login/**'],
          },
          { id: 'check', required: true, depends_on: ['look-deep'] },
        ],
      },
    });
  });

  test('takes words as words: what looks like a place in them is none', () => {
    const spec = specFrom(template(REVIEW), { area: '${room}', note: null });
    expect(spec).toMatchObject({ ok: true, spec: { name: 'Review of ${room}' } });
  });

  test('without parameters is a workflow, and takes none', () => {
    const plain = template({ id: 'w', steps: [{ id: 'a', task: 'T' }] });
    expect([plain.title, specFrom(plain, {}).ok]).toEqual(['w', true]);
    expect(lines(specFrom(plain, { a: 1 }))).toEqual([
      'parameters."a": is no parameter: the template has none',
    ]);
  });

  test('tells every mistake in what it is told', () => {
    expect(lines(specFrom(template(REVIEW), { room: '2', strict: 'no', depth: 'abyss', more: 1 }))).toEqual([
      'parameters."more": is no parameter; they are area, room, strict, depth, note',
      'parameters.area: is missing',
      'parameters.room: is not a number',
      'parameters.strict: is neither true nor false',
      'parameters.depth: has to be one of "shallow", "deep"',
    ]);
    expect(lines(specFrom(template(REVIEW), { area: ' ' }))).toEqual(['parameters.area: is empty']);
    expect(lines(specFrom(template(REVIEW), { area: 'x'.repeat(4_001) }))).toEqual([
      'parameters.area: has more than 4000 characters',
    ]);
  });

  test('is refused where what it is told makes no workflow', () => {
    expect(lines(specFrom(template(REVIEW), { area: '..', room: -1 }))).toEqual([
      'max_concurrency: is not more than 0',
      'steps[0].read_set[0]: leads out of the workspace',
    ]);
  });
});

describe('mistakes in a template', () => {
  test.each([
    [null, ['workflow: is not an object']],
    [
      { ...REVIEW, extra: 1 },
      [
        'extra: is no field here; the fields are $schema, description, parameters, id, name, max_concurrency, timeout_ms, steps',
      ],
    ],
    [{ ...REVIEW, description: 7 }, ['description: is not text']],
    [{ id: 'w', parameters: [], steps: [{ id: 'a', task: 'T' }] }, ['parameters: is not an object']],
    [
      {
        id: 'w',
        parameters: {
          'bad name': { type: 'string' },
          a: 'string',
          b: {},
          c: { type: 'date' },
          d: { type: 'enum' },
          e: { type: 'enum', values: ['x'], default: 'y' },
          f: { type: 'number', default: '1' },
          g: { type: 'boolean', required: false },
          h: { type: 'string', values: ['x'] },
          i: { type: 'string', kind: 1 },
        },
        steps: [{ id: 's', task: '${nobody} ${} ${a.b}' }],
      },
      [
        'parameters.bad name: is no name for a parameter: letters, digits and _ only',
        'parameters.a: is not an object',
        'parameters.b.type: is missing',
        'parameters.c.type: is "date", and has to be string, number, boolean or enum',
        'parameters.d.values: is missing',
        'parameters.e.default: has to be one of "x"',
        'parameters.f.default: is not a number',
        'parameters.g.default: is missing: nobody has to give this parameter',
        'parameters.h.values: is for a parameter of type enum alone',
        'parameters.i.kind: is no field here; the fields are type, description, default, values, required',
        'steps[0].task: names "nobody", and there is no such parameter',
        'steps[0].task: names "", and there is no such parameter',
        'steps[0].task: names "a.b", and there is no such parameter',
      ],
    ],
    [
      { id: 'w', steps: [{ id: 'a', task: 'T', depends_on: ['b'], timeout_ms: '${x}' }] },
      [
        'steps[0].timeout_ms: names "x", and there is no such parameter',
        'steps[0].timeout_ms: is not a whole number',
        'steps[0].depends_on: names "b", and there is no such step',
      ],
    ],
  ])('are all told: %#', (value, told) => {
    expect(lines(parseTemplate(value))).toEqual(told);
  });
});

test('whatever is given, there is an answer and no exception', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, parameters) => {
      parseTemplate(value);
      parseTemplate({ id: 'w', parameters, steps: [value] });
      specFrom(template(REVIEW), { area: value, room: parameters });
    }),
    { numRuns: searchRuns(100), seed: 20261118 },
  );
});
