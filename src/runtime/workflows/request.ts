import type { WorkflowSpec } from '../agent-events.ts';
import { isRaw } from '../line-rules.ts';
import { parsed } from '../loose-fields.ts';
import { Fields, Mistakes, type Mistake } from './fields.ts';
import { parseSpec, type ParsedSpec } from './spec.ts';

/** What is asked of `run_workflow`, by a model or by a person. */
export type WorkflowRequest =
  | { readonly kind: 'spec'; readonly spec: WorkflowSpec }
  | {
      readonly kind: 'template';
      readonly template: string;
      readonly parameters: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'resume'; readonly workflow_id: string };

export type ParsedRequest =
  | { readonly ok: true; readonly request: WorkflowRequest }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

const KEYS = ['workflow', 'template', 'parameters', 'resume'] as const;
const LONGEST_NAME = 300;

/**
 * Pure, and never throws. A template and one to go on with may be named beside `workflow` or in it, and a spec may come
 * without it or as JSON text: what is meant is plain, and models write all of these.
 */
export function parseRequest(value: unknown): ParsedRequest {
  const mistakes = new Mistakes();
  if (!isRaw(value)) return refused('arguments', 'is not an object');
  if (!('workflow' in value) && 'steps' in value) return requestOf(parseSpec(value), []);
  const inner = readText(value['workflow']);
  const outer = new Fields(value, '', mistakes);
  outer.only(KEYS);
  if (isRaw(inner) && !('steps' in inner) && ('template' in inner || 'resume' in inner)) {
    if (outer.value('template') !== undefined || outer.value('resume') !== undefined)
      outer.note('workflow', 'is told twice');
    const within = new Fields(inner, 'workflow', mistakes);
    within.only(KEYS.slice(1));
    return named(within, mistakes);
  }
  if (outer.value('workflow') === undefined) return named(outer, mistakes);
  for (const key of KEYS.slice(1))
    if (outer.value(key) !== undefined) outer.note(key, 'does not go with a workflow that is written out');
  return requestOf(parseSpec(inner), mistakes.all);
}

/** Some models write as text what is to be an object. */
function readText(given: unknown): unknown {
  return typeof given === 'string' ? (parsed(given) ?? given) : given;
}

function requestOf(read: ParsedSpec, noted: readonly Mistake[]): ParsedRequest {
  const mistakes = [...noted, ...(read.ok ? [] : read.mistakes)];
  return read.ok && mistakes.length === 0
    ? { ok: true, request: { kind: 'spec', spec: read.spec } }
    : { ok: false, mistakes };
}

function named(fields: Fields, mistakes: Mistakes): ParsedRequest {
  const template = fields.text('template', { longest: LONGEST_NAME });
  const workflow_id = fields.text('resume', { longest: LONGEST_NAME });
  const parameters = fields.value('parameters') ?? {};
  if (!isRaw(parameters)) fields.note('parameters', 'is not an object');
  if (template !== null && workflow_id !== null) fields.note('resume', 'does not go with a template');
  if (template === null && fields.value('parameters') !== undefined && fields.value('template') === undefined)
    fields.note('template', 'is missing');
  if (mistakes.all.length > 0 || !isRaw(parameters)) return { ok: false, mistakes: mistakes.all };
  if (template !== null) return { ok: true, request: { kind: 'template', template, parameters } };
  return workflow_id === null
    ? refused('workflow', 'is missing: give a workflow, a template or one to resume')
    : { ok: true, request: { kind: 'resume', workflow_id } };
}

function refused(at: string, message: string): ParsedRequest {
  return { ok: false, mistakes: [{ at, message }] };
}
