import type { VNode } from 'preact';
import { DecidingButton } from './deciding-button.tsx';
import { translated } from './l10n.ts';
import { lockOf } from './offer.ts';
import { runAction, type Presenter } from './presenter.ts';
import type { Action } from './transcript.ts';

interface Props {
  readonly actions: readonly Action[];
  /** The turn that they go on with. */
  readonly turnId?: string;
  /** Why nothing can be written here; null when it can. */
  readonly locked?: string | null;
  readonly presenter: Presenter;
}

/** What to do next, most likely first. Never primary: approving is. */
export function ActionButtons({ actions, turnId, locked = null, presenter }: Props): VNode | null {
  if (actions.length === 0) return null;
  return (
    <div class="actions">
      {actions.map((action) => (
        <DecidingButton
          key={`${action.command} ${action.label}`}
          class="button"
          {...lockOf(GOES_ON.has(action.command) ? locked : null)}
          press={() => runAction(presenter, meant(action, turnId))}
        >
          {translated(action.label)}
        </DecidingButton>
      ))}
    </div>
  );
}

/** These go on with a turn, and so write to its log. */
const GOES_ON: ReadonlySet<string> = new Set(['ledgerline.retryTurn', 'ledgerline.continueTurn']);

/** Says which turn is meant: by the time it is heard there may be another, and then nothing is to be done. */
function meant(action: Action, turnId: string | undefined): Action {
  return turnId === undefined || !GOES_ON.has(action.command) ? action : { ...action, args: [turnId] };
}
