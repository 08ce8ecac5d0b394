import type { VNode } from 'preact';
import { DecidingButton } from '../deciding-button.tsx';
import { own } from '../fields.ts';
import { Icon } from '../icons.tsx';
import { t } from '../l10n.ts';
import { runAction, type Presenter } from '../presenter.ts';
import { compactionLocked, isWaiting, lastTurn, type State } from '../state.ts';
import { Meter } from './meter.tsx';
import type { CompactOffer } from './meter-panel.tsx';

const MODES: Readonly<Record<string, string>> = {
  read_only: t('Read-only'),
  ask: t('Ask'),
  auto: t('Auto'),
};

interface Props {
  readonly state: State;
  readonly presenter: Presenter;
  readonly canSend: boolean;
  /** A turn is not over, and this window may end it. */
  readonly canStop: boolean;
  readonly send: () => void;
  readonly stop: () => void;
  readonly attach: () => void;
  /** What sending now would do to the turn that is not over; empty when there is none. */
  readonly hint: string;
}

/**
 * Send turns into Stop while a turn runs or waits; with words to send, both are there. Send is the primary
 * button unless a decision is asked for: then that is.
 */
export function ComposerBar(props: Props): VNode {
  const { state, presenter, canSend, canStop, send, stop, attach, hint } = props;
  // Escape is not for a turn that waits: it has nothing in a hurry, and the key closes other things.
  const waiting = isWaiting(state);
  return (
    <div class="composer-bar">
      <button
        type="button"
        class="icon-button"
        title={t('Attach files, folders, the selection or problems (@). Files dropped here need Shift.')}
        aria-label={t('Attach')}
        // The field keeps the keyboard, and with it the place of the caret.
        onMouseDown={(event) => event.preventDefault()}
        onClick={attach}
      >
        <Icon name="mention" />
      </button>
      <p class="hint" id="composer-hint" hidden={hint === ''} title={hint}>
        {hint}
      </p>
      {hint === '' && <SettingLabels state={state} presenter={presenter} />}
      {hint === '' && <Meter pressure={state.pressure} compact={compactOffer(state)} presenter={presenter} />}
      {canStop && (
        <DecidingButton
          class="icon-button"
          title={waiting ? t('Stop: cancels what waits for you') : t('Stop (Escape)')}
          aria-label={t('Stop')}
          disabled={state.stopping !== null}
          press={stop}
        >
          <Icon name="debug-stop" />
        </DecidingButton>
      )}
      {(!canStop || canSend) && (
        <button
          type="button"
          class={waiting ? 'icon-button' : 'icon-button send'}
          title={canStop ? t('Send and interrupt (Enter)') : t('Send (Enter)')}
          aria-label={t('Send')}
          disabled={!canSend}
          onClick={send}
        >
          <Icon name="send" />
        </button>
      )}
    </div>
  );
}

/** Where nothing was said yet there is nothing to compact. */
function compactOffer(state: State): CompactOffer | null {
  return lastTurn(state) === undefined ? null : { locked: compactionLocked(state) };
}

function SettingLabels({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  if (state.session === null) return <div class="setting-labels" />;
  const { provider, model, mode } = state.session.settings;
  const offline = provider === 'offline';
  const modelName = offline ? t('Offline model') : model;
  return (
    <div class="setting-labels">
      <Picker
        words={own(MODES, mode) ?? mode}
        title={t('Permission mode: what runs without asking')}
        command="ledgerline.selectMode"
        presenter={presenter}
      />
      <Picker
        words={modelName}
        title={offline ? t('A script, not a real model. Select a model') : t('Model: {0}', model)}
        command="ledgerline.selectModel"
        presenter={presenter}
      />
    </div>
  );
}

interface PickerProps {
  readonly words: string;
  readonly title: string;
  readonly command: string;
  readonly presenter: Presenter;
}

function Picker({ words, title, command, presenter }: PickerProps): VNode {
  return (
    <button
      type="button"
      class="text-button picker"
      title={title}
      onClick={() => runAction(presenter, { label: '', command })}
    >
      <span class="picker-words">{words}</span>
      <Icon name="chevron-down" />
    </button>
  );
}
