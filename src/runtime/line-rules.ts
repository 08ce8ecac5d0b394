/** Rules for the fields of lines, which are outside data. */

/** What a field has to be. `V` is what the vocabulary says of it: the compiler holds one to the other. */
export interface Rule<V> {
  /** Ends the sentence "is not ...". */
  readonly wanted: string;
  readonly fits: (value: unknown) => value is V;
}

/** Words of a closed list count as strings: which ones there are matters only where `oneOf` asks. */
type Told<V> = V extends string ? string : V;

export type Shape<D> = { readonly [K in keyof D]?: Rule<Told<D[K]>> };

export const string = rule('a string', (value): value is string => typeof value === 'string');
export const number = rule('a number', (value): value is number => typeof value === 'number');
export const boolean = rule('a boolean', (value): value is boolean => typeof value === 'boolean');
export const present = rule('there', (value): value is unknown => value !== undefined);

type Raw = Record<string, unknown>;
export type Fields = readonly (readonly [string, Rule<unknown>])[];

export function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function rule<V>(wanted: string, fits: (value: unknown) => value is V): Rule<V> {
  return { wanted, fits };
}

export function oneOf<W extends string>(table: Readonly<Record<W, unknown>>): Rule<W> {
  const words = new Set<unknown>(Object.keys(table));
  return rule([...words].join(', ').replace(/, ([^,]*)$/u, ' or $1'), (value): value is W =>
    words.has(value),
  );
}

export function nullable<V>({ wanted, fits }: Rule<V>): Rule<V | null> {
  return rule(`${wanted} or null`, (value): value is V | null => value === null || fits(value));
}

export function optional<V>({ wanted, fits }: Rule<V>): Rule<V | undefined> {
  return rule(wanted, (value): value is V | undefined => value === undefined || fits(value));
}

/** Every line that is written has the field. A line without it is read, because no reader needs it. */
export function missable<V>({ wanted, fits }: Rule<V>): Rule<V> {
  return rule(wanted, (value): value is V => value === undefined || fits(value));
}

export function list<V>({ wanted, fits }: Rule<V>): Rule<readonly V[]> {
  return rule(
    `a list, each of it ${wanted}`,
    (value): value is readonly V[] => Array.isArray(value) && value.every(fits),
  );
}

export function object<D extends object>(shape: Shape<D>): Rule<D> {
  const fields = fieldsOf(shape);
  const wanted = fields.map(([field, { wanted: what }]) => `${field} (${what})`).join(', ');
  return rule(
    `an object with ${wanted}`,
    (value): value is D => isRaw(value) && fields.every(([field, { fits }]) => fits(value[field])),
  );
}

export function fieldsOf(shape: object): Fields {
  return Object.entries(shape);
}
