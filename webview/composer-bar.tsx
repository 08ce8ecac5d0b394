import type { VNode } from 'preact';
import { Icon } from './icons.tsx';
import { runAction, type Presenter } from './presenter.ts';
import { isWaiting, type State } from './state.ts';

const MODES: Readonly<Record<string, string>> = { read_only: 'Read-only', ask: 'Ask', auto: 'Auto' };

interface Props {
  readonly state: State;
  readonly presenter: Presenter;
  readonly canSend: boolean;
  /** A turn is not over, and this window may end it. */
  readonly canStop: boolean;
  readonly send: () => void;
  readonly stop: () => void;
  /** What sending now would do to the turn that is not over; empty when there is none. */
  readonly hint: string;
}

/**
 * Send turns into Stop while a turn runs or waits; with words to send, both are there. Send is the primary
 * button unless a decision is asked for: then that is.
 */
export function ComposerBar({ state, presenter, canSend, canStop, send, stop, hint }: Props): VNode {
  // Escape is not for a turn that waits: it has nothing in a hurry, and the key closes other things.
  const waiting = isWaiting(state);
  return (
    <div class="composer-bar">
      <p class="hint" id="composer-hint" hidden={hint === ''}>
        {hint}
      </p>
      {hint === '' && <SettingLabels state={state} presenter={presenter} />}
      {canStop && (
        <button
          type="button"
          class="icon-button"
          title={waiting ? 'Stop: cancels what waits for you' : 'Stop (Escape)'}
          aria-label="Stop"
          disabled={state.stopping !== null}
          onClick={stop}
        >
          <Icon name="debug-stop" />
        </button>
      )}
      {(!canStop || canSend) && (
        <button
          type="button"
          class={waiting ? 'icon-button' : 'icon-button send'}
          title={canStop ? 'Send and interrupt (Enter)' : 'Send (Enter)'}
          aria-label="Send"
          disabled={!canSend}
          onClick={send}
        >
          <Icon name="send" />
        </button>
      )}
    </div>
  );
}

function SettingLabels({ state, presenter }: { state: State; presenter: Presenter }): VNode | null {
  if (state.session === null) return null;
  const { provider, model, mode } = state.session.settings;
  const offline = provider === 'offline';
  return (
    <div class="setting-labels">
      <button
        type="button"
        class="text-button"
        title="Permission mode: what runs without asking. Opens the setting."
        onClick={() =>
          runAction(presenter, {
            label: '',
            command: 'workbench.action.openSettings',
            args: ['ledgerline.permissionMode'],
          })
        }
      >
        {MODES[mode] ?? mode}
      </button>
      <button
        type="button"
        class="text-button"
        title={
          offline ? 'A script, not a real model. Select a model…' : `${model} (${provider}). Select a model…`
        }
        onClick={() => runAction(presenter, { label: '', command: 'ledgerline.selectModel' })}
      >
        {offline ? 'Offline model' : model}
      </button>
    </div>
  );
}
