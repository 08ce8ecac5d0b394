import type { CallPreview, FileChange, ToolOutcome } from '../runtime/ports.ts';
import {
  readState,
  refuseReadOnly,
  replaceFile,
  sha256,
  type BlobStore,
  type FileState,
} from './file-replacement.ts';
import { removeIfEmpty } from './held-folder.ts';
import { foldName, type Platform } from './path-syntax.ts';
import { describeChange } from './text-diff.ts';
import { CANCELLED, fault, ok, type Result } from './tool-faults.ts';
import type { ToolLimits } from './tool-limits.ts';
import { failed, succeeded, type ProposedChange } from './tool.ts';
import { resolvePath, type Workspace, type WorkspacePath } from './workspace-paths.ts';

/** A change that is worked out but not made: what an approval shows, and what a tool then does. */
export interface PlannedChange {
  readonly path: WorkspacePath;
  readonly before: FileState | undefined;
  readonly after: Buffer;
  /** What is said of it besides the counts, such as the number of replacements. */
  readonly note?: string;
}

export interface ChangeOptions {
  readonly workspace: Workspace;
  readonly limits: ToolLimits;
  readonly blobs: BlobStore;
}

export interface Planning {
  readonly signal: AbortSignal;
  /** What was approved, where someone was asked. */
  readonly basis: CallPreview['basis'] | undefined;
  readonly decide: (before: Buffer | undefined) => Result<{ readonly bytes: Buffer; readonly note?: string }>;
}

export async function planChange(
  path: WorkspacePath,
  { workspace, limits }: ChangeOptions,
  { signal, basis, decide }: Planning,
): Promise<Result<PlannedChange>> {
  if (signal.aborted) return { ok: false, error: CANCELLED };
  const limit = limits.writeBytes;
  const before = await readState(path, { platform: workspace.platform, limit, signal });
  if (!before.ok) return before;
  // Before anything else is said of it: that a text is not found any more is only what follows from this.
  if (basis !== undefined && basis.sha256 !== hashOf(before.value)) {
    return fault(
      'file_changed',
      `${path.display} was changed after this call was approved, so nothing was written. Call the tool again.`,
    );
  }
  const decided = decide(before.value?.bytes);
  if (!decided.ok) return decided;
  if (decided.value.bytes.length > limit) {
    return fault(
      'too_large',
      `${path.display} would have ${decided.value.bytes.length} bytes; at most ${limit}.`,
    );
  }
  const { bytes, note } = decided.value;
  if (before.value?.bytes.equals(bytes) === false) {
    const refused = refuseReadOnly(path, before.value);
    if (!refused.ok) return refused;
  }
  const planned = { path, before: before.value, after: bytes };
  return ok(note === undefined ? planned : { ...planned, note });
}

export async function makeChange(
  planned: PlannedChange,
  options: ChangeOptions,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { path, before, after } = planned;
  if (before?.bytes.equals(after) === true) {
    return succeeded(`${path.display} already has exactly this content; nothing was written.`);
  }
  const { workspace, limits, blobs } = options;
  const { platform } = workspace;
  const done = await replaceFile({ path, before, after, blobs, platform, limit: limits.writeBytes, signal });
  return done.ok
    ? {
        kind: 'success',
        output: summarise(planned, limits),
        changes: [{ ...done.value, ...lineCounts(before?.bytes, after) }],
      }
    : failed(done.error);
}

function summarise({ path, before, after, note }: PlannedChange, limits: ToolLimits): string {
  const bounds = { lines: limits.diffLines, bytes: limits.diffBytes };
  const change = describeChange(textOf(before?.bytes), textOf(after), bounds);
  const verb = before === undefined ? 'Created' : 'Changed';
  const counts = `+${change.added} -${change.removed} lines`;
  const head = `${verb} ${path.display}: ${note === undefined ? '' : `${note}, `}${counts}.`;
  return before === undefined || change.excerpt === '' ? head : `${head}\n${change.excerpt}`;
}

/** None where a side is no text: zero would be a claim. */
function lineCounts(before: Buffer | undefined, after: Buffer): Pick<FileChange, 'added' | 'removed'> {
  if (before?.includes(0) === true || after.includes(0)) return {};
  const { added, removed } = describeChange(textOf(before), textOf(after), { lines: 0, bytes: 0 });
  return { added, removed };
}

function textOf(bytes: Buffer | undefined): string {
  return bytes === undefined || bytes.includes(0) ? '' : new TextDecoder().decode(bytes);
}

function hashOf(state: FileState | undefined): string | null {
  return state === undefined ? null : sha256(state.bytes);
}

export function proposalOf({ path, before, after }: PlannedChange): ProposedChange {
  return {
    path: path.display,
    real_path: path.real,
    before: before === undefined ? null : textOf(before.bytes),
    before_sha256: hashOf(before),
    after: textOf(after),
    is_noop: before?.bytes.equals(after) === true,
  };
}

/** What is told with the question whether the change may be made. */
export function previewOf(change: ProposedChange, limits: ToolLimits): CallPreview {
  const { path, before, before_sha256, after } = change;
  const bounds = { lines: limits.previewLines, bytes: limits.diffBytes };
  const { added, removed, excerpt } = describeChange(before ?? '', after, bounds);
  // An empty diff says that nothing changes, which must be true.
  const diff = excerpt === '' && before !== null && !change.is_noop ? INVISIBLE : excerpt;
  return {
    parameters: { change: { path, created: before === null, before_sha256, added, removed, diff } },
    basis: { path, sha256: before_sha256 },
  };
}

const INVISIBLE = '[Only line ends, or bytes that are no text, change.]';

/** What an undo would make of a file; undefined where there is none, before or after. */
export interface PlannedUndo {
  readonly now: Buffer | undefined;
  readonly next: Buffer | undefined;
}

/** Works out how a recorded change is taken back, unless the file is no longer what the change made. */
export async function planUndo(
  change: FileChange,
  before: Uint8Array | null,
  options: ChangeOptions,
  signal: AbortSignal,
): Promise<Result<PlannedUndo>> {
  const checked = await checkUndo(change, before, options, signal);
  return checked.ok ? ok({ now: checked.value.now?.bytes, next: checked.value.next }) : checked;
}

/** Puts a file back to what it was before a recorded change. */
export async function undoChange(
  change: FileChange,
  before: Uint8Array | null,
  options: ChangeOptions,
  signal: AbortSignal,
): Promise<Result<FileChange>> {
  const checked = await checkUndo(change, before, options, signal);
  if (!checked.ok) return checked;
  const { path, now, next } = checked.value;
  const { workspace, limits, blobs } = options;
  const { platform } = workspace;
  const limit = limits.writeBytes;
  const mode = change.before_mode;
  return await replaceFile({ platform, limit, signal, path, before: now, after: next, mode, blobs });
}

interface CheckedUndo {
  readonly path: WorkspacePath;
  readonly now: FileState | undefined;
  readonly next: Buffer | undefined;
}

async function checkUndo(
  change: FileChange,
  before: Uint8Array | null,
  { workspace, limits }: ChangeOptions,
  signal: AbortSignal,
): Promise<Result<CheckedUndo>> {
  const path = resolvePath(workspace, change.path);
  if (!path.ok) return path;
  const { platform } = workspace;
  // What is at the end of a link is another file, whatever is in it.
  if (!isNamed(path.value, change.path, platform))
    return fault('not_a_file', `${change.path} is a link by now, so it was left as it is.`);
  const now = await readState(path.value, { platform, limit: limits.writeBytes, signal });
  if (!now.ok) return now.error.kind === 'too_large' ? changedSince(change) : now;
  if (now.value === undefined && change.after_sha256 !== null)
    return fault('file_gone', `${change.path} is no longer there, so the change was not taken back.`);
  if (hashOf(now.value) !== change.after_sha256) return changedSince(change);
  if ((before === null ? null : sha256(before)) !== change.before_sha256) {
    return fault(
      'io_error',
      `The former content of ${change.path} is not what was recorded; nothing was changed.`,
    );
  }
  const refused = refuseReadOnly(path.value, now.value);
  if (!refused.ok) return refused;
  return ok({ path: path.value, now: now.value, next: before === null ? undefined : Buffer.from(before) });
}

/** A path has the name of its folder in front of it, or has not, depending on what else is open. */
function isNamed({ root, segments }: WorkspacePath, name: string, platform: Platform): boolean {
  const inside = segments.join('/');
  return [inside, `${root.name}/${inside}`].some(
    (one) => foldName(one, platform) === foldName(name, platform),
  );
}

function changedSince({ path }: FileChange): Result<never> {
  return fault('file_changed', `${path} was changed since, so the change was not taken back.`);
}

/**
 * Removes folders, given from the outermost, as far as they are empty. Only what still is the folder of that
 * name: never a root, and nothing that a link leads to. Answers with those that are gone.
 */
export async function removeEmptyFolders(
  folders: readonly string[],
  { workspace }: Pick<ChangeOptions, 'workspace'>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const folder of folders.toReversed()) {
    const found = resolvePath(workspace, folder);
    if (!found.ok || found.value.display !== folder || found.value.segments.length === 0) continue;
    if (await removeIfEmpty(found.value.real, workspace.platform)) removed.unshift(folder);
  }
  return removed;
}

export async function currentContent(
  asked: string,
  { workspace, limits }: ChangeOptions,
  signal: AbortSignal,
): Promise<Result<Buffer | undefined>> {
  const path = resolvePath(workspace, asked);
  if (!path.ok) return path;
  const options = { platform: workspace.platform, limit: limits.writeBytes, signal };
  const state = await readState(path.value, options);
  return state.ok ? ok(state.value?.bytes) : state;
}
