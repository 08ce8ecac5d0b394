import type { LogEvent } from './events.ts';
import type { FileChange } from './ports.ts';
import type { ChangeFact } from './turn-evidence.ts';

/** Pure: what became of the files of a turn, and how its changes can be taken back. */

export interface ChangedFile {
  readonly path: string;
  /** Changes by calls, whether or not they were taken back. */
  readonly edits: number;
  /** Lines over all of them; null as soon as one is not known. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly created: boolean;
  readonly deleted: boolean;
  readonly standing: 'changed' | 'partly_undone' | 'undone';
}

/** In the order in which they were first changed. */
export function changedFiles(changes: readonly ChangeFact[]): readonly ChangedFile[] {
  return pathsOf(changes).flatMap((path) => {
    const made = madeChanges(changes, path);
    const first = made[0];
    const last = made.at(-1);
    if (first === undefined || last === undefined) return [];
    const left = activeChanges(changes, path).length;
    return [
      {
        path,
        edits: made.length,
        added: sum(made.map(({ added }) => added)),
        removed: sum(made.map(({ removed }) => removed)),
        created: first.before_sha256 === null,
        deleted: last.after_sha256 === null,
        standing: left === 0 ? 'undone' : left === made.length ? 'changed' : 'partly_undone',
      },
    ];
  });
}

/** One file put back: the changes that follow each other without a break, as if they were one. */
export interface UndoStep {
  readonly path: string;
  readonly change: FileChange;
  /** Of the last change that is taken back. */
  readonly call_id: string;
  readonly undo_of: readonly string[];
  /** Something else changed the file between the edits: what came before that stays. */
  readonly rest: number;
}

/** For each file with something to take back, or for one of them. */
export function undoSteps(changes: readonly ChangeFact[], only: string | null): readonly UndoStep[] {
  return pathsOf(changes)
    .filter((path) => only === null || path === only)
    .flatMap((path) => {
      const active = activeChanges(changes, path);
      const run = lastRun(active);
      const first = run[0];
      const last = run.at(-1);
      if (first === undefined || last === undefined) return [];
      const change: FileChange = {
        path,
        before_sha256: first.before_sha256,
        after_sha256: last.after_sha256,
        before_blob: first.before_blob,
        created: first.before_sha256 === null,
        deleted: last.after_sha256 === null,
      };
      const undo_of = run.map(({ call_id }) => call_id);
      return [{ path, change, call_id: last.call_id, undo_of, rest: active.length - run.length }];
    });
}

/** The folders above a file that calls of its turn had made, from the outermost. */
export function foldersMadeFor(path: string, events: readonly LogEvent[]): readonly string[] {
  const made = events.flatMap((event) =>
    event.type === 'file_change' && event.data.undo_of === undefined ? (event.data.made_folders ?? []) : [],
  );
  return [...new Set(made)]
    .filter((folder) => path.startsWith(`${folder}/`))
    .toSorted((one, other) => one.length - other.length);
}

/** What calls did to a file. */
export function madeChanges(changes: readonly ChangeFact[], path: string): readonly ChangeFact[] {
  return changes.filter((one) => one.path === path && one.undo_of.length === 0);
}

/** Of those, what was not taken back. */
function activeChanges(changes: readonly ChangeFact[], path: string): readonly ChangeFact[] {
  const undone = new Set(changes.filter((one) => one.path === path).flatMap(({ undo_of }) => undo_of));
  return madeChanges(changes, path).filter(({ call_id }) => !undone.has(call_id));
}

/** The changes at the end of which each starts from what the one before it left. */
function lastRun(changes: readonly ChangeFact[]): readonly ChangeFact[] {
  const breaks = changes.findLastIndex((one, at) => {
    const before = changes[at - 1];
    return before !== undefined && before.after_sha256 !== one.before_sha256;
  });
  return breaks === -1 ? changes : changes.slice(breaks);
}

function pathsOf(changes: readonly ChangeFact[]): readonly string[] {
  return [...new Set(changes.map(({ path }) => path))];
}

function sum(counts: readonly (number | null)[]): number | null {
  return counts.reduce((total, count) => (total === null || count === null ? null : total + count), 0);
}
