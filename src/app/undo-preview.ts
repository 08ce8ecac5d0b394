import type { CommandFact } from '../runtime/turn-evidence.ts';
import { fileSteps, type FileStep, type Way } from '../runtime/turn-changes.ts';
import { mayHaveRun } from '../runtime/turn-evidence.ts';
import { contentBefore, NOTHING, type ChangePorts } from './change-contents.ts';
import type { TurnLog } from './turn-log.ts';
import { contentMissing, partly, refusalOf, unsavedChanges, type Refusal } from './undo-refusals.ts';

export interface UndoRequest {
  readonly turn_id: string;
  readonly way: Way;
  readonly path?: string | undefined;
}

/** A file as it is and as it would be; null where there is none. */
export interface PreviewedFile {
  readonly path: string;
  readonly now: Buffer | null;
  readonly next: Buffer | null;
  /** Whether a side is no text. */
  readonly is_binary: boolean;
  /** That not all of it would be taken back; null where all would. */
  readonly note: string | null;
}

/** Exactly what would be done, and what would not. Looking changes nothing. */
export interface UndoPreview extends UndoRequest {
  readonly files: readonly PreviewedFile[];
  /** Files that would be left as they are, and why. */
  readonly refusals: readonly Refusal[];
  /** Of an undo: commands of the turn that may have done something, which stays. */
  readonly commands: readonly CommandFact[];
  /** How many children may have changed files: that is in their own logs. */
  readonly children: number;
  /** Of a fork: the turn began in its parent, which has on record what it changed. */
  readonly inherited: boolean;
}

export interface PreviewPorts extends ChangePorts {
  /** Whether an editor has changes of a file that are not saved: they are changes as well. */
  readonly unsaved: (path: string) => boolean;
}

export async function undoPreview(
  log: TurnLog,
  { turn_id, way, path }: UndoRequest,
  ports: PreviewPorts,
): Promise<UndoPreview> {
  const { changes, commands, children } = log.evidence;
  const files: PreviewedFile[] = [];
  const refusals: Refusal[] = [];
  for (const step of fileSteps(changes, way, path ?? null)) {
    const seen = await previewed(step, ports);
    if ('kind' in seen) refusals.push(seen);
    else files.push(seen);
  }
  // What no undo took back is not there again either.
  const stays =
    way === 'undo' ? { commands: commands.filter(mayHaveRun), children: children.length } : NOTHING_STAYS;
  return { turn_id, way, path, files, refusals, ...stays, inherited: log.inherited };
}

const NOTHING_STAYS = { commands: [], children: 0 } as const;

async function previewed(step: FileStep, ports: PreviewPorts): Promise<PreviewedFile | Refusal> {
  const { path, change, rest } = step;
  if (ports.unsaved(path)) return unsavedChanges(step);
  const before = await contentBefore(change, ports);
  if (before === null) return contentMissing(step);
  const signal = new AbortController().signal;
  const plan = await ports.tools.undoPlan(change, before === NOTHING ? null : before, signal);
  if (!plan.ok) return refusalOf(step, plan.error);
  const { now = null, next = null } = plan.value;
  const is_binary = [now, next].some((side) => side?.includes(0) === true);
  return { path, now, next, is_binary, note: rest > 0 ? partly(step).message : null };
}
