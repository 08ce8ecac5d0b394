import type { FileChange, ToolOutcome } from '../runtime/ports.ts';
import { readState, replaceFile, sha256, type BlobStore, type FileState } from './file-replacement.ts';
import { describeChange } from './text-diff.ts';
import { CANCELLED, fault, ok, type Result } from './tool-faults.ts';
import type { ToolLimits } from './tool-limits.ts';
import { failed, succeeded, type ChangePreview } from './tool.ts';
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

export async function planChange(
  path: WorkspacePath,
  { workspace, limits }: ChangeOptions,
  signal: AbortSignal,
  decide: (before: Buffer | undefined) => Result<{ readonly bytes: Buffer; readonly note?: string }>,
): Promise<Result<PlannedChange>> {
  if (signal.aborted) return { ok: false, error: CANCELLED };
  const limit = limits.writeBytes;
  const before = await readState(path, { platform: workspace.platform, limit, signal });
  if (!before.ok) return before;
  const decided = decide(before.value?.bytes);
  if (!decided.ok) return decided;
  if (decided.value.bytes.length > limit) {
    return fault(
      'too_large',
      `${path.display} would have ${decided.value.bytes.length} bytes; at most ${limit}.`,
    );
  }
  const { bytes, note } = decided.value;
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
    ? { kind: 'success', output: summarise(planned, limits), changes: [done.value] }
    : failed(done.error);
}

function summarise({ path, before, after, note }: PlannedChange, limits: ToolLimits): string {
  const change = describeChange(textOf(before?.bytes), textOf(after), limits.diffLines);
  const verb = before === undefined ? 'Created' : 'Changed';
  const counts = `+${change.added} -${change.removed} lines`;
  const head = `${verb} ${path.display}: ${note === undefined ? '' : `${note}, `}${counts}.`;
  return before === undefined || change.excerpt === '' ? head : `${head}\n${change.excerpt}`;
}

function textOf(bytes: Buffer | undefined): string {
  return bytes === undefined || bytes.includes(0) ? '' : new TextDecoder().decode(bytes);
}

export function previewOf({ path, before, after }: PlannedChange): ChangePreview {
  return {
    path: path.display,
    real_path: path.real,
    before: before === undefined ? null : textOf(before.bytes),
    before_sha256: before === undefined ? null : sha256(before.bytes),
    after: textOf(after),
  };
}

/** Puts a file back to what it was before a recorded change, unless it is no longer what the change made. */
export async function undoChange(
  change: FileChange,
  before: Uint8Array | null,
  { workspace, limits, blobs }: ChangeOptions,
  signal: AbortSignal,
): Promise<Result<FileChange>> {
  const path = resolvePath(workspace, change.path);
  if (!path.ok) return path;
  const options = { platform: workspace.platform, limit: limits.writeBytes, signal };
  const now = await readState(path.value, options);
  if (!now.ok) return now;
  const present = now.value === undefined ? null : sha256(now.value.bytes);
  if (present !== change.after_sha256) {
    return fault('file_changed', `${change.path} was changed since, so the change was not taken back.`);
  }
  if ((before === null ? null : sha256(before)) !== change.before_sha256) {
    return fault(
      'io_error',
      `The former content of ${change.path} is not what was recorded; nothing was changed.`,
    );
  }
  const after = before === null ? undefined : Buffer.from(before);
  return await replaceFile({ ...options, path: path.value, before: now.value, after, blobs });
}
