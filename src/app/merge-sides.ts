import { sha256 } from '../tools/file-replacement.ts';
import { fileSteps, type FileStep } from '../runtime/turn-changes.ts';
import { contentAfter, contentBefore, NOTHING, type ChangePorts } from './change-contents.ts';
import type { TurnLog } from './turn-log.ts';
import type { UndoRequest } from './undo-preview.ts';
import { refusalOf } from './undo-refusals.ts';

/** Three texts of a file for a merge: what the change had made, what is there now, and what was there before. */
export type MergeSides =
  | {
      readonly kind: 'sides';
      readonly path: string;
      readonly base: string;
      readonly now: string;
      readonly before: string;
      /** Of what is there now. */
      readonly now_sha256: string;
    }
  | { readonly kind: 'refused'; readonly message: string };

export async function mergeSides(
  log: TurnLog,
  { way, path }: UndoRequest & { readonly path: string },
  ports: ChangePorts,
): Promise<MergeSides> {
  const [step] = fileSteps(log.evidence.changes, way, path);
  if (step === undefined)
    return refused(`There is nothing to merge: this turn has no such change of ${path}.`);
  return sidesOf(log, step, ports);
}

/** Only of texts, and only where all of them are at hand. */
export async function sidesOf(log: TurnLog, step: FileStep, ports: ChangePorts): Promise<MergeSides> {
  const { path, change, last } = step;
  const now = await ports.tools.contentOf(path, new AbortController().signal);
  if (!now.ok) return refused(refusalOf(step, now.error).message);
  if (now.value === undefined)
    return refused(`${path} is no longer there, so there is nothing to merge with.`);
  if (sha256(now.value) === change.after_sha256)
    return refused(`${path} has not changed since, so there is nothing to merge. Undo it instead.`);
  const before = await contentBefore(change, ports);
  if (before === null) return refused(`The content of ${path} before the change is no longer in storage.`);
  const base = await contentAfter(log, last, now.value, ports);
  if (base === null || base === NOTHING)
    return refused(`What ${path} was right after the change is not known any more, so it cannot be merged.`);
  const texts = [base, now.value, before].map(textOf);
  const [made, present, former] = texts;
  if (typeof made !== 'string' || typeof present !== 'string' || typeof former !== 'string')
    return refused(`${path} is not text, so it cannot be merged.`);
  return { kind: 'sides', path, base: made, now: present, before: former, now_sha256: sha256(now.value) };
}

/** Null for bytes that an editor would not give back as they are. */
function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

function refused(message: string): MergeSides {
  return { kind: 'refused', message };
}
