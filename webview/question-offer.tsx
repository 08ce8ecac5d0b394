import { ActionRow } from './action-row.tsx';
import type { TargetedKeyboardEvent, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { answerForm, buttonAnswers, choiceLabel, typedAnswer, type AnswerForm } from './answer-form.ts';
import { t } from './l10n.ts';
import { lockOf, type OfferProps } from './offer.ts';
import { useGrowingField } from './composer/growing-field.ts';
import { unreachable } from './unreachable.ts';
import { keepAnswer, readKept } from './vscode-api.ts';

export function QuestionOffer({ suspension, isPrimary, locked, standing, decide }: OfferProps): VNode {
  const form = answerForm(suspension.response_schema);
  const [words, setWords] = useState(() => readKept().answers[suspension.id] ?? '');
  const lock = lockOf(locked);
  const answer = typedAnswer(form, words);
  const change = (next: string): void => {
    setWords(next);
    keepAnswer(suspension.id, next);
  };
  const send = (): void => {
    if (answer !== null && locked === null) decide({ kind: 'answer', result: answer.result });
  };
  const buttons = buttonAnswers(form);
  return (
    <>
      <AnswerField form={form} words={words} disabled={standing !== null} change={change} send={send} />
      <ActionRow standing={standing}>
        {buttons.map(({ label, result }) => (
          <button
            key={label}
            type="button"
            class="button choice-button"
            onClick={() => decide({ kind: 'answer', result })}
            {...lock}
          >
            {label}
          </button>
        ))}
        {buttons.length === 0 && (
          <button
            type="button"
            class={isPrimary ? 'button primary' : 'button'}
            onClick={send}
            {...lock}
            disabled={locked !== null || answer === null}
          >
            {t('Answer')}
          </button>
        )}
        <button
          type="button"
          class={buttons.length === 0 ? 'button' : 'text-button'}
          onClick={() => decide({ kind: 'skip' })}
          {...lock}
        >
          {t('Skip')}
        </button>
      </ActionRow>
    </>
  );
}

interface FieldProps {
  readonly form: AnswerForm;
  readonly words: string;
  readonly disabled: boolean;
  readonly change: (words: string) => void;
  readonly send: () => void;
}

function AnswerField(props: FieldProps): VNode | null {
  const { form, words, disabled, change, send } = props;
  switch (form.kind) {
    case 'yes_no':
    case 'buttons':
      return null;
    case 'list':
      return (
        <select
          class="text-field"
          aria-label={t('Answer')}
          disabled={disabled}
          value={words}
          onChange={(event) => change(event.currentTarget.value)}
        >
          <option value="">{t('Choose…')}</option>
          {form.choices.map((choice, index) => (
            <option key={choice} value={String(index)}>
              {choiceLabel(choice)}
            </option>
          ))}
        </select>
      );
    case 'number':
      return (
        <input
          class="text-field"
          type="number"
          step={form.whole ? 1 : 'any'}
          aria-label={t('Answer')}
          disabled={disabled}
          placeholder={form.whole ? t('A whole number') : t('A number')}
          value={words}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={(event) => sendOnEnter(event, send)}
        />
      );
    case 'text':
      return <AnswerWords {...props} />;
    default:
      return unreachable(form);
  }
}

function AnswerWords({ words, disabled, change, send }: FieldProps): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  useGrowingField(field, words);
  return (
    <textarea
      ref={field}
      class="text-field"
      rows={1}
      aria-label={t('Answer')}
      disabled={disabled}
      placeholder={t('Answer')}
      value={words}
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => sendOnEnter(event, send)}
    />
  );
}

/** As in the composer: Shift+Enter starts a new line. */
function sendOnEnter(
  event: TargetedKeyboardEvent<HTMLInputElement | HTMLTextAreaElement>,
  send: () => void,
): void {
  if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.isComposing) return;
  event.preventDefault();
  send();
}
