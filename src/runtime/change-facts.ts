import { field, list, numberOrNull, text, textOrNull } from './loose-fields.ts';

/** Pure: what the log says of the files of a turn, of what was taken back, and of what was to be. */

export interface ChangeFact {
  readonly call_id: string;
  readonly path: string;
  readonly before_sha256: string | null;
  readonly after_sha256: string | null;
  readonly before_blob: string | null;
  /** Of a file that was deleted; null where it is not known. */
  readonly before_mode: number | null;
  /** Lines; null where it is not known. */
  readonly added: number | null;
  readonly removed: number | null;
  /** The calls whose changes this one takes back; empty for what a call did. */
  readonly undo_of: readonly string[];
  /** The calls whose changes stand again with this one, because it takes an undo back. */
  readonly redo_of: readonly string[];
}

export interface UndoFacts {
  readonly changes: readonly ChangeFact[];
  /** Files that were to be put back, and of which the log does not say that they were. */
  readonly undo_open: readonly string[];
  /** The same of files whose undo was to be taken back. */
  readonly redo_open: readonly string[];
  /** Files that an undo last left as they are, because something else had changed them, and that can be merged. */
  readonly undo_mergeable: readonly string[];
  /** The same of files whose undo was to be taken back. */
  readonly redo_mergeable: readonly string[];
  /** Files that a merge was opened for since. */
  readonly merge_opened: readonly string[];
}

export const NO_UNDO_FACTS: UndoFacts = {
  changes: [],
  undo_open: [],
  redo_open: [],
  undo_mergeable: [],
  redo_mergeable: [],
  merge_opened: [],
};

/** Codes of a `diagnostic`: files are about to be put back, or their undo taken back; some of them were not. */
export const UNDO_REQUESTED = 'undo_requested';
export const UNDO_REFUSED = 'undo_refused';
export const REDO_REQUESTED = 'redo_requested';
export const REDO_REFUSED = 'redo_refused';
/** A file that has changed since is shown beside what it was: nothing is changed by that. */
export const MERGE_OPENED = 'undo_merge_opened';
/** Kind of the refusal of a file that is not what the last change made of it. */
export const FILE_CHANGED = 'file_changed';

export function afterChange(facts: UndoFacts, data: object): UndoFacts {
  const path = text(data, 'path');
  const change: ChangeFact = {
    call_id: text(data, 'call_id'),
    path,
    before_sha256: textOrNull(data, 'before_sha256'),
    after_sha256: textOrNull(data, 'after_sha256'),
    before_blob: textOrNull(data, 'before_blob'),
    before_mode: numberOrNull(data, 'before_mode'),
    added: numberOrNull(data, 'added'),
    removed: numberOrNull(data, 'removed'),
    undo_of: words(data, 'undo_of'),
    redo_of: words(data, 'redo_of'),
  };
  const changes = [...facts.changes, change];
  return isMade(change) ? { ...facts, changes } : { ...without(facts, [path]), changes };
}

export function isMade({ undo_of, redo_of }: ChangeFact): boolean {
  return undo_of.length === 0 && redo_of.length === 0;
}

/** The same object where the event says nothing about an undo. */
export function afterDiagnostic(facts: UndoFacts, data: object): UndoFacts {
  const details = field(data, 'details');
  const paths = words(details, 'paths');
  const rest = without(facts, paths);
  switch (text(data, 'code')) {
    case UNDO_REQUESTED:
      return { ...rest, undo_open: [...rest.undo_open, ...paths] };
    case REDO_REQUESTED:
      return { ...rest, redo_open: [...rest.redo_open, ...paths] };
    case UNDO_REFUSED:
      return { ...rest, undo_mergeable: [...rest.undo_mergeable, ...mergesIn(details)] };
    case REDO_REFUSED:
      return { ...rest, redo_mergeable: [...rest.redo_mergeable, ...mergesIn(details)] };
    case MERGE_OPENED:
      return {
        ...facts,
        merge_opened: [...facts.merge_opened.filter((path) => !paths.includes(path)), ...paths],
      };
    default:
      return facts;
  }
}

function mergesIn(details: unknown): readonly string[] {
  const merges = list(details, 'refusals').filter((one) => field(one, 'can_merge') === true);
  return merges.map((one) => text(one, 'path'));
}

function words(data: unknown, key: string): readonly string[] {
  return list(data, key).filter((one) => typeof one === 'string');
}

function without(facts: UndoFacts, paths: readonly string[]): UndoFacts {
  const others = (of: readonly string[]): readonly string[] => of.filter((path) => !paths.includes(path));
  return {
    changes: facts.changes,
    undo_open: others(facts.undo_open),
    redo_open: others(facts.redo_open),
    undo_mergeable: others(facts.undo_mergeable),
    redo_mergeable: others(facts.redo_mergeable),
    merge_opened: others(facts.merge_opened),
  };
}
