import type { VNode } from 'preact';
import { DecidingButton } from './deciding-button.tsx';
import { translated } from './l10n.ts';
import { runAction, type Presenter } from './presenter.ts';
import type { Action } from './transcript.ts';

/** What to do next, most likely first. Never primary: approving is. */
export function ActionButtons(props: { actions: readonly Action[]; presenter: Presenter }): VNode | null {
  if (props.actions.length === 0) return null;
  return (
    <div class="actions">
      {props.actions.map((action) => (
        <DecidingButton
          key={`${action.command} ${action.label}`}
          class="button"
          press={() => runAction(props.presenter, action)}
        >
          {translated(action.label)}
        </DecidingButton>
      ))}
    </div>
  );
}
