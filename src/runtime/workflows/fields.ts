/** Reading what a model or a file says, field by field: nothing throws, and every mistake is noted. */

/** What is wrong, and where: `steps[2].task`, or `workflow` for all of it. */
export interface Mistake {
  readonly at: string;
  readonly message: string;
}

type Raw = Readonly<Record<string, unknown>>;

/** One line a mistake, for whoever has to mend them all. */
export function mistakesText(mistakes: readonly Mistake[]): string {
  return mistakes.map(({ at, message }) => `${at}: ${message}`).join('\n');
}

const MOST_TOLD = 200;

/** Collects mistakes. Of something that is all wrong it is enough to know the first of them and how many there are. */
export class Mistakes {
  private readonly noted: Mistake[] = [];
  private left = 0;

  note(at: string, message: string): void {
    if (this.noted.length < MOST_TOLD) this.noted.push({ at, message });
    else this.left += 1;
  }

  get all(): readonly Mistake[] {
    if (this.left === 0) return this.noted;
    return [...this.noted, { at: 'workflow', message: `has ${this.left} more mistakes` }];
  }
}

export interface TextBounds {
  readonly longest: number;
}

/** The fields of one object. `null` counts as left out: strict schemas make a model say it. */
export class Fields {
  constructor(
    private readonly given: Raw,
    /** Empty for the outermost object. */
    private readonly place: string,
    private readonly mistakes: Mistakes,
  ) {}

  at(field: string): string {
    return this.place === '' ? field : `${this.place}.${field}`;
  }

  note(field: string, message: string): void {
    this.mistakes.note(this.at(field), message);
  }

  value(field: string): unknown {
    return Object.hasOwn(this.given, field) ? (this.given[field] ?? undefined) : undefined;
  }

  /** Notes every field that is none of these. */
  only(known: readonly string[]): void {
    for (const name of Object.keys(this.given))
      if (!known.includes(name))
        this.note(
          /^\w{1,80}$/u.test(name) ? name : quoted(name),
          `is no field here; the fields are ${known.join(', ')}`,
        );
  }

  text(field: string, { longest }: TextBounds): string | null {
    const value = this.value(field);
    if (value === undefined) return null;
    const fault = textFault(value, longest);
    if (fault !== null || typeof value !== 'string') {
      this.note(field, fault ?? NOT_TEXT);
      return null;
    }
    return value;
  }

  wholeNumber(field: string, { most }: { readonly most: number }): number | null {
    const value = this.value(field);
    if (value === undefined) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most) return value;
    this.note(field, numberFault(value, most));
    return null;
  }

  flag(field: string): boolean | null {
    const value = this.value(field);
    if (value === undefined || typeof value === 'boolean') return value ?? null;
    this.note(field, 'is neither true nor false');
    return null;
  }

  oneOf<W extends string>(field: string, words: readonly W[]): W | null {
    const value = this.value(field);
    if (value === undefined) return null;
    const found = words.find((word) => word === value);
    if (found === undefined) this.note(field, `is ${shown(value)}, and has to be ${orList(words)}`);
    return found ?? null;
  }

  /** Every entry that is fine. `fault` says what is wrong with one that is text. */
  texts(
    field: string,
    bounds: TextBounds & { readonly most: number; readonly fault?: (text: string) => string | null },
  ): readonly string[] {
    const value = this.value(field);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.note(field, 'is not a list');
      return [];
    }
    if (value.length > bounds.most) this.note(field, `has more than ${bounds.most} entries`);
    return value.slice(0, bounds.most).flatMap((one: unknown, index) => {
      const fault =
        textFault(one, bounds.longest) ?? (typeof one === 'string' ? bounds.fault?.(one) : null) ?? null;
      if (fault !== null) this.note(`${field}[${index}]`, fault);
      return fault === null && typeof one === 'string' ? [one] : [];
    });
  }
}

const NOT_TEXT = 'is not text';

function textFault(value: unknown, longest: number): string | null {
  if (typeof value !== 'string') return NOT_TEXT;
  if (value.trim() === '') return 'is empty';
  return value.length > longest ? `has more than ${longest} characters` : null;
}

function numberFault(value: unknown, most: number): string {
  if (typeof value !== 'number' || !Number.isInteger(value)) return 'is not a whole number';
  return value <= 0 ? 'is not more than 0' : `is more than ${most}`;
}

/** Names and scalars only: whatever else was given may be of any size. */
function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'something else';
}

/** Names of others are shown short, and on one line. */
export function quoted(name: string): string {
  const line = name.replaceAll(/\s+/gu, ' ');
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80).toWellFormed()}…` : line);
}

function orList(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/u, ' or $1');
}
