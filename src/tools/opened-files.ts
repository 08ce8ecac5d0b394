import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import type { Platform } from './path-syntax.ts';
import { CANCELLED, fault, ok, systemCode, systemFault, type Result } from './tool-faults.ts';
import type { WorkspacePath } from './workspace-paths.ts';

/** Opening files so that what was allowed is what is read, and so that nothing blocks. */

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly stat: BigIntStats;
  readonly size: number;
}

export function kindOfEntry(stat: {
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
  isBlockDevice(): boolean;
  isCharacterDevice(): boolean;
}): string {
  if (stat.isDirectory()) return 'folder';
  if (stat.isFIFO()) return 'named pipe';
  if (stat.isSocket()) return 'socket';
  if (stat.isBlockDevice() || stat.isCharacterDevice()) return 'device';
  return 'special file';
}

/** What is at a path now: a regular file, nothing, or something no tool opens. */
export async function statFile(path: WorkspacePath): Promise<Result<BigIntStats | undefined>> {
  let stat: BigIntStats;
  try {
    stat = await lstat(path.real, { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ok(undefined);
    return { ok: false, error: systemFault(error, path.display) };
  }
  if (stat.isFile()) return ok(stat);
  if (stat.isDirectory()) {
    return fault('is_directory', `${path.display} is a folder. Use list_files to look inside.`);
  }
  if (stat.isSymbolicLink()) return moved(path);
  return fault('not_a_file', `${path.display} is a ${kindOfEntry(stat)}, not a file with text.`);
}

/**
 * Opens a regular file for reading. The path was checked earlier, and a folder on the way may have become a
 * link since: so the opened file is compared with the path that was allowed, after opening it.
 */
export async function openFile(path: WorkspacePath, platform: Platform): Promise<Result<OpenedFile>> {
  const before = await statFile(path);
  if (!before.ok) return before;
  if (before.value === undefined) {
    return fault('not_found', `${path.display} does not exist. Use list_files to see what is there.`);
  }
  let handle: FileHandle;
  try {
    // Should a pipe or a device take the file's place right now, opening it must not wait for its other end.
    const nonBlocking = platform === 'win32' ? 0 : constants.O_NONBLOCK | constants.O_NOFOLLOW;
    handle = await open(path.real, constants.O_RDONLY | nonBlocking);
  } catch (error) {
    if (systemCode(error) === 'ELOOP') return moved(path);
    return { ok: false, error: systemFault(error, path.display) };
  }
  const checked = await checkOpened(handle, path, platform);
  if (!checked.ok) await handle.close();
  return checked;
}

async function checkOpened(
  handle: FileHandle,
  path: WorkspacePath,
  platform: Platform,
): Promise<Result<OpenedFile>> {
  try {
    const stat = await handle.stat({ bigint: true });
    if (!stat.isFile()) {
      return fault('not_a_file', `${path.display} is a ${kindOfEntry(stat)}, not a file with text.`);
    }
    if (!(await isWhereExpected(handle.fd, stat, path.real, platform))) return moved(path);
    return ok({ handle, stat, size: Number(stat.size) });
  } catch (error) {
    return { ok: false, error: systemFault(error, path.display) };
  }
}

/** Whether an open file or folder is the one at `real`, with no link on the way. */
export async function isWhereExpected(
  fd: number,
  stat: BigIntStats,
  real: string,
  platform: Platform,
): Promise<boolean> {
  if (platform === 'linux') {
    try {
      return (await readlink(`/proc/self/fd/${fd}`)) === real;
    } catch (error) {
      // Without /proc (some sandboxes) the portable comparison below has to do.
      if (systemCode(error) === undefined) throw error;
    }
  }
  try {
    const [entry, followed] = await Promise.all([lstat(real, { bigint: true }), realpath(real)]);
    return entry.dev === stat.dev && entry.ino === stat.ino && followed === real;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

export function moved(path: WorkspacePath): Result<never> {
  return fault(
    'file_changed',
    `${path.display} was replaced or moved while it was being opened. Look again and retry.`,
  );
}

const CHUNK_BYTES = 64 * 1_024;

/** The bytes of an open file, from the start, in chunks; ends early when aborted. */
export async function* chunksOf(opened: OpenedFile, signal: AbortSignal): AsyncGenerator<Buffer> {
  let position = 0;
  // One byte more than a small file has, so that a single read also tells that it ended.
  const length = Math.min(CHUNK_BYTES, Math.max(opened.size + 1, 4_096));
  while (!signal.aborted) {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await opened.handle.read(buffer, 0, length, position);
    if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    position += bytesRead;
    if (bytesRead === 0 || (bytesRead < length && position >= opened.size)) return;
  }
}

/** The whole of a file that may have at most `limit` bytes, also if it grows while it is read. */
export async function readWhole(
  path: WorkspacePath,
  options: { readonly platform: Platform; readonly limit: number; readonly signal: AbortSignal },
): Promise<Result<{ readonly bytes: Buffer; readonly stat: BigIntStats }>> {
  const opened = await openFile(path, options.platform);
  if (!opened.ok) return opened;
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    if (opened.value.size > options.limit) return tooLarge(path, opened.value.size, options.limit);
    for await (const chunk of chunksOf(opened.value, options.signal)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > options.limit) return tooLarge(path, size, options.limit);
    }
    if (options.signal.aborted) return { ok: false, error: CANCELLED };
    return ok({ bytes: Buffer.concat(chunks, size), stat: opened.value.stat });
  } catch (error) {
    return { ok: false, error: systemFault(error, path.display) };
  } finally {
    await opened.value.handle.close();
  }
}

function tooLarge(path: WorkspacePath, size: number, limit: number): Result<never> {
  return fault(
    'too_large',
    `${path.display} has ${size} bytes; this tool works up to ${limit}. Use run_command instead.`,
    { size, limit },
  );
}
