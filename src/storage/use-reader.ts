import { setImmediate as nextTurn } from 'node:timers/promises';
import { readNames } from './blob-names.ts';
import { DiskError, readWhole, replaceFile } from './disk.ts';
import type { StorePorts } from './session-store.ts';
import { storageUse, type CountedFile, type StorageUse } from './storage-use.ts';
import { isNaming, storedFiles, type StoredFile } from './stored-files.ts';

/** What is known of a file: the names in its first bytes. */
interface Known {
  readonly identity: string;
  readonly size: number;
  readonly modified_ms: number;
  readonly names: readonly string[];
}

export interface UseRead {
  readonly use: StorageUse;
  /** Files that the disk did not give: what they name is not known. */
  readonly unreadable: readonly string[];
}

const CACHE_VERSION = 1;
/** Of one file. Text may be full of digits that are no names; those of bodies that there are always count. */
const MOST_NAMES = 10_000;
/** So many files are looked at between two turns of the program. */
const AT_A_STRETCH = 50;

/**
 * How much of a storage folder is whose. Reads each file for names once, and of one that grew only what is new: logs are
 * only appended to. What it knows is kept in a cache; without it, everything is read again. Who removes bodies does not
 * rely on it.
 */
export class StorageUseReader {
  private readonly path: string;
  private known: Map<string, Known> | null = null;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ports: StorePorts,
    private readonly root: string,
  ) {
    this.path = `${root}/storage-use.json`;
  }

  /** Rejects when it is called off. */
  read(signal: AbortSignal): Promise<UseRead> {
    const done = this.turn.then(() => this.readNow(signal));
    this.turn = done.catch(() => undefined);
    return done;
  }

  private async readNow(signal: AbortSignal): Promise<UseRead> {
    const before = (this.known ??= await this.readCache());
    const { files } = await storedFiles(this.ports.disk, this.root, signal);
    const blobs = new Set(files.flatMap(({ path }) => (path.startsWith('blobs/') ? [path.slice(6)] : [])));
    const known = new Map<string, Known>();
    const counted: CountedFile[] = [];
    const unreadable: string[] = [];
    let fresh = 0;
    for (const [index, file] of files.entries()) {
      if (index % AT_A_STRETCH === 0) await nextTurn();
      signal.throwIfAborted();
      const { path, size } = file;
      if (!isNaming(path) && !path.startsWith('blobs/')) {
        counted.push({ path, size, names: [] });
        continue;
      }
      const told = before.get(path);
      const now = isUnchanged(told, file) ? told : await this.look(file, told, blobs, signal);
      if (now === 'gone') continue;
      if (now === 'unreadable') unreadable.push(path);
      else known.set(path, now);
      if (now !== told) fresh += 1;
      counted.push({ path, size, names: now === 'unreadable' ? [] : now.names });
    }
    this.known = known;
    if (fresh > 0 || known.size !== before.size) await this.writeCache(known);
    return { use: storageUse(counted), unreadable };
  }

  private async look(
    file: StoredFile,
    told: Known | undefined,
    blobs: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Known | 'gone' | 'unreadable'> {
    const grew = told?.identity === file.identity && told.size <= file.size && file.path.endsWith('.jsonl');
    const names = new Set(grew ? told.names : []);
    const visit = (name: string): void => {
      if (blobs.has(name) || names.size < MOST_NAMES) names.add(name);
    };
    try {
      const from = grew ? told.size : 0;
      const size = await readNames(this.ports.disk, `${this.root}/${file.path}`, { from, signal, visit });
      return { identity: file.identity, size, modified_ms: file.modified_ms, names: [...names] };
    } catch (error) {
      if (error instanceof DiskError) return error.kind === 'missing' ? 'gone' : 'unreadable';
      throw error;
    }
  }

  private async readCache(): Promise<Map<string, Known>> {
    try {
      const bytes = await readWhole(this.ports.disk, this.path);
      const value: unknown = bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
      return isCache(value) ? new Map(Object.entries(value.files).filter(isKnownEntry)) : new Map();
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof DiskError) return new Map();
      throw error;
    }
  }

  private async writeCache(known: ReadonlyMap<string, Known>): Promise<void> {
    const { disk, ids, warn } = this.ports;
    const bytes = new TextEncoder().encode(
      JSON.stringify({ v: CACHE_VERSION, files: Object.fromEntries(known) }),
    );
    try {
      await disk.makeFolder(this.root);
      const temporary = `${this.path}.${ids.next('event')}.tmp`;
      await replaceFile(disk, this.path, bytes, { temporary, durable: false });
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      warn(`what is known of the storage could not be kept: ${error.message}`);
    }
  }
}

function isUnchanged(told: Known | undefined, file: StoredFile): told is Known {
  return (
    told !== undefined &&
    told.identity === file.identity &&
    told.size === file.size &&
    // What a body says never changes; when it was last wanted does.
    (told.modified_ms === file.modified_ms || file.path.startsWith('blobs/'))
  );
}

function isCache(value: unknown): value is { readonly files: Readonly<Record<string, unknown>> } {
  if (typeof value !== 'object' || value === null || !('v' in value && 'files' in value)) return false;
  return value.v === CACHE_VERSION && typeof value.files === 'object' && value.files !== null;
}

function isKnownEntry(entry: [string, unknown]): entry is [string, Known] {
  const [, value] = entry;
  if (typeof value !== 'object' || value === null) return false;
  const known: Partial<Record<keyof Known, unknown>> = value;
  return (
    typeof known.identity === 'string' &&
    typeof known.size === 'number' &&
    typeof known.modified_ms === 'number' &&
    Array.isArray(known.names) &&
    known.names.every((name) => typeof name === 'string')
  );
}
