export type Scalar = string | number | boolean | null;

export interface Choice {
  readonly label: string;
  readonly value: Scalar;
}

/** Infinite where there is no bound. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** What one field takes. */
export type FieldAnswer =
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  | ({ readonly kind: 'several'; readonly choices: readonly Choice[] } & Bounds)
  | { readonly kind: 'yes_no' }
  | ({ readonly kind: 'number'; readonly whole: boolean } & Bounds)
  | { readonly kind: 'text' }
  | { readonly kind: 'any' };

export interface ExpectedField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** Without it there is no answer. */
  readonly required: boolean;
  /** Nothing can be said as `null`. */
  readonly nullable: boolean;
  readonly expected: FieldAnswer;
  /** What the field begins with; undefined where the schema names nothing that would fit. */
  readonly preset: unknown;
}

/** What a question takes for an answer, as far as its schema says it in a way that is understood here. */
export type ExpectedAnswer =
  | FieldAnswer
  | { readonly kind: 'form'; readonly fields: readonly ExpectedField[] };

type Schema = Readonly<Record<string, unknown>>;

/**
 * Pure: choices, one scalar type, an array of choices, or an object whose properties are such. Whatever else a
 * schema says is between the model and the person.
 */
export function expectedAnswer(schema: unknown): ExpectedAnswer {
  if (!isSchema(schema)) return { kind: 'any' };
  const { properties } = schema;
  if (typesOf(schema).join() !== 'object' || !isSchema(properties)) return fieldAnswer(schema);
  const fields = Object.entries(properties).map(([name, property]) => fieldOf(schema, name, property));
  return fields.length === 0 ? { kind: 'any' } : { kind: 'form', fields };
}

function fieldOf(form: Schema, name: string, property: unknown): ExpectedField {
  const schema = isSchema(property) ? property : {};
  const expected = fieldAnswer(schema);
  const nullable = takesNull(schema);
  return {
    name,
    label: textIn(schema, 'title') ?? name,
    description: textIn(schema, 'description') ?? '',
    required: Array.isArray(form['required']) && form['required'].includes(name),
    nullable,
    expected,
    preset: fits(expected, schema['default']) ? schema['default'] : undefined,
  };
}

function fieldAnswer(schema: Schema): FieldAnswer {
  const choices = choicesOf(schema);
  if (choices.length > 0) return { kind: 'choice', choices };
  switch (typesOf(schema).join()) {
    case 'boolean':
      return { kind: 'yes_no' };
    case 'number':
      return { kind: 'number', whole: false, ...rangeOf(schema, 'minimum', 'maximum') };
    case 'integer':
      return { kind: 'number', whole: true, ...rangeOf(schema, 'minimum', 'maximum') };
    case 'string':
      return { kind: 'text' };
    case 'array':
      return severalOf(schema);
    default:
      return { kind: 'any' };
  }
}

function severalOf(schema: Schema): FieldAnswer {
  const choices = isSchema(schema['items']) ? choicesOf(schema['items']) : [];
  if (choices.length === 0) return { kind: 'any' };
  return { kind: 'several', choices, ...rangeOf(schema, 'minItems', 'maxItems') };
}

/** `enum`, or `oneOf` and `anyOf` of `const` with titles. None where one of them is anything else. */
function choicesOf(schema: Schema): readonly Choice[] {
  const values = listIn(schema, 'enum');
  const found =
    values.length > 0
      ? values.map((value) => choiceOf(value, undefined))
      : [...listIn(schema, 'oneOf'), ...listIn(schema, 'anyOf')].map((one) =>
          isSchema(one) ? choiceOf(one['const'], textIn(one, 'title')) : null,
        );
  const choices = found.filter((choice) => choice !== null);
  if (choices.length < found.length) return [];
  // Nothing is chosen by choosing nothing.
  const named = choices.filter(({ value }) => value !== null);
  return [...new Map(named.map((choice) => [choice.value, choice])).values()];
}

function choiceOf(value: unknown, title: string | undefined): Choice | null {
  return isScalar(value) ? { label: title ?? String(value), value } : null;
}

/** `null` beside a type or among choices says that there may be no answer. */
export function takesNull(schema: unknown): boolean {
  if (!isSchema(schema)) return false;
  const { type } = schema;
  const alternatives = [...listIn(schema, 'oneOf'), ...listIn(schema, 'anyOf')];
  return (
    (Array.isArray(type) && type.includes('null')) ||
    listIn(schema, 'enum').includes(null) ||
    alternatives.some((one) => isSchema(one) && (one['const'] === null || one['type'] === 'null'))
  );
}

function typesOf({ type }: Schema): readonly unknown[] {
  return (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
}

function rangeOf(schema: Schema, least: string, most: string): Bounds {
  return { least: numberIn(schema, least) ?? -Infinity, most: numberIn(schema, most) ?? Infinity };
}

/** In signs that every language has. */
export function rangeWords({ least, most }: Bounds): string {
  if (Number.isFinite(least) && Number.isFinite(most)) return `${least}–${most}`;
  if (Number.isFinite(least)) return `≥ ${least}`;
  return Number.isFinite(most) ? `≤ ${most}` : '';
}

/** Pure: whether a value is what a field takes. */
export function fits(expected: FieldAnswer, answer: unknown): boolean {
  switch (expected.kind) {
    case 'choice':
      return expected.choices.some(({ value }) => value === answer);
    case 'several':
      return Array.isArray(answer) && isSelection(expected, answer);
    case 'yes_no':
      return typeof answer === 'boolean';
    case 'number':
      return (
        typeof answer === 'number' &&
        (expected.whole ? Number.isInteger(answer) : Number.isFinite(answer)) &&
        isWithin(expected, answer)
      );
    case 'text':
      return typeof answer === 'string';
    case 'any':
      return true;
  }
}

function isSelection(
  expected: Extract<FieldAnswer, { kind: 'several' }>,
  answer: readonly unknown[],
): boolean {
  return (
    isWithin(expected, answer.length) &&
    answer.every((one) => expected.choices.some(({ value }) => value === one))
  );
}

function isWithin({ least, most }: Bounds, value: number): boolean {
  return value >= least && value <= most;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is Scalar {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  );
}

function listIn(schema: Schema, key: string): readonly unknown[] {
  const value = schema[key];
  return Array.isArray(value) ? value : [];
}

function textIn(schema: Schema, key: string): string | undefined {
  const value = schema[key];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function numberIn(schema: Schema, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}
