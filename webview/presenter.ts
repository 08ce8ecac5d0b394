import type { PresenterMessage } from '../src/presenter/protocol.ts';
import type { Gesture } from './store.ts';
import type { Action } from './actions.ts';

type WithoutVersion<T> = T extends unknown ? Omit<T, 'v'> : never;

/** What a component can do: speak to the host, and change the view at once. */
export interface Presenter {
  post(message: WithoutVersion<PresenterMessage>): void;
  gesture(gesture: Gesture): void;
}

export function runAction(presenter: Presenter, { command, args }: Action): void {
  presenter.post({ type: 'run_action', command, ...(args === undefined ? {} : { args }) });
}

/** Opens the transcript of a child. */
export function openAgent(presenter: Presenter, childSessionId: string): void {
  runAction(presenter, { label: '', command: 'ledgerline.openAgent', args: [childSessionId] });
}

export function stopAgent(presenter: Presenter, sessionId: string, subagent_id: string): void {
  const args = [{ session_id: sessionId, subagent_id }];
  runAction(presenter, { label: '', command: 'ledgerline.stopAgent', args });
}
