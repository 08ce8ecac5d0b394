import type { Way } from '../runtime/turn-changes.ts';
import { isSessionId } from '../storage/session-paths.ts';
import { fieldsOf } from './diagnostics-arguments.ts';

/** Which undo is meant: by a button in the title of a preview, by a next action, by another extension. */
export interface UndoPlace {
  readonly session_id: string;
  readonly turn_id: string;
  readonly path?: string;
  /** Of a preview: what it showed. */
  readonly shown?: string;
}

export type MergePlace = Omit<UndoPlace, 'session_id' | 'shown'> & {
  readonly path: string;
  readonly way: Way;
};

const LONGEST_ID = 200;
const LONGEST_PATH = 4096;

/** Pure: as the query of a document that shows it. */
export function placeQuery({ session_id, turn_id, path, shown }: UndoPlace): string {
  const fields = {
    session_id,
    turn_id,
    ...(path === undefined ? {} : { path }),
    ...(shown === undefined ? {} : { shown }),
  };
  return new URLSearchParams(fields).toString();
}

/** Pure: null for what is none. */
export function placeOf(query: string): UndoPlace | null {
  const fields = new URLSearchParams(query);
  const session_id = fields.get('session_id') ?? '';
  const turn_id = fields.get('turn_id') ?? '';
  const path = fields.get('path');
  if (!isSessionId(session_id) || !isShort(turn_id, LONGEST_ID)) return null;
  const shown = fields.get('shown');
  const place = { session_id, turn_id, ...(isShort(shown, LONGEST_ID) ? { shown } : {}) };
  if (path === null) return place;
  return isShort(path, LONGEST_PATH) ? { ...place, path } : null;
}

/** Pure: the arguments of a button that opens a merge; null where they are of another shape. */
export function mergePlaceOf(argument: unknown): MergePlace | null {
  const fields = fieldsOf(argument);
  const turn_id = fields?.get('turn_id');
  const path = fields?.get('path');
  const way = fields?.get('way') ?? 'undo';
  if (!isShort(turn_id, LONGEST_ID) || !isShort(path, LONGEST_PATH)) return null;
  return way === 'undo' || way === 'redo' ? { turn_id, path, way } : null;
}

function isShort(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}
