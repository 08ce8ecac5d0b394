import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { SPEC_FIELDS, SPEC_LIMITS, STEP_FIELDS } from '../../src/runtime/workflows/spec.ts';
import { PARAMETER_FIELDS, PARAMETER_TYPES } from '../../src/runtime/workflows/template-parameters.ts';
import { parseTemplate, TEMPLATE_FIELDS } from '../../src/runtime/workflows/template.ts';
import { isRaw } from '../../src/runtime/line-rules.ts';

const FILE = new URL('../../media/workflow.schema.json', import.meta.url);
const text = readFileSync(FILE, 'utf8');
const document: unknown = JSON.parse(text);

function at(...path: readonly string[]): Readonly<Record<string, unknown>> {
  const found = path.reduce<unknown>((value, key) => (isRaw(value) ? value[key] : undefined), document);
  if (!isRaw(found)) throw new Error(`there is no ${path.join('.')}`);
  return found;
}

/**
 * As far as the validator at hand goes: it would fill in defaults instead of missing them, and knows `anyOf` beside
 * properties only by half.
 */
function fits(file: unknown): boolean {
  const { anyOf = [] } = at();
  const isNamed = (one: unknown): boolean =>
    isRaw(one) &&
    isRaw(file) &&
    Array.isArray(one['required']) &&
    one['required'].every((key) => key in file);
  return schema.safeParse(file).success && Array.isArray(anyOf) && anyOf.some(isNamed);
}

const schema = z.fromJSONSchema({
  ...JSON.parse(text, (key, value: unknown) => (key === 'default' && !isRaw(value) ? undefined : value)),
  anyOf: undefined,
});

const STEP = { id: 'a', task: 'Look.' };
const withStep = (more: object): object => ({ name: 'W', steps: [{ ...STEP, ...more }] });
const withParameter = (given: unknown): object => ({ name: 'W', parameters: { p: given }, steps: [STEP] });

const GOOD: readonly object[] = [
  { name: 'W', steps: [STEP] },
  { id: 'w', steps: [STEP] },
  {
    $schema: 'x',
    id: null,
    name: 'W',
    description: 'D',
    max_concurrency: null,
    timeout_ms: 1,
    steps: [STEP],
  },
  withStep({ agent: 'worker', permission_mode: 'auto', required: false, timeout_ms: 604_800_000 }),
  withStep({ agent: null, permission_mode: null, required: null, timeout_ms: null, depends_on: null }),
  withStep({ read_set: ['src/**', '.', 'a..b', '..c/d', 'x/..y'], write_set: null }),
  { name: 'W', steps: [STEP, { id: 'b c', task: 'T', depends_on: ['a'] }] },
  withParameter({ type: 'string' }),
  withParameter({ type: 'enum', values: ['x', 'y'], default: 'y', description: 'Which.' }),
  withParameter({ type: 'boolean', default: false, required: true }),
  withParameter({ type: 'number', default: 3, values: null }),
  {
    name: 'W ${n}',
    max_concurrency: '${n}',
    parameters: { n: { type: 'number', default: 2 }, yes: { type: 'boolean', default: true } },
    steps: [{ ...STEP, timeout_ms: '${n}', required: '${yes}' }],
  },
  {
    name: 'W',
    parameters: { who: { type: 'enum', values: ['worker'] } },
    steps: [{ ...STEP, agent: '${who}' }],
  },
];

const BAD: readonly unknown[] = [
  null,
  [],
  'W',
  {},
  { name: 'W' },
  { steps: [STEP] },
  { name: '', steps: [STEP] },
  { name: 'W', steps: [] },
  { name: 'W', steps: {} },
  { name: 'W', steps: [STEP], more: 1 },
  { name: 'x'.repeat(201), steps: [STEP] },
  { id: ' w', name: 'W', steps: [STEP] },
  { name: 'W', description: '', steps: [STEP] },
  { name: 'W', max_concurrency: 0, steps: [STEP] },
  { name: 'W', max_concurrency: 65, steps: [STEP] },
  { name: 'W', timeout_ms: 1.5, steps: [STEP] },
  { name: 'W', timeout_ms: 'soon', steps: [STEP] },
  { name: 'W', parameters: [], steps: [STEP] },
  { name: 'W', steps: ['a'] },
  { name: 'W', steps: [{ id: 'a' }] },
  { name: 'W', steps: [{ task: 'T' }] },
  { name: 'W', steps: Array.from({ length: 201 }, (_, index) => ({ id: `s${index}`, task: 'T' })) },
  withStep({ id: '' }),
  withStep({ id: 'a ' }),
  withStep({ id: 'x'.repeat(101) }),
  withStep({ id: 'a\nb' }),
  withStep({ task: ' ' }),
  withStep({ task: 'x'.repeat(20_001) }),
  withStep({ agent: 'boss' }),
  withStep({ permission_mode: 'all' }),
  withStep({ required: 'yes' }),
  withStep({ timeout_ms: 0 }),
  withStep({ timeout_ms: 604_800_001 }),
  withStep({ depends_on: 'a' }),
  withStep({ depends_on: [1] }),
  withStep({ after: [] }),
  ...[
    '/etc',
    '~',
    '~/x',
    'C:/x',
    'c:x',
    '..',
    '../x',
    'a/../b',
    'a/..',
    'a\\b',
    '',
    ' ',
    'a\tb',
    'x'.repeat(301),
  ].map((path) => withStep({ write_set: [path] })),
  withStep({ read_set: Array.from({ length: 65 }, () => 'a') }),
  withParameter(null),
  withParameter({}),
  withParameter({ type: 'date' }),
  withParameter({ type: 'string', default: {} }),
  withParameter({ type: 'string', required: 'no' }),
  withParameter({ type: 'enum', values: [] }),
  withParameter({ type: 'string', kind: 1 }),
  { name: 'W', parameters: { 'a-b': { type: 'string' } }, steps: [STEP] },
];

describe('what an editor says of a workflow file is what the program says of it:', () => {
  test.each(GOOD.map((file) => [file]))('%j is one', (file) => {
    expect([fits(file), parseTemplate(file)]).toEqual([true, expect.objectContaining({ ok: true })]);
  });

  test.each(BAD.map((file) => [JSON.stringify(file).slice(0, 100), file]))('%s is none', (_, file) => {
    expect([fits(file), parseTemplate(file).ok]).toEqual([false, false]);
  });
});

describe('the schema', () => {
  test('names the fields that the program knows, and no others', () => {
    expect(Object.keys(at('properties')).toSorted()).toEqual([...TEMPLATE_FIELDS, ...SPEC_FIELDS].toSorted());
    expect(Object.keys(at('definitions', 'step', 'properties'))).toEqual([...STEP_FIELDS]);
    expect(Object.keys(at('definitions', 'parameter', 'properties')).toSorted()).toEqual(
      [...PARAMETER_FIELDS].toSorted(),
    );
    expect(at('definitions', 'parameter', 'properties', 'type')['enum']).toEqual([...PARAMETER_TYPES]);
    expect(at('properties', 'steps')['maxItems']).toBe(SPEC_LIMITS.steps);
  });

  test('explains every field', () => {
    const fields = [
      ...Object.entries(at('properties')).filter(([name]) => name !== '$schema'),
      ...Object.entries(at('definitions', 'step', 'properties')),
      ...Object.entries(at('definitions', 'parameter', 'properties')),
    ];
    for (const [name, field] of fields)
      expect([name, isRaw(field) ? field['description'] : '']).toEqual([name, expect.stringMatching(/\.$/u)]);
  });
});
