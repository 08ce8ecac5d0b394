import type { VNode } from 'preact';
import { runAction, type Presenter } from './presenter.ts';
import type { Action } from './transcript.ts';

/** What to do next, most likely first. Never primary: approving is. */
export function ActionButtons(props: { actions: readonly Action[]; presenter: Presenter }): VNode | null {
  if (props.actions.length === 0) return null;
  return (
    <div class="actions">
      {props.actions.map((action) => (
        <button
          key={`${action.command} ${action.label}`}
          type="button"
          class="button"
          onClick={() => runAction(props.presenter, action)}
        >
          {action.label}
        </button>
      ))}
    </div>
  );
}
