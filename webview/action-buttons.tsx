import type { VNode } from 'preact';
import { DecidingButton } from './deciding-button.tsx';
import { translated } from './l10n.ts';
import { lockOf } from './offer.ts';
import { runAction, type Presenter } from './presenter.ts';
import type { Action } from './actions.ts';

interface Props {
  readonly actions: readonly Action[];
  /** The turn that they go on with. */
  readonly turnId?: string;
  /** Why nothing can be written here; null when it can. */
  readonly locked?: string | null;
  /** Why nothing can be compacted here; null when it can. */
  readonly compactionLocked?: string | null;
  readonly presenter: Presenter;
}

/** What to do next, most likely first. Never primary: approving is. */
export function ActionButtons(props: Props): VNode | null {
  const { actions, turnId, presenter } = props;
  if (actions.length === 0) return null;
  return (
    <div class="actions">
      {actions.map((action) => (
        <DecidingButton
          key={`${action.command} ${action.label}`}
          class="button"
          {...lockOf(reasonAgainst(action, props))}
          press={() => runAction(presenter, meant(action, turnId))}
        >
          {translated(action.label)}
        </DecidingButton>
      ))}
    </div>
  );
}

/** These go on with a turn. */
const GOES_ON: ReadonlySet<string> = new Set(['ledgerline.retryTurn', 'ledgerline.continueTurn']);

/** These give a child or a workflow more to do, or take it away. */
const MANAGES: ReadonlySet<string> = new Set([
  'ledgerline.stopAgent',
  'ledgerline.resumeAgent',
  'ledgerline.discardAgent',
  'ledgerline.resumeWorkflow',
]);

const COMPACTS: ReadonlySet<string> = new Set(['ledgerline.compact', 'ledgerline.compactDryRun']);

/** Some are only for who writes to the log. */
function reasonAgainst(
  { command }: Action,
  { locked = null, compactionLocked = locked }: Props,
): string | null {
  if (COMPACTS.has(command)) return compactionLocked;
  return GOES_ON.has(command) || MANAGES.has(command) ? locked : null;
}

/** Says which turn is meant: by the time it is heard there may be another, and then nothing is to be done. */
function meant(action: Action, turnId: string | undefined): Action {
  return turnId === undefined || !GOES_ON.has(action.command) ? action : { ...action, args: [turnId] };
}
