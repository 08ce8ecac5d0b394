import { expectedAnswer } from '../src/presenter/expected-answer.ts';
import { t } from './l10n.ts';
import { unreachable } from './unreachable.ts';

/** How a question is answered, from the schema that its answer has to meet. */
export type AnswerForm =
  | { readonly kind: 'yes_no' }
  | { readonly kind: 'buttons'; readonly choices: readonly string[] }
  | { readonly kind: 'list'; readonly choices: readonly string[] }
  | { readonly kind: 'number'; readonly whole: boolean }
  | { readonly kind: 'text' };

/** More than these would be a wall of buttons. */
const MOST_BUTTONS = 6;

export function answerForm(schema: unknown): AnswerForm {
  const expected = expectedAnswer(schema);
  switch (expected.kind) {
    case 'choice': {
      const { choices } = expected;
      return { kind: choices.length > MOST_BUTTONS ? 'list' : 'buttons', choices };
    }
    case 'yes_no':
    case 'number':
    case 'text':
      return expected;
    case 'any':
      return { kind: 'text' };
    default:
      return unreachable(expected);
  }
}

/** Wrapped, because every value is an answer: also `false`, `0` and the empty text. */
export type Answer = { readonly result: unknown } | null;

/** What typed words amount to; null while they are no answer yet. The words are sent as they were typed. */
export function typedAnswer(form: AnswerForm, words: string): Answer {
  switch (form.kind) {
    case 'text':
      return words.trim() === '' ? null : { result: words };
    case 'number': {
      const value = Number(words);
      const fits = words.trim() !== '' && Number.isFinite(value) && (!form.whole || Number.isInteger(value));
      return fits ? { result: value } : null;
    }
    case 'list': {
      const choice = form.choices[Number(words)];
      return words === '' || choice === undefined ? null : { result: choice };
    }
    case 'yes_no':
    case 'buttons':
      return null;
    default:
      return unreachable(form);
  }
}

/** The answers that are one click away. */
export function buttonAnswers(
  form: AnswerForm,
): readonly { readonly label: string; readonly result: unknown }[] {
  switch (form.kind) {
    case 'yes_no':
      return [
        { label: t('Yes'), result: true },
        { label: t('No'), result: false },
      ];
    case 'buttons':
      return form.choices.map((choice) => ({ label: choiceLabel(choice), result: choice }));
    case 'list':
    case 'number':
    case 'text':
      return [];
    default:
      return unreachable(form);
  }
}

export function choiceLabel(choice: string): string {
  return choice.trim() === '' ? t('(empty)') : choice;
}
