import type { RefObject, TargetedEvent, TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../l10n.ts';
import type { Presenter } from '../presenter.ts';
import { canWrite, isRunning, isWaiting, type Draft, type State } from '../state.ts';
import { ComposerBar } from './bar.tsx';
import { isOnEdgeLine } from './caret-line.ts';
import { Chips } from './chips.tsx';
import { doubtAbout } from './completion.ts';
import { DoubtNote } from './doubt-note.tsx';
import { isLost } from './draft-state.ts';
import { useGrowingField } from './growing-field.ts';
import { promptsIn, stepped } from './history.ts';
import { LIST_ID, optionId, Popup } from './popup.tsx';
import { useCompletion } from './use-completion.ts';
import { useDraft } from './use-draft.ts';
import { useIntake } from './use-intake.ts';

export function Composer({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const held = useDraft(state, presenter, () => field.current?.focus());
  const { draft, change } = held;
  const [caret, setCaret] = useState(0);
  /** The words that were not sent, because they may be meant as a command. */
  const [doubted, setDoubted] = useState<string | null>(null);
  const moveCaret = useCaret(field, setCaret);
  const completion = useCompletion({
    state,
    presenter,
    draft,
    change,
    attach: held.attach,
    caret,
    moveCaret,
  });
  const intake = useIntake({ presenter, session_id: held.session_id, attach: held.attach });
  const canStop = (isRunning(state) || isWaiting(state)) && canWrite(state);
  useEffect(() => focusWithWindow(field), []);
  useGrowingField(field, draft.text);

  const doubt = doubted === draft.text ? doubtAbout(state, draft.text) : null;
  const send = (): void => {
    if (doubtAbout(state, draft.text) === null) sendAnyway();
    else setDoubted(draft.text);
  };
  const sendAnyway = (): void => {
    if (!canSend(state, draft)) return;
    const client_turn_id = draft.client_turn_id ?? crypto.randomUUID();
    const { text } = draft;
    const attachments = draft.attachments.filter((one) => !isLost(one));
    presenter.gesture({ kind: 'sent', client_turn_id, text, attachments });
    presenter.post({
      type: 'send',
      client_turn_id,
      text,
      attachments,
    });
    held.clear();
    field.current?.focus();
  };
  const stop = (): void => {
    presenter.gesture({ kind: 'stop_requested' });
    presenter.post({ type: 'stop' });
    field.current?.focus();
  };
  const write = (text: string): void => change((now) => ({ ...now, client_turn_id: null, text }));
  const remove = (id: string): void => {
    change((now) => ({
      ...now,
      client_turn_id: null,
      attachments: now.attachments.filter((one) => one.id !== id),
    }));
    field.current?.focus();
  };
  const attach = (): void => {
    const at = field.current?.selectionStart ?? draft.text.length;
    const before = draft.text.slice(0, at);
    const sign = before === '' || /\s$/u.test(before) ? '@' : ' @';
    write(before + sign + draft.text.slice(at));
    moveCaret(at + sign.length);
    field.current?.focus();
  };
  const recall = (direction: 'back' | 'forward'): boolean => {
    const step = stepped(promptsIn(state.blocks), { walk: held.walk, text: draft.text }, direction);
    if (step === null) return false;
    held.step(step);
    moveCaret(direction === 'back' && step.text.includes('\n') ? 0 : step.text.length);
    return true;
  };
  const press = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.isComposing) return;
    const handled = completion.press(event) || pressAlone(event, event.currentTarget);
    if (!handled) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const pressAlone = (event: KeyboardEvent, target: HTMLTextAreaElement): boolean => {
    const { key, shiftKey, altKey } = event;
    const plain = !shiftKey && !altKey && !event.ctrlKey && !event.metaKey;
    if (key === 'Enter' && !shiftKey && !altKey) {
      send();
      return true;
    }
    if (key === 'ArrowUp' && plain && isOnEdgeLine(target, 'first')) return recall('back');
    if (key === 'ArrowDown' && plain && isOnEdgeLine(target, 'last')) return recall('forward');
    const last = draft.attachments.at(-1);
    // A key that is held clears the words, and stops there.
    if (key !== 'Backspace' || event.repeat || last === undefined || target.selectionEnd > 0) return false;
    remove(last.id);
    return true;
  };
  const look = ({ currentTarget }: TargetedEvent<HTMLTextAreaElement>): void =>
    setCaret(currentTarget.selectionStart);
  const isListed = completion.trigger !== null;
  return (
    <footer class="composer" {...intake.drop}>
      <div class={intake.isOver ? 'input dropping' : 'input'}>
        <Popup completion={completion} />
        {doubt !== null && <DoubtNote doubt={doubt} send={sendAnyway} />}
        <Chips chosen={draft.attachments} remove={remove} />
        <textarea
          ref={field}
          rows={1}
          aria-label={t('Message')}
          aria-describedby="composer-hint"
          aria-autocomplete="list"
          aria-controls={isListed ? LIST_ID : undefined}
          aria-activedescendant={
            isListed && completion.options.length > 0 ? optionId(completion.active) : undefined
          }
          placeholder={t('Ask, or say what to change')}
          value={draft.text}
          onInput={(event: TargetedEvent<HTMLTextAreaElement>) => {
            setCaret(event.currentTarget.selectionStart);
            write(event.currentTarget.value);
          }}
          onKeyDown={press}
          onKeyUp={look}
          onClick={look}
          onPaste={intake.paste}
          onFocus={() => completion.setFocused(true)}
          onBlur={() => completion.setFocused(false)}
        />
        <ComposerBar
          state={state}
          presenter={presenter}
          canSend={canSend(state, draft)}
          canStop={canStop}
          send={send}
          stop={stop}
          attach={attach}
          hint={hintOf(state, draft)}
        />
      </div>
    </footer>
  );
}

function canSend(state: State, draft: Draft): boolean {
  const has = draft.text.trim() !== '' || draft.attachments.some((one) => !isLost(one));
  return canWrite(state) && state.sending === null && has;
}

/** Said before it happens: what sending does beside starting a turn. */
function hintOf(state: State, draft: Draft): string {
  const lost = draft.attachments.filter(isLost).length;
  if (lost > 0) return lost === 1 ? t('1 image was not kept') : t('{0} images were not kept', lost);
  if (!canSend(state, draft)) return '';
  if (isRunning(state)) return t('Interrupts the running answer');
  return isWaiting(state) ? t('Cancels what waits for you') : '';
}

/** Puts the caret somewhere once the text that it belongs to is there, which may be the text that was there before. */
function useCaret(
  field: RefObject<HTMLTextAreaElement | null>,
  moved: (to: number) => void,
): (to: number) => void {
  const [wanted, setWanted] = useState<{ readonly to: number } | null>(null);
  useLayoutEffect(() => {
    if (wanted === null) return;
    field.current?.setSelectionRange(wanted.to, wanted.to);
    moved(wanted.to);
  }, [wanted]);
  return (to) => setWanted({ to });
}

/** When the view gets the keyboard and nothing in it has, the field does. */
function focusWithWindow(field: RefObject<HTMLTextAreaElement | null>): () => void {
  const take = (): void => {
    if (document.activeElement === document.body) field.current?.focus();
  };
  if (document.hasFocus()) take();
  window.addEventListener('focus', take);
  return () => window.removeEventListener('focus', take);
}
