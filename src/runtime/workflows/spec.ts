import { ROLES } from '../agents/child-policy.ts';
import type { StepSpec, WorkflowSpec } from '../agent-events.ts';
import type { PermissionMode } from '../events.ts';
import { isRaw } from '../line-rules.ts';
import { cyclesOf } from './cycles.ts';
import { Fields, Mistakes, quoted, type Mistake } from './fields.ts';

/** What a workflow may be (§10), however it comes in: from a model, from a file, or back from a log. */

export const SPEC_LIMITS = {
  steps: 200,
  id: 100,
  name: 200,
  task: 20_000,
  /** All tasks of a workflow together: they go into one line of the log. */
  tasks: 200_000,
  path: 300,
  paths: 64,
  /** Of all steps together: each is compared with those of every other step. */
  all_paths: 2_000,
  concurrency: 64,
  /** A week, in milliseconds. */
  timeout: 604_800_000,
} as const;

export const PERMISSION_MODES = ['read_only', 'ask', 'auto'] as const satisfies readonly PermissionMode[];

export const SPEC_FIELDS = [
  'id',
  'name',
  'max_concurrency',
  'timeout_ms',
  'steps',
] as const satisfies readonly (keyof WorkflowSpec)[];

export const STEP_FIELDS = [
  'id',
  'task',
  'agent',
  'depends_on',
  'permission_mode',
  'read_set',
  'write_set',
  'timeout_ms',
  'required',
] as const satisfies readonly (keyof StepSpec)[];

export type ParsedSpec =
  | { readonly ok: true; readonly spec: WorkflowSpec }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/** Pure, and never throws: the workflow with its defaults, or every mistake at once. */
export function parseSpec(value: unknown): ParsedSpec {
  const mistakes = new Mistakes();
  if (!isRaw(value)) {
    mistakes.note('workflow', 'is not an object');
    return { ok: false, mistakes: mistakes.all };
  }
  const fields = new Fields(value, '', mistakes);
  fields.only(SPEC_FIELDS);
  const given = fields.text('id', { longest: SPEC_LIMITS.id });
  const name = fields.text('name', { longest: SPEC_LIMITS.name }) ?? given;
  if (given !== null) noteBadId(fields, given);
  if (fields.value('id') === undefined && fields.value('name') === undefined)
    fields.note('name', 'is missing');
  const spec: WorkflowSpec = {
    id: given ?? idFrom(name ?? ''),
    name: name ?? '',
    max_concurrency: fields.wholeNumber('max_concurrency', { most: SPEC_LIMITS.concurrency }),
    timeout_ms: fields.wholeNumber('timeout_ms', { most: SPEC_LIMITS.timeout }),
    steps: stepsOf(fields, mistakes),
  };
  return mistakes.all.length === 0 ? { ok: true, spec } : { ok: false, mistakes: mistakes.all };
}

/** A name as an id: what is no letter or digit becomes a hyphen. */
function idFrom(name: string): string {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['workflow'];
  return words.join('-').slice(0, SPEC_LIMITS.id);
}

function stepsOf(workflow: Fields, mistakes: Mistakes): readonly StepSpec[] {
  const value = workflow.value('steps');
  if (!Array.isArray(value)) {
    workflow.note('steps', value === undefined ? 'is missing' : 'is not a list');
    return [];
  }
  if (value.length === 0) workflow.note('steps', 'has no step');
  if (value.length > SPEC_LIMITS.steps) workflow.note('steps', `has more than ${SPEC_LIMITS.steps} steps`);
  const all: readonly unknown[] = value;
  const steps = all.slice(0, SPEC_LIMITS.steps).map((step, index) => stepOf(step, index, mistakes));
  // Those that are too many are steps all the same, which others may depend on.
  noteRelations(steps, new Set(all.flatMap(idOf)), mistakes);
  noteSizes(steps, workflow);
  return steps;
}

const NO_STEP: StepSpec = {
  id: '',
  task: '',
  agent: 'default',
  depends_on: [],
  permission_mode: null,
  read_set: [],
  write_set: [],
  timeout_ms: null,
  required: true,
};

function stepOf(value: unknown, index: number, mistakes: Mistakes): StepSpec {
  const place = `steps[${index}]`;
  if (!isRaw(value)) {
    mistakes.note(place, 'is not an object');
    return NO_STEP;
  }
  const fields = new Fields(value, place, mistakes);
  fields.only(STEP_FIELDS);
  const needed = (field: 'id' | 'task'): string => {
    if (fields.value(field) === undefined) fields.note(field, 'is missing');
    return fields.text(field, { longest: SPEC_LIMITS[field] }) ?? '';
  };
  const id = needed('id');
  noteBadId(fields, id);
  const paths = { longest: SPEC_LIMITS.path, most: SPEC_LIMITS.paths, fault: pathFault };
  const names = { longest: SPEC_LIMITS.id, most: SPEC_LIMITS.steps };
  return {
    id,
    task: needed('task'),
    agent: fields.oneOf('agent', ROLES) ?? NO_STEP.agent,
    depends_on: [...new Set(fields.texts('depends_on', names))],
    permission_mode: fields.oneOf('permission_mode', PERMISSION_MODES),
    read_set: fields.texts('read_set', paths),
    write_set: fields.texts('write_set', paths),
    timeout_ms: fields.wholeNumber('timeout_ms', { most: SPEC_LIMITS.timeout }),
    required: fields.flag('required') ?? NO_STEP.required,
  };
}

// oxlint-disable-next-line no-control-regex -- control characters are what it is there to find
const CONTROL = /[\u0000-\u001f\u007f]/u;

/** Ids are named in sentences, on buttons and in answers. */
function noteBadId(fields: Fields, id: string): void {
  if (CONTROL.test(id)) fields.note('id', 'has a line break or another control character');
  else if (id !== id.trim()) fields.note('id', 'begins or ends with a space');
}

/** Pure: what is wrong with a path, or a glob of paths, that has to stay in the workspace; null when it is fine. */
export function pathFault(path: string): string | null {
  if (CONTROL.test(path)) return 'has a line break or another control character';
  if (path.includes('\\')) return 'has a backslash: separate folders with /';
  if (/^(?:\/|~(?:\/|$)|[a-z]:)/iu.test(path))
    return 'is not a path in the workspace: give one that is relative to it';
  return path.split('/').includes('..') ? 'leads out of the workspace' : null;
}

function noteRelations(steps: readonly StepSpec[], known: ReadonlySet<string>, mistakes: Mistakes): void {
  const first = new Map<string, number>();
  steps.forEach(({ id, depends_on }, index) => {
    const before = first.get(id);
    if (id !== '' && before === undefined) first.set(id, index);
    if (before !== undefined) mistakes.note(`steps[${index}].id`, `is the id of steps[${before}] already`);
    for (const other of depends_on) {
      if (other === id) mistakes.note(`steps[${index}].depends_on`, 'names its own step');
      else if (!known.has(other))
        mistakes.note(`steps[${index}].depends_on`, `names ${quoted(other)}, and there is no such step`);
    }
  });
  const dependencies = new Map([...first].map(([id, index]) => [id, steps[index]?.depends_on ?? []]));
  for (const cycle of cyclesOf(dependencies)) {
    const at = `steps[${first.get(cycle[0] ?? '') ?? 0}].depends_on`;
    mistakes.note(at, `is a circle: ${cycle.map(quoted).join(' -> ')}`);
  }
}

function noteSizes(steps: readonly StepSpec[], workflow: Fields): void {
  const tasks = steps.reduce((sum, { task }) => sum + task.length, 0);
  if (tasks > SPEC_LIMITS.tasks)
    workflow.note('steps', `has tasks with more than ${SPEC_LIMITS.tasks} characters in all`);
  const paths = steps.reduce((sum, { read_set, write_set }) => sum + read_set.length + write_set.length, 0);
  if (paths > SPEC_LIMITS.all_paths)
    workflow.note('steps', `has more than ${SPEC_LIMITS.all_paths} paths in all`);
}

function idOf(step: unknown): readonly string[] {
  return isRaw(step) && typeof step['id'] === 'string' ? [step['id']] : [];
}
