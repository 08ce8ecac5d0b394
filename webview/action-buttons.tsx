import type { VNode } from 'preact';
import { DecidingButton } from './deciding-button.tsx';
import { translated } from './l10n.ts';
import { runAction, type Presenter } from './presenter.ts';
import type { Action } from './transcript.ts';

interface Props {
  readonly actions: readonly Action[];
  /** The turn that they go on with. */
  readonly turnId?: string;
  readonly presenter: Presenter;
}

/** What to do next, most likely first. Never primary: approving is. */
export function ActionButtons({ actions, turnId, presenter }: Props): VNode | null {
  if (actions.length === 0) return null;
  return (
    <div class="actions">
      {actions.map((action) => (
        <DecidingButton
          key={`${action.command} ${action.label}`}
          class="button"
          press={() => runAction(presenter, meant(action, turnId))}
        >
          {translated(action.label)}
        </DecidingButton>
      ))}
    </div>
  );
}

const OF_A_TURN: ReadonlySet<string> = new Set(['ledgerline.retryTurn', 'ledgerline.continueTurn']);

/** Says which turn is meant: by the time it is heard there may be another, and then nothing is to be done. */
function meant(action: Action, turnId: string | undefined): Action {
  return turnId === undefined || !OF_A_TURN.has(action.command) ? action : { ...action, args: [turnId] };
}
