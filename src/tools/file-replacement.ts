import { createHash, randomBytes } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { link, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { FileChange } from '../runtime/ports.ts';
import { PreparedFolder, type HeldFolder } from './held-folder.ts';
import { moved, readWhole, statFile } from './opened-files.ts';
import { pathsOf, type Platform } from './path-syntax.ts';
import { CANCELLED, fault, ok, systemCode, systemFault, type Result } from './tool-faults.ts';
import type { WorkspacePath } from './workspace-paths.ts';

/** Keeps bodies by their hash. The storage layer has one; `put` resolves when the bytes are durable. */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<string>;
}

export interface Replacement {
  readonly path: WorkspacePath;
  /** What was read when the change was worked out; undefined when there was no file. */
  readonly before: FileState | undefined;
  /** Undefined deletes the file. */
  readonly after: Buffer | undefined;
  /** Of a file that is there again; otherwise it has that of the file it replaces, or what the system gives. */
  readonly mode?: number | undefined;
  readonly blobs: BlobStore;
  readonly platform: Platform;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface FileState {
  readonly bytes: Buffer;
  readonly stat: BigIntStats;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The file as it is now; undefined when there is none. */
export async function readState(
  path: WorkspacePath,
  options: { readonly platform: Platform; readonly limit: number; readonly signal: AbortSignal },
): Promise<Result<FileState | undefined>> {
  const stat = await statFile(path);
  if (!stat.ok || stat.value === undefined) return stat.ok ? ok(undefined) : stat;
  return await readWhole(path, options);
}

export function refuseReadOnly(path: WorkspacePath, before: FileState | undefined): Result<void> {
  return before !== undefined && (before.stat.mode & 0o222n) === 0n
    ? fault('io_error', `${path.display} is read-only. The user has to change its permissions.`, {
        code: 'EACCES',
      })
    : ok(undefined);
}

/**
 * Replaces a file as a whole: the former bytes are kept first, the new ones are synced beside it, and only
 * if the file is still what was read are they given its name. Nothing is left behind on any other way out.
 */
export async function replaceFile(replacement: Replacement): Promise<Result<FileChange>> {
  const { path, before, after, blobs } = replacement;
  const refused = refuseReadOnly(path, before);
  if (!refused.ok) return refused;
  const beforeBlob = before === undefined ? null : await blobs.put(before.bytes);
  const folder = await openFolder(replacement);
  if (!folder.ok) return folder;
  let done = false;
  try {
    const placed = await place(folder.value.folder, replacement);
    if (!placed.ok) return placed;
    done = true;
    await folder.value.folder.sync();
  } catch (error) {
    if (!done) return { ok: false, error: systemFault(error, path.display) };
    // The new content is in place; only its durability is uncertain, and the change must be recorded.
    if (systemCode(error) === undefined) throw error;
  } finally {
    await (done ? folder.value.close() : folder.value.undo());
  }
  return ok({
    path: path.display,
    before_sha256: before === undefined ? null : sha256(before.bytes),
    after_sha256: after === undefined ? null : sha256(after),
    before_blob: beforeBlob,
    created: before === undefined,
    deleted: after === undefined,
    ...modeOf(replacement),
    ...madeFolders(path, folder.value),
  });
}

/** Content can be kept by its hash; what else a file had is gone with it. Windows has no such bits. */
function modeOf({ before, after, platform }: Replacement): Pick<FileChange, 'before_mode'> {
  if (before === undefined || after !== undefined || platform === 'win32') return {};
  return { before_mode: Number(before.stat.mode & 0o777n) };
}

function madeFolders({ display }: WorkspacePath, { made }: PreparedFolder): Pick<FileChange, 'made_folders'> {
  const above = display.split('/').slice(0, -1);
  const made_folders = made
    .map((up) => above.slice(0, above.length - up).join('/'))
    .filter((folder) => folder !== '');
  return made_folders.length === 0 ? {} : { made_folders };
}

async function openFolder({ path, platform }: Replacement): Promise<Result<PreparedFolder>> {
  try {
    const folder = await PreparedFolder.open(pathsOf(platform).dirname(path.real), platform);
    return folder === undefined ? moved(path) : ok(folder);
  } catch (error) {
    return { ok: false, error: systemFault(error, path.display) };
  }
}

async function place(folder: HeldFolder, replacement: Replacement): Promise<Result<void>> {
  const { path, before, after, mode, signal, platform } = replacement;
  const target = folder.entry(pathsOf(platform).basename(path.real));
  if (after === undefined) {
    const same = await isUnchanged(replacement, folder);
    if (same.ok) await unlink(target);
    return same;
  }
  const temporary = folder.entry(`.ledgerline-${randomBytes(8).toString('hex')}.tmp`);
  try {
    await writeTemporary(temporary, after, { like: before?.stat, mode });
    if (signal.aborted) return { ok: false, error: CANCELLED };
    const same = await isUnchanged(replacement, folder);
    if (!same.ok) return same;
    if (before === undefined) return await giveFreeName(temporary, target, path);
    await renameOver(temporary, target, platform);
    return ok(undefined);
  } finally {
    await removeIfPresent(temporary);
  }
}

async function removeIfPresent(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

async function writeTemporary(
  temporary: string,
  bytes: Buffer,
  { like, mode }: { readonly like: BigIntStats | undefined; readonly mode: number | undefined },
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  // Never more open than the file it replaces, not even for a moment.
  const handle = await open(
    temporary,
    flags,
    like === undefined ? (mode ?? 0o666) : Number(like.mode & 0o777n),
  );
  try {
    await handle.writeFile(bytes);
    if (like !== undefined) await adopt(handle, like);
    else if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Owner and mode of the file that is replaced. Only root may give a file away; for others it is theirs. */
async function adopt(handle: FileHandle, like: BigIntStats): Promise<void> {
  const own = await handle.stat({ bigint: true });
  if (own.uid !== like.uid || own.gid !== like.gid) {
    try {
      await handle.chown(Number(like.uid), Number(like.gid));
    } catch (error) {
      if (systemCode(error) !== 'EPERM') throw error;
    }
  }
  await handle.chmod(Number(like.mode & 0o7777n));
}

async function isUnchanged(replacement: Replacement, folder: HeldFolder): Promise<Result<void>> {
  const { path, before } = replacement;
  if (!(await folder.isInPlace())) return moved(path);
  const now = await readState(path, replacement);
  if (!now.ok) return now.error.kind === 'too_large' ? changed(path) : now;
  const same =
    before === undefined || now.value === undefined
      ? before === now.value
      : now.value.bytes.equals(before.bytes);
  return same ? ok(undefined) : changed(path);
}

function changed(path: WorkspacePath): Result<never> {
  return fault('file_changed', `${path.display} was changed by someone else meanwhile. Read it again.`);
}

/** A link never takes the place of a file that appeared meanwhile; a rename would. */
async function giveFreeName(temporary: string, target: string, path: WorkspacePath): Promise<Result<void>> {
  try {
    await link(temporary, target);
    return ok(undefined);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return changed(path);
    if (!NO_HARD_LINKS.has(code ?? '')) throw error;
  }
  const handle = await open(target, 'wx').catch((error: unknown) => {
    if (systemCode(error) === 'EEXIST') return undefined;
    throw error;
  });
  if (handle === undefined) return changed(path);
  await handle.close();
  await rename(temporary, target);
  return ok(undefined);
}

/** What file systems without hard links (FAT, some network shares) answer. */
const NO_HARD_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

const RENAME_DELAYS_MS = [10, 30, 100, 300, 600];

/** Windows refuses while a scanner or an editor has the file open, mostly for a moment only. */
async function renameOver(from: string, to: string, platform: Platform): Promise<void> {
  for (const wait of platform === 'win32' ? RENAME_DELAYS_MS : []) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '')) throw error;
    }
    await delay(wait);
  }
  await rename(from, to);
}
