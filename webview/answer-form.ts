import {
  expectedAnswer,
  type Bounds,
  type Choice,
  type ExpectedField,
  type FieldAnswer,
} from '../src/presenter/expected-answer.ts';
import { own } from './fields.ts';
import { t } from './l10n.ts';
import { unreachable } from './unreachable.ts';

/** How one thing is asked for. What stands in it is always words, so that all of them are kept alike. */
export type Control =
  | { readonly kind: 'radios'; readonly choices: readonly Choice[] }
  | { readonly kind: 'list'; readonly choices: readonly Choice[] }
  | ({ readonly kind: 'checks'; readonly choices: readonly Choice[] } & Bounds)
  | ({ readonly kind: 'number'; readonly whole: boolean } & Bounds)
  | { readonly kind: 'text' };

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly control: Control;
  /** Stands in it before anybody wrote. */
  readonly preset: string;
}

/** How a question is answered, from the schema that its answer has to meet. */
export type AnswerForm =
  /** One click is the answer. */
  | { readonly kind: 'buttons'; readonly choices: readonly Choice[] }
  | { readonly kind: 'field'; readonly control: Control }
  | { readonly kind: 'fields'; readonly fields: readonly FormField[] };

/** What stands in the fields, by their names; one alone has none. */
export type Words = Readonly<Record<string, string>>;

export const ALONE = '';

/** More than these would be a wall of buttons. */
const MOST_BUTTONS = 6;

export function answerForm(schema: unknown): AnswerForm {
  const expected = expectedAnswer(schema);
  if (expected.kind === 'form') return { kind: 'fields', fields: expected.fields.map(fieldOf) };
  const control = controlOf(expected);
  return control.kind === 'radios'
    ? { kind: 'buttons', choices: control.choices }
    : { kind: 'field', control };
}

function fieldOf({ expected, preset, ...field }: ExpectedField): FormField {
  const control = controlOf(expected);
  return { ...field, control, preset: preset === undefined ? '' : wordsFor(control, preset) };
}

function controlOf(expected: FieldAnswer): Control {
  switch (expected.kind) {
    case 'choice': {
      const { choices } = expected;
      return { kind: choices.length > MOST_BUTTONS ? 'list' : 'radios', choices };
    }
    case 'several':
      return { ...expected, kind: 'checks' };
    case 'yes_no':
      return {
        kind: 'radios',
        choices: [
          { label: t('Yes'), value: true },
          { label: t('No'), value: false },
        ],
      };
    case 'number':
      return expected;
    case 'text':
    case 'any':
      return { kind: 'text' };
    default:
      return unreachable(expected);
  }
}

export function presetWords(form: AnswerForm): Words {
  if (form.kind !== 'fields') return {};
  return Object.fromEntries(form.fields.map(({ name, preset }) => [name, preset]));
}

/** Wrapped, because every value is an answer: also `false`, `0` and the empty text. */
export type Answer = { readonly result: unknown } | null;

/** What typed words amount to; null while they are no answer yet. The words are sent as they were typed. */
export function typedAnswer(form: AnswerForm, words: Words): Answer {
  switch (form.kind) {
    case 'buttons':
      return null;
    case 'field':
      return typed(form.control, words[ALONE] ?? '');
    case 'fields':
      return typedForm(form.fields, words);
    default:
      return unreachable(form);
  }
}

/** A field that may be left empty is left out, or is `null` where it has to be there. */
function typedForm(fields: readonly FormField[], words: Words): Answer {
  const entries: [name: string, value: unknown][] = [];
  for (const { name, control, required, nullable } of fields) {
    const given = own(words, name) ?? '';
    const mayBeEmpty = !required || nullable;
    if (given.trim() === '' && mayBeEmpty) {
      if (required) entries.push([name, null]);
      continue;
    }
    const answer = typed(control, given);
    if (answer === null) return null;
    entries.push([name, answer.result]);
  }
  return { result: Object.fromEntries(entries) };
}

function typed(control: Control, words: string): Answer {
  switch (control.kind) {
    case 'text':
      return words.trim() === '' ? null : { result: words };
    case 'number': {
      const value = Number(words);
      const isNumber =
        words.trim() !== '' && Number.isFinite(value) && (!control.whole || Number.isInteger(value));
      return isNumber && isWithin(control, value) ? { result: value } : null;
    }
    case 'radios':
    case 'list': {
      const choice = control.choices[Number(words)];
      return words === '' || choice === undefined ? null : { result: choice.value };
    }
    case 'checks': {
      const chosen = checked(words);
      const values = control.choices.filter((_, index) => chosen.has(index)).map(({ value }) => value);
      return isWithin(control, values.length) ? { result: values } : null;
    }
    default:
      return unreachable(control);
  }
}

function isWithin({ least, most }: Bounds, value: number): boolean {
  return value >= least && value <= most;
}

/** The words that stand for a value. */
function wordsFor(control: Control, value: unknown): string {
  switch (control.kind) {
    case 'text':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'number':
      return String(value);
    case 'radios':
    case 'list':
      return String(control.choices.findIndex((choice) => choice.value === value));
    case 'checks': {
      const values: readonly unknown[] = Array.isArray(value) ? value : [];
      return control.choices.flatMap((choice, index) => (values.includes(choice.value) ? index : [])).join();
    }
    default:
      return unreachable(control);
  }
}

/** Which boxes are ticked: their places, with commas between. */
export function checked(words: string): ReadonlySet<number> {
  return new Set(words === '' ? [] : words.split(',').map(Number));
}

export function withCheck(words: string, index: number, on: boolean): string {
  const others = [...checked(words)].filter((one) => one !== index);
  return (on ? [...others, index] : others).toSorted((one, other) => one - other).join();
}

export function choiceLabel({ label }: Choice): string {
  return label.trim() === '' ? t('(empty)') : label;
}
