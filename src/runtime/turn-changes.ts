import { isMade, type ChangeFact } from './change-facts.ts';
import type { LogEvent } from './events.ts';
import type { FileChange } from './ports.ts';

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
    const left = storyOf(changes, path).standing.length;
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

/** To take the changes of a turn back, or to take such an undo back. */
export type Way = 'undo' | 'redo';

/** One file put back: the changes that follow each other without a break, as if they were one. */
export interface FileStep {
  readonly path: string;
  readonly way: Way;
  /** From what the file was before the first of them to what the last one made of it. */
  readonly change: FileChange;
  /** The last of them. */
  readonly last: ChangeFact;
  /** The calls that no longer stand then, or stand again. */
  readonly calls: readonly string[];
  /** Something else changed the file in between: what came before that stays as it is. */
  readonly rest: number;
}

/** For each file with something to take back, or for one of them. */
export function fileSteps(
  changes: readonly ChangeFact[],
  way: Way,
  only: string | null,
): readonly FileStep[] {
  return pathsOf(changes)
    .filter((path) => only === null || path === only)
    .flatMap((path) => {
      const story = storyOf(changes, path);
      const candidates = way === 'undo' ? story.standing : story.undos;
      const run = lastRun(candidates);
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
        ...(first.before_mode === null ? {} : { before_mode: first.before_mode }),
      };
      const named =
        way === 'undo' ? run.map(({ call_id }) => call_id) : run.flatMap(({ undo_of }) => undo_of);
      const calls = madeChanges(changes, path)
        .map(({ call_id }) => call_id)
        .filter((call_id) => named.includes(call_id));
      return [{ path, way, change, last, calls, rest: candidates.length - run.length }];
    });
}

/** The folders above a file that were made in its turn and are not known to be gone, from the outermost. */
export function foldersMadeFor(path: string, events: readonly LogEvent[]): readonly string[] {
  const made = new Set<string>();
  for (const event of events) {
    if (event.type !== 'file_change') continue;
    for (const folder of event.data.made_folders ?? []) made.add(folder);
    for (const folder of event.data.removed_folders ?? []) made.delete(folder);
  }
  return [...made]
    .filter((folder) => path.startsWith(`${folder}/`))
    .toSorted((one, other) => one.length - other.length);
}

/** What calls did to a file. */
export function madeChanges(changes: readonly ChangeFact[], path: string): readonly ChangeFact[] {
  return changes.filter((one) => one.path === path && isMade(one));
}

interface FileStory {
  /** What calls did and what was not taken back, in the order in which they did it. */
  readonly standing: readonly ChangeFact[];
  /** The undos that were not taken back, in the order in which they came. */
  readonly undos: readonly ChangeFact[];
}

/** One after the other: what was taken back may stand again, and be taken back once more. */
function storyOf(changes: readonly ChangeFact[], path: string): FileStory {
  const undone = new Set<string>();
  let undos: readonly ChangeFact[] = [];
  for (const one of changes) {
    if (one.path !== path) continue;
    if (one.undo_of.length > 0) undos = [...undos, one];
    for (const call of one.undo_of) undone.add(call);
    for (const call of one.redo_of) undone.delete(call);
    if (one.redo_of.length > 0)
      undos = undos.filter(({ undo_of }) => undo_of.some((call) => undone.has(call)));
  }
  const standing = madeChanges(changes, path).filter(({ call_id }) => !undone.has(call_id));
  return { standing, undos };
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
