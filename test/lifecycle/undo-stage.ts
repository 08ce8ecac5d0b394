import { expect } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import type { Call } from './calls.ts';
import { asks, says, stage, type Stage, type Window } from './window.ts';

/** Nobody is asked: what a model wants to change is changed. */
export const AUTO = { permissionMode: 'auto' };

/** A stage for turns that change files, and for what a person takes back of them. */
export interface UndoStage extends Stage {
  /** A turn whose calls all run. */
  changed(...calls: readonly Call[]): Promise<Window>;
  turnIds(): Promise<readonly string[]>;
  /** Undoes the last turn, or takes that back: all of it, or one file. */
  take(window: Window, way: 'undo' | 'redo', path?: string): Promise<void>;
}

export function undoStage(): UndoStage {
  const on = stage();
  const turnIds: UndoStage['turnIds'] = async () =>
    (await on.of('user_message')).map(({ turn_id }) => turn_id);
  return Object.assign(on, {
    turnIds,
    async changed(...calls: readonly Call[]) {
      const window = await on.turn('Change it.', [asks(...calls), says('Done.'), says('Again.')], AUTO);
      expect(window.state).toBe('completed');
      return window;
    },
    async take(window: Window, type: 'undo' | 'redo', path?: string) {
      const turn_id = (await turnIds()).at(-1) ?? '';
      await window.receive({ type, turn_id, ...(path === undefined ? {} : { path }) });
    },
  });
}

/** What the window was last told of the changes of its turn. */
export function evidenceIn(window: Window): Extract<HostMessage, { type: 'turn_state' }>['evidence'] {
  const last = window.messages.findLast((message) => message.type === 'turn_state');
  return last?.type === 'turn_state' ? last.evidence : undefined;
}
