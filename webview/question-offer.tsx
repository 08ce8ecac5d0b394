import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { rangeWords } from '../src/presenter/expected-answer.ts';
import { ActionRow } from './action-row.tsx';
import { AnswerField } from './answer-field.tsx';
import {
  ALONE,
  answerForm,
  choiceLabel,
  presetWords,
  typedAnswer,
  type FormField,
  type Words,
} from './answer-form.ts';
import { DecidingButton } from './deciding-button.tsx';
import { own } from './fields.ts';
import { t, translated } from './l10n.ts';
import { lockOf, type OfferProps } from './offer.ts';
import { keepAnswer, readKept } from './vscode-api.ts';

export function QuestionOffer({ suspension, isPrimary, locked, standing, decide }: OfferProps): VNode {
  const form = useMemo(() => answerForm(suspension.response_schema), [suspension.response_schema]);
  // The words of a model are shown as they are; those of a workflow are ours.
  const inWords = suspension.reason === 'workflow_held' ? translated : String;
  const [words, setWords] = useState<Words>(() => ({
    ...presetWords(form),
    ...own(readKept().answers, suspension.id),
  }));
  const lock = lockOf(locked);
  const answer = typedAnswer(form, words);
  const change = (name: string, next: string): void => {
    const all = { ...words, [name]: next };
    setWords(all);
    keepAnswer(suspension.id, all);
  };
  const send = (): void => {
    if (answer !== null && locked === null) decide({ kind: 'answer', result: answer.result });
  };
  const common = { disabled: standing !== null, send };
  return (
    <>
      {form.kind === 'field' && (
        <AnswerField
          {...common}
          control={form.control}
          id={`answer-${suspension.id}`}
          label={t('Your answer')}
          words={words[ALONE] ?? ''}
          change={(next) => change(ALONE, next)}
        />
      )}
      {form.kind === 'fields' &&
        form.fields.map((field, index) => (
          <LabelledField
            {...common}
            key={field.name}
            field={{ ...field, label: inWords(field.label), description: inWords(field.description) }}
            id={`answer-${suspension.id}-${index}`}
            words={own(words, field.name) ?? ''}
            change={(next) => change(field.name, next)}
          />
        ))}
      <ActionRow standing={standing}>
        {form.kind === 'buttons' ? (
          form.choices.map((choice) => (
            <DecidingButton
              key={choice.value}
              class="button choice-button"
              press={() => decide({ kind: 'answer', result: choice.value })}
              {...lock}
            >
              {choiceLabel(choice)}
            </DecidingButton>
          ))
        ) : (
          <DecidingButton
            class={isPrimary ? 'button primary' : 'button'}
            press={send}
            {...lock}
            disabled={locked !== null || answer === null}
          >
            {t('Answer')}
          </DecidingButton>
        )}
        <DecidingButton
          class={form.kind === 'buttons' ? 'text-button' : 'button'}
          press={() => decide({ kind: 'skip' })}
          {...lock}
        >
          {t('Skip')}
        </DecidingButton>
      </ActionRow>
    </>
  );
}

interface LabelledProps {
  readonly field: FormField;
  readonly id: string;
  readonly words: string;
  readonly disabled: boolean;
  readonly change: (words: string) => void;
  readonly send: () => void;
}

/** Several boxes are one field: their label is the legend of all of them. */
function LabelledField({ field, ...rest }: LabelledProps): VNode {
  const { control, description } = field;
  const input = <AnswerField control={control} {...rest} />;
  const name = (
    <>
      {field.label}
      {hintsOf(field) !== '' && <span class="quiet"> {hintsOf(field)}</span>}
    </>
  );
  const hint = description !== '' && <p class="quiet">{description}</p>;
  if (control.kind === 'radios' || control.kind === 'checks')
    return (
      <fieldset class="answer-field">
        <legend>{name}</legend>
        {hint}
        {input}
      </fieldset>
    );
  return (
    <div class="answer-field">
      <label for={rest.id}>{name}</label>
      {hint}
      {input}
    </div>
  );
}

function hintsOf({ control, required, nullable }: FormField): string {
  const range = control.kind === 'checks' ? rangeWords(control) : '';
  const hints = [range, required && !nullable ? '' : t('optional')].filter((hint) => hint !== '');
  return hints.length === 0 ? '' : `(${hints.join(', ')})`;
}
