import type { VNode } from 'preact';
import { translated } from './l10n.ts';
import { lockOf } from './offer.ts';
import { runAction, type Presenter } from './presenter.ts';
import type { Action } from './transcript.ts';

/** These write to the log. */
const OF_WRITERS: readonly string[] = ['ledgerline.retryTurn', 'ledgerline.continueTurn'];

interface Props {
  readonly actions: readonly Action[];
  /** Why nothing can be written here; null when it can. */
  readonly locked?: string | null;
  readonly presenter: Presenter;
}

/** What to do next, most likely first. Never primary: approving is. */
export function ActionButtons(props: Props): VNode | null {
  if (props.actions.length === 0) return null;
  return (
    <div class="actions">
      {props.actions.map((action) => (
        <button
          key={`${action.command} ${action.label}`}
          type="button"
          class="button"
          {...lockOf(OF_WRITERS.includes(action.command) ? (props.locked ?? null) : null)}
          // The second click of a double click is no second wish.
          onClick={({ detail }) => detail <= 1 && runAction(props.presenter, action)}
        >
          {translated(action.label)}
        </button>
      ))}
    </div>
  );
}
