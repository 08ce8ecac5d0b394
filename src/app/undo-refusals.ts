import { FILE_CHANGED } from '../runtime/change-facts.ts';
import type { ToolError } from '../runtime/events.ts';
import { text } from '../runtime/loose-fields.ts';
import type { FileStep, Way } from '../runtime/turn-changes.ts';

/** Pure: why a file is not put back, or not wholly, in words. */

export interface Refusal {
  readonly path: string;
  readonly kind: string;
  readonly message: string;
  /** It has changed since, and all that a merge needs is at hand. */
  readonly can_merge?: boolean;
}

export function contentMissing({ path }: FileStep): Refusal {
  return { path, kind: 'content_missing', message: `${path}: its former content is no longer in storage.` };
}

/** What is typed in an editor is a change as well. */
export function unsavedChanges({ path }: Pick<FileStep, 'path'>): Refusal {
  const message = `${path}: has changes in an editor that are not saved, so it was left as it is. Save or revert them first.`;
  return { path, kind: 'unsaved_changes', message };
}

type Fault = Pick<ToolError, 'kind' | 'message'> & { readonly details?: unknown };

export function refusalOf(step: FileStep, fault: Fault): Refusal {
  return fault.kind === 'file_gone'
    ? gone(step)
    : { path: step.path, kind: fault.kind, message: wordsFor(step, fault) };
}

/** What a tool says of it is said to a model. */
function wordsFor({ path, change }: FileStep, { kind, message, details }: Fault): string {
  switch (kind) {
    case FILE_CHANGED:
      return change.after_sha256 === null
        ? `${path}: there is another file of this name by now, so it was left as it is.`
        : `${path}: changed since, so it was left as it is.`;
    case 'is_directory':
      return `${path}: there is a folder of this name by now, so it was left as it is.`;
    case 'not_found':
      return `${path}: a part of its path is no folder any more, so it was left as it is.`;
    case 'denied_path':
      return `${path}: may hold secrets or belongs to version control, so it was left as it is.`;
    case 'invalid_path':
    case 'outside_workspace':
      return `${path}: is in none of the folders that are open here. Open them as they were in that turn, then try again.`;
    case 'io_error':
      return `${path}: ${diskWords(text(details, 'code')) ?? message}`;
    default:
      return message;
  }
}

function diskWords(code: string): string | null {
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return 'must not be written here. Change its permissions, then try again.';
  return ['ENOSPC', 'EDQUOT'].includes(code) ? 'the disk is full. Free some space, then try again.' : null;
}

function gone({ path, way, change }: FileStep): Refusal {
  const kind = 'file_gone';
  if (change.before_sha256 === null) {
    const message = `${path}: no longer there, so there is nothing to take back. If you renamed or moved it, delete it where it is now.`;
    return { path, kind, message };
  }
  return {
    path,
    kind,
    message:
      way === 'undo'
        ? `${path}: no longer there. It was deleted, renamed or moved since: put it back under this name, then undo again.`
        : `${path}: no longer there. It was deleted, renamed or moved since: put it back under this name, then redo again.`,
  };
}

/** A fork has what calls gave, and not what they changed. */
export const OF_PARENT =
  'This turn is from the session that this one was forked from. What it changed is on record there, and is undone there.';

/** That it is asked for, for the log. */
export function requestWords(way: Way, paths: readonly string[]): string {
  const names = paths.join(', ');
  return way === 'undo' ? `Undo was asked for: ${names}.` : `Redo was asked for: ${names}.`;
}

export function partly({ path, way }: FileStep): Refusal {
  return way === 'undo'
    ? {
        path,
        kind: 'partly_undone',
        message: `${path}: something else changed it between the edits, so only those after that were taken back.`,
      }
    : {
        path,
        kind: 'partly_redone',
        message: `${path}: something else changed it between the undos, so only those after that were taken back.`,
      };
}

interface Words {
  readonly nothing: string;
  readonly some: string;
  readonly untrusted: string;
  readonly under_way: string;
  readonly unknown_turn: string;
}

/** What is said when nothing, or not all, was done. */
export const WORDS: Readonly<Record<Way, Words>> = {
  undo: {
    nothing: 'Nothing was undone.',
    some: 'Not everything was undone.',
    untrusted: 'This workspace is not trusted, so no file in it is changed. Nothing was undone.',
    under_way: 'A turn is still under way or waits for you. End it first; nothing was undone.',
    unknown_turn: 'This session has no such turn. Nothing was undone.',
  },
  redo: {
    nothing: 'Nothing was redone.',
    some: 'Not everything was redone.',
    untrusted: 'This workspace is not trusted, so no file in it is changed. Nothing was redone.',
    under_way: 'A turn is still under way or waits for you. End it first; nothing was redone.',
    unknown_turn: 'This session has no such turn. Nothing was redone.',
  },
};
