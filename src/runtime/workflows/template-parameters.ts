import { isRaw } from '../line-rules.ts';
import { Fields, Mistakes, quoted, type Mistake } from './fields.ts';

/** What a template wants to be told before it is a workflow. */

export const PARAMETER_TYPES = ['string', 'number', 'boolean', 'enum'] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];
export type ParameterValue = string | number | boolean;

export interface TemplateParameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly description: string;
  /** What it is where nobody says; null where somebody has to. */
  readonly preset: ParameterValue | null;
  /** Of an enum. */
  readonly values: readonly string[];
}

export const PARAMETER_FIELDS = ['type', 'description', 'default', 'values', 'required'] as const;
export const PARAMETER_LIMITS = {
  count: 50,
  name: 50,
  text: 4_000,
  values: 50,
  value: 200,
  description: 500,
} as const;
export const PARAMETER_NAME = /^[A-Za-z_]\w*$/u;

/** Pure: the parameters that a template declares, in its order. */
export function declaredParameters(template: Fields, mistakes: Mistakes): readonly TemplateParameter[] {
  const value = template.value('parameters');
  if (value === undefined) return [];
  if (!isRaw(value)) {
    template.note('parameters', 'is not an object');
    return [];
  }
  const entries = Object.entries(value);
  if (entries.length > PARAMETER_LIMITS.count)
    template.note('parameters', `has more than ${PARAMETER_LIMITS.count} entries`);
  return entries.slice(0, PARAMETER_LIMITS.count).flatMap(([name, given]) => {
    const place = `parameters.${name.slice(0, PARAMETER_LIMITS.name)}`;
    if (!PARAMETER_NAME.test(name) || name.length > PARAMETER_LIMITS.name)
      mistakes.note(place, 'is no name for a parameter: letters, digits and _ only');
    if (isRaw(given)) return [declared(name, new Fields(given, place, mistakes))];
    mistakes.note(place, 'is not an object');
    return [];
  });
}

function declared(name: string, fields: Fields): TemplateParameter {
  fields.only(PARAMETER_FIELDS);
  if (fields.value('type') === undefined) fields.note('type', 'is missing');
  const type = fields.oneOf('type', PARAMETER_TYPES) ?? 'string';
  const description = fields.text('description', { longest: PARAMETER_LIMITS.description }) ?? '';
  const values = fields.texts('values', { longest: PARAMETER_LIMITS.value, most: PARAMETER_LIMITS.values });
  if (type === 'enum' && values.length === 0) fields.note('values', 'is missing');
  if (type !== 'enum' && fields.value('values') !== undefined)
    fields.note('values', 'is for a parameter of type enum alone');
  const required = fields.flag('required');
  const bare: TemplateParameter = { name, type, description, values, preset: null };
  return { ...bare, preset: presetOf(bare, fields, required) };
}

/** Where nobody has to say anything, text is empty; a number or a choice has to be named. */
function presetOf(
  parameter: TemplateParameter,
  fields: Fields,
  required: boolean | null,
): ParameterValue | null {
  const given = fields.value('default');
  if (given !== undefined) {
    const fault = valueFault({ ...parameter, preset: '' }, given);
    if (fault !== null) fields.note('default', fault);
    return isValue(given) ? given : null;
  }
  if (required !== false) return null;
  if (parameter.type !== 'string') fields.note('default', 'is missing: nobody has to give this parameter');
  return '';
}

function isValue(value: unknown): value is ParameterValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Pure: what is wrong with a value for a parameter; null when it fits. */
export function valueFault({ type, values, preset }: TemplateParameter, value: unknown): string | null {
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return 'is not text';
      if (preset === null && value.trim() === '') return 'is empty';
      return value.length > PARAMETER_LIMITS.text
        ? `has more than ${PARAMETER_LIMITS.text} characters`
        : null;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'is not a number';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'is neither true nor false';
    case 'enum':
      return typeof value === 'string' && values.includes(value)
        ? null
        : `has to be one of ${values.map(quoted).join(', ')}`;
  }
}

export type ParameterValues = ReadonlyMap<string, ParameterValue>;

/** Pure: what every parameter is, from what was given; every mistake at once. */
export function parameterValues(
  parameters: readonly TemplateParameter[],
  given: Readonly<Record<string, unknown>>,
):
  | { readonly ok: true; readonly values: ParameterValues }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] } {
  const mistakes = new Mistakes();
  const fields = new Fields(given, 'parameters', mistakes);
  const names = parameters.map(({ name }) => name);
  for (const name of Object.keys(given).filter((one) => !names.includes(one)))
    fields.note(
      quoted(name),
      names.length === 0
        ? 'is no parameter: the template has none'
        : `is no parameter; they are ${names.join(', ')}`,
    );
  const values = new Map<string, ParameterValue>();
  for (const parameter of parameters) {
    const value = fields.value(parameter.name) ?? parameter.preset ?? undefined;
    const fault =
      value === undefined ? 'is missing' : value === parameter.preset ? null : valueFault(parameter, value);
    if (fault !== null) fields.note(parameter.name, fault);
    if (isValue(value)) values.set(parameter.name, value);
  }
  return mistakes.all.length === 0 ? { ok: true, values } : { ok: false, mistakes: mistakes.all };
}
