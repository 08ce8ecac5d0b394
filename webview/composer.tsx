import type { RefObject, TargetedEvent, TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ComposerBar } from './composer-bar.tsx';
import { useGrowingField } from './growing-field.ts';
import type { Presenter } from './presenter.ts';
import { canWrite, hasPrompt, isRunning, isWaiting, type Draft, type State } from './state.ts';
import { keep, readKept } from './vscode-api.ts';

const NO_DRAFT: Draft = { client_turn_id: null, text: '' };

/** A prompt that was on its way at the last reload is a draft again, until the log turns out to have it. */
function restoredDraft(): Draft {
  const { draft, sending } = readKept();
  return sending === null ? { ...NO_DRAFT, text: draft } : joined(sending, { ...NO_DRAFT, text: draft });
}

function joined(first: Draft, second: Draft): Draft {
  if (second.text.trim() === '') return first;
  return first.text === second.text ? second : { ...NO_DRAFT, text: `${first.text}\n\n${second.text}` };
}

export function Composer({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  const [draft, setDraft] = useState(restoredDraft);
  const field = useRef<HTMLTextAreaElement>(null);
  const canStop = (isRunning(state) || isWaiting(state)) && canWrite(state);
  useEffect(() => keep({ draft: draft.text, sending: state.sending }), [draft, state.sending]);
  useEffect(() => {
    if (draft.client_turn_id !== null && hasPrompt(state, draft.client_turn_id)) setDraft(NO_DRAFT);
  }, [draft, state.blocks]);
  useEffect(() => {
    const { offered } = state;
    if (offered === null) return;
    setDraft((current) => joined(offered, current));
    presenter.gesture({ kind: 'draft_taken' });
    field.current?.focus();
  }, [state.offered]);
  useEffect(() => focusWithWindow(field), []);
  useGrowingField(field, draft.text);

  const send = (): void => {
    if (!canSend(state, draft)) return;
    const client_turn_id = draft.client_turn_id ?? crypto.randomUUID();
    presenter.gesture({ kind: 'sent', client_turn_id, text: draft.text });
    presenter.post({ type: 'send', client_turn_id, text: draft.text, attachments: [] });
    setDraft(NO_DRAFT);
    field.current?.focus();
  };
  const stop = (): void => {
    presenter.gesture({ kind: 'stop_requested' });
    presenter.post({ type: 'stop' });
    field.current?.focus();
  };
  const press = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <footer class="composer">
      <div class="input">
        <textarea
          ref={field}
          rows={1}
          aria-label="Message"
          aria-describedby="composer-hint"
          placeholder="Ask, or say what to change"
          value={draft.text}
          onInput={(event: TargetedEvent<HTMLTextAreaElement>) =>
            setDraft({ ...NO_DRAFT, text: event.currentTarget.value })
          }
          onKeyDown={press}
        />
        <ComposerBar
          state={state}
          presenter={presenter}
          canSend={canSend(state, draft)}
          canStop={canStop}
          send={send}
          stop={stop}
          hint={hintOf(state, draft)}
        />
      </div>
    </footer>
  );
}

function canSend(state: State, draft: Draft): boolean {
  return canWrite(state) && state.sending === null && draft.text.trim() !== '';
}

/** Said before it happens: what sending does beside starting a turn. */
function hintOf(state: State, draft: Draft): string {
  if (!canWrite(state) || draft.text.trim() === '') return '';
  if (isRunning(state)) return 'Interrupts the running answer';
  return isWaiting(state) ? 'Cancels what waits for you' : '';
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
