/**
 * The disk, one call a primitive: what the real file system, the simulated one and the one that fails on
 * purpose all implement. Everything above it (leases, logs, blobs) is the same code on each.
 */
export interface Disk {
  open(path: string, how: 'read' | 'append' | 'create_new'): Promise<DiskFile>;
  /** Null when there is nothing. Cheap: asked before every append. */
  stat(path: string): Promise<FileStat | null>;
  /** The names in a folder; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** With the folders above it; the new names are durable. */
  makeFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Makes a second name, failing with `exists` when it is taken. Some file systems cannot. */
  link(from: string, to: string): Promise<void>;
  /** No error when it is already gone. */
  remove(path: string): Promise<void>;
  /** Says that a file is in use now: as if it had just been written. Fails with `missing` when there is none. */
  touch(path: string): Promise<void>;
  /** Makes names in a folder durable, where the platform has that. */
  syncFolder(path: string): Promise<void>;
}

export interface DiskFile {
  /** Writes at the end, all of it or an error. */
  append(bytes: Uint8Array): Promise<void>;
  /** Writes over the start. */
  overwrite(bytes: Uint8Array): Promise<void>;
  /** `fdatasync`. */
  sync(): Promise<void>;
  size(): Promise<number>;
  /** Up to `length` bytes; fewer at the end. In `into`, which has room for them, where the disk can do that. */
  read(offset: number, length: number, into?: Buffer): Promise<Uint8Array>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface FileStat {
  readonly size: number;
  readonly modified_ms: number;
  /** Tells one file from another that took its name. */
  readonly identity: string;
  /** Said of folders alone. */
  readonly is_folder?: true;
}

export type DiskErrorKind = 'full' | 'exists' | 'missing' | 'denied' | 'other';

export class DiskError extends Error {
  override readonly name = 'DiskError';
  constructor(
    readonly kind: DiskErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function isDiskError(error: unknown, kind: DiskErrorKind): boolean {
  return error instanceof DiskError && error.kind === kind;
}

/** A file for reading, or null when there is none. */
export async function openIfThere(disk: Disk, path: string): Promise<DiskFile | null> {
  // Most of what is asked for in this way is missing, and an open that fails costs many times as much.
  if ((await disk.stat(path)) === null) return null;
  try {
    return await disk.open(path, 'read');
  } catch (error) {
    if (isDiskError(error, 'missing')) return null;
    throw error;
  }
}

/** The whole of a file, or null when there is none. */
export async function readWhole(disk: Disk, path: string): Promise<Uint8Array | null> {
  const file = await openIfThere(disk, path);
  if (file === null) return null;
  try {
    return await file.read(0, await file.size());
  } finally {
    await file.close();
  }
}

/** Puts a file in place whole or not at all. `durable` also survives a power cut. */
export function replaceFile(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  options: { readonly temporary: string; readonly durable: boolean },
): Promise<void> {
  return replaceFileWith(disk, path, (file) => file.append(bytes), options);
}

/** The same for one that is written piece by piece: nobody has to hold all of it. */
export async function replaceFileWith(
  disk: Disk,
  path: string,
  write: (file: Pick<DiskFile, 'append'>) => Promise<void>,
  options: { readonly temporary: string; readonly durable: boolean },
): Promise<void> {
  const { temporary, durable } = options;
  // Left by one that died.
  await disk.remove(temporary);
  try {
    await createFileWith(disk, temporary, write, { durable });
    await disk.rename(temporary, path);
  } catch (error) {
    await removeQuietly(disk, temporary);
    throw error;
  }
  if (durable) await disk.syncFolder(folderOf(path));
}

/** A new file with these bytes, failing with `exists` when the name is taken. */
export function createFile(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  options: { readonly durable: boolean },
): Promise<void> {
  return createFileWith(disk, path, (file) => file.append(bytes), options);
}

async function createFileWith(
  disk: Disk,
  path: string,
  write: (file: Pick<DiskFile, 'append'>) => Promise<void>,
  options: { readonly durable: boolean },
): Promise<void> {
  const file = await disk.open(path, 'create_new');
  try {
    await write(file);
    if (options.durable) await file.sync();
  } finally {
    await file.close();
  }
}

/** For what is only in the way: a leftover that stays is not worth failing for. */
export async function removeQuietly(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));
}
