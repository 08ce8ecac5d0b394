import { isRaw } from '../line-rules.ts';
import { Fields, Mistakes, quoted, type Mistake } from './fields.ts';
import { parseSpec, SPEC_FIELDS, SPEC_LIMITS, type ParsedSpec } from './spec.ts';
import {
  declaredParameters,
  parameterValues,
  type ParameterValue,
  type ParameterValues,
  type TemplateParameter,
} from './template-parameters.ts';

type Raw = Readonly<Record<string, unknown>>;

/** A workflow with places for what it is about: `${name}` in its texts, and `$${` where that is meant as it stands. */
export interface WorkflowTemplate {
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly TemplateParameter[];
  /** The workflow as it is written, with its places. */
  readonly body: Raw;
}

export type ParsedTemplate =
  | { readonly ok: true; readonly template: WorkflowTemplate }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/** What a template has beside a workflow. Editors write `$schema`. */
export const TEMPLATE_FIELDS = ['$schema', 'description', 'parameters'] as const;
const LONGEST_DESCRIPTION = 1_000;

/** Pure, and never throws. A template is tried with values of its own, so that its mistakes are known before it runs. */
export function parseTemplate(value: unknown): ParsedTemplate {
  const mistakes = new Mistakes();
  if (!isRaw(value)) return { ok: false, mistakes: [{ at: 'workflow', message: 'is not an object' }] };
  const fields = new Fields(value, '', mistakes);
  fields.only([...TEMPLATE_FIELDS, ...SPEC_FIELDS]);
  const description = fields.text('description', { longest: LONGEST_DESCRIPTION }) ?? '';
  const parameters = declaredParameters(fields, mistakes);
  const body = Object.fromEntries(
    SPEC_FIELDS.flatMap((name) => (name in value ? [[name, value[name]]] : [])),
  );
  const tried = filled(body, new Map(parameters.map((one) => [one.name, sampleOf(one)])));
  const found = [...mistakes.all, ...(tried.ok ? [] : tried.mistakes)];
  if (!tried.ok || found.length > 0) return { ok: false, mistakes: found };
  const title = fields.text('name', { longest: SPEC_LIMITS.name }) ?? tried.spec.name;
  return { ok: true, template: { title, description, parameters, body } };
}

/** No two alike, so that names made of them are none alike either. */
function sampleOf({ name, type, preset, values }: TemplateParameter): ParameterValue {
  if (preset !== null && preset !== '') return preset;
  switch (type) {
    case 'string':
      return name;
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'enum':
      return values[0] ?? name;
  }
}

/** Pure: the workflow that a template is with these parameters, or every mistake at once. */
export function specFrom({ parameters, body }: WorkflowTemplate, given: Raw): ParsedSpec {
  const checked = parameterValues(parameters, given);
  return checked.ok ? filled(body, checked.values) : checked;
}

/** Only as deep as a workflow is: whatever else a file has is a mistake anyway. */
function filled(body: Raw, values: ParameterValues): ParsedSpec {
  const mistakes = new Mistakes();
  const text = (at: string, value: unknown): unknown =>
    typeof value === 'string' ? filledText(at, value, { values, mistakes }) : value;
  const fieldsOf = (place: string, raw: Raw): Raw =>
    Object.fromEntries(
      Object.entries(raw).map(([key, value]) => {
        const at = place === '' ? key : `${place}.${key}`;
        if (TYPED.has(key)) return [key, typedOr(value, values) ?? text(at, value)];
        const entries: unknown = Array.isArray(value)
          ? value.map((one, index) => text(`${at}[${index}]`, one))
          : null;
        return [key, entries ?? text(at, value)];
      }),
    );
  const { steps } = body;
  const whole = {
    ...fieldsOf('', body),
    ...(Array.isArray(steps)
      ? {
          steps: steps.map((step: unknown, index) =>
            isRaw(step) ? fieldsOf(`steps[${index}]`, step) : step,
          ),
        }
      : {}),
  };
  const parsed = parseSpec(whole);
  const found = [...mistakes.all, ...(parsed.ok ? [] : parsed.mistakes)];
  return found.length === 0 ? parsed : { ok: false, mistakes: found };
}

/** Fields that are no text: a place that is all of one takes the value as what it is. */
const TYPED: ReadonlySet<string> = new Set(['max_concurrency', 'timeout_ms', 'required']);

function typedOr(value: unknown, values: ParameterValues): ParameterValue | undefined {
  const name = typeof value === 'string' ? /^\$\{(?<name>\w+)\}$/u.exec(value)?.groups?.['name'] : undefined;
  return name === undefined ? undefined : values.get(name);
}

const PLACE = /\$\$\{|\$\{(?<name>[^}]*)\}/gu;

function filledText(
  at: string,
  text: string,
  { values, mistakes }: { readonly values: ParameterValues; readonly mistakes: Mistakes },
): string {
  return text.replaceAll(PLACE, (place: string, name: string | undefined) => {
    if (name === undefined) return '${';
    const value = values.get(name);
    if (value === undefined) mistakes.note(at, `names ${quoted(name)}, and there is no such parameter`);
    return value === undefined ? place : String(value);
  });
}
