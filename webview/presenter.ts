import type { PresenterMessage } from '../src/presenter/protocol.ts';
import type { Gesture } from './store.ts';
import type { Action } from './transcript.ts';

type WithoutVersion<T> = T extends unknown ? Omit<T, 'v'> : never;

/** What a component can do: speak to the host, and change the view at once. */
export interface Presenter {
  post(message: WithoutVersion<PresenterMessage>): void;
  gesture(gesture: Gesture): void;
}

export function runAction(presenter: Presenter, { command, args }: Action): void {
  presenter.post({ type: 'run_action', command, ...(args === undefined ? {} : { args }) });
}
