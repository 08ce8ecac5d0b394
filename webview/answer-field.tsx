import type { TargetedKeyboardEvent, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { rangeWords } from '../src/presenter/expected-answer.ts';
import { checked, choiceLabel, withCheck, type Control } from './answer-form.ts';
import { useGrowingField } from './composer/growing-field.ts';
import { t } from './l10n.ts';
import { unreachable } from './unreachable.ts';

export interface FieldProps {
  readonly control: Control;
  /** Nobody else on the page has it. */
  readonly id: string;
  /** What it is called, where no label beside it says so. */
  readonly label?: string | undefined;
  readonly words: string;
  readonly disabled: boolean;
  readonly change: (words: string) => void;
  readonly send: () => void;
}

export function AnswerField(props: FieldProps): VNode {
  const { control, id, label, words, disabled, change, send } = props;
  switch (control.kind) {
    case 'radios':
    case 'checks':
      return <Boxes {...props} control={control} />;
    case 'list':
      return (
        <select
          id={id}
          class="text-field"
          aria-label={label}
          disabled={disabled}
          value={words}
          onChange={(event) => change(event.currentTarget.value)}
        >
          <option value="">{t('Choose…')}</option>
          {control.choices.map((choice, index) => (
            <option key={index} value={String(index)}>
              {choiceLabel(choice)}
            </option>
          ))}
        </select>
      );
    case 'number':
      return (
        <input
          id={id}
          class="text-field"
          type="number"
          step={control.whole ? 1 : 'any'}
          aria-label={label}
          disabled={disabled}
          placeholder={numberWords(control)}
          value={words}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={(event) => sendOnEnter(event, send)}
        />
      );
    case 'text':
      return <AnswerWords {...props} />;
    default:
      return unreachable(control);
  }
}

function numberWords(control: Extract<Control, { kind: 'number' }>): string {
  const range = rangeWords(control);
  const words = control.whole ? t('A whole number') : t('A number');
  return range === '' ? words : `${words}, ${range}`;
}

type BoxesProps = FieldProps & { readonly control: Extract<Control, { kind: 'radios' | 'checks' }> };

function Boxes({ control, id, label, words, disabled, change }: BoxesProps): VNode {
  const type = control.kind === 'radios' ? 'radio' : 'checkbox';
  const ticked = checked(words);
  return (
    <div class="boxes" id={id} role={label === undefined ? undefined : 'group'} aria-label={label}>
      {control.choices.map((choice, index) => (
        <label key={index}>
          <input
            type={type}
            name={id}
            disabled={disabled}
            checked={ticked.has(index)}
            onChange={({ currentTarget }) =>
              change(type === 'radio' ? String(index) : withCheck(words, index, currentTarget.checked))
            }
          />
          <span>{choiceLabel(choice)}</span>
        </label>
      ))}
    </div>
  );
}

function AnswerWords({ id, label, words, disabled, change, send }: FieldProps): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  useGrowingField(field, words);
  return (
    <textarea
      id={id}
      ref={field}
      class="text-field"
      rows={1}
      aria-label={label}
      disabled={disabled}
      placeholder={label}
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
  // A key that is still held was for what was here before.
  if (!event.repeat) send();
}
