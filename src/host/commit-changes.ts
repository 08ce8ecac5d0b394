import { join, relative, sep } from 'node:path';
import type { Resolved } from '../app/attachments.ts';
import type { Attachment } from '../runtime/events.ts';
import { changedFiles, namesIn, newBinaryDiff, newFileDiff, withoutFiles } from './diff-files.ts';
import type { Repository } from './git-extension.ts';
import { bounded } from './selection-attachment.ts';

/** The changes that a commit would hold. */
export interface Changes {
  readonly staged: boolean;
  /** All of them, for those who send nothing. */
  readonly files: readonly string[];
  /** What may be sent of them; null when nothing may. */
  readonly diff: string | null;
}

/** What messages would carry; tells what may be read. */
export type LookUp = (given: readonly Attachment[]) => Promise<readonly Resolved<Attachment>[]>;

const LONGEST_DIFF = 60_000;
/** Of the files that Git knows, where there are others. */
const LONGEST_TRACKED = 40_000;
const LONGEST_NEW_FILE = 8000;
const NEW_FILES = 40;

/** What is staged, else all that the Source Control view lists; null when that is nothing. */
export async function changesOf(repository: Repository, lookUp: LookUp): Promise<Changes | null> {
  const staged = await repository.diff({ staged: true });
  if (staged.trim() !== '') {
    const { text, any } = await mayBeSent(staged, repository, lookUp);
    return { staged: true, files: changedFiles(staged), diff: any ? bounded(text, LONGEST_DIFF) : null };
  }
  const tracked = await repository.diff({ staged: false });
  const untracked = await repository.untracked();
  if (tracked.trim() === '' && untracked.length === 0) return null;
  const known = await mayBeSent(tracked, repository, lookUp);
  const added = await newFiles(untracked, repository, lookUp);
  const first = bounded(known.text, untracked.length === 0 ? LONGEST_DIFF : LONGEST_TRACKED);
  const names = untracked.map((path) => nameOf(path, repository));
  return {
    staged: false,
    files: [...changedFiles(tracked), ...names],
    diff: known.any || added.any ? first + bounded(added.text, LONGEST_DIFF - LONGEST_TRACKED) : null,
  };
}

/** What tools may not read does not leave with a diff either. */
async function mayBeSent(
  diff: string,
  { folder }: Repository,
  lookUp: LookUp,
): Promise<ReturnType<typeof withoutFiles>> {
  const names = namesIn(diff);
  const judged = await lookUp(names.map((name) => ({ kind: 'diff', path: join(folder, name), text: '' })));
  const kept = new Set(names.filter((_, index) => judged[index]?.ok === true));
  return withoutFiles(diff, (name) => kept.has(name));
}

async function newFiles(
  paths: readonly string[],
  repository: Repository,
  lookUp: LookUp,
): Promise<ReturnType<typeof withoutFiles>> {
  const read = paths.slice(0, NEW_FILES);
  const found = await lookUp(read.map((path) => ({ kind: 'file', path })));
  const diffs = found.map((one, index) => newFile(nameOf(read[index] ?? '', repository), one));
  const more = paths.length - read.length;
  const rest = more === 0 ? [] : [`[${more} more new files are left out.]\n`];
  return {
    text: [...diffs.map(({ text }) => text), ...rest].join(''),
    any: diffs.some(({ any }) => any),
  };
}

function newFile(name: string, found: Resolved<Attachment>): ReturnType<typeof withoutFiles> {
  if (found.ok && found.value.kind === 'file') {
    const { text = '' } = found.value;
    const more = text.length - LONGEST_NEW_FILE;
    const note = more > 0 ? `[${more} more characters of ${name} are left out]\n` : '';
    return { text: newFileDiff(name, text.slice(0, LONGEST_NEW_FILE)) + note, any: true };
  }
  if (found.ok ? found.value.kind === 'image' : found.code === 'attachment_not_text')
    return { text: newBinaryDiff(name), any: true };
  return { text: `[The new file ${name} is left out: it may not be sent.]\n`, any: false };
}

function nameOf(path: string, { folder }: Repository): string {
  return relative(folder, path).split(sep).join('/');
}
