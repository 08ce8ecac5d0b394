import { BLOB_NAME } from './blobs.ts';
import { isSessionId } from './session-paths.ts';

/** Whose a file is, by its place alone: whatever lies beside a log is its session's. */
export type Owner =
  | { readonly kind: 'session'; readonly key: string; readonly session_id: string; readonly rest: string }
  | {
      readonly kind: 'trashed';
      readonly key: string;
      readonly session_id: string;
      readonly deleted_at: number;
      readonly rest: string;
    }
  | { readonly kind: 'blob'; readonly name: string }
  | { readonly kind: 'set_aside' }
  | { readonly kind: 'draft' }
  | { readonly kind: 'cache' }
  | { readonly kind: 'other' };

const OF_SESSION = /^sessions\/(?<id>[^./]+)\.(?<rest>[^/]+)$/;
const IN_TRASH = /^trash\/(?<key>(?<id>[^./]+)\.(?<at>\d{1,16}))\.(?<rest>[^/]+)$/;
const CACHES = /^(?:session-list|storage-use)\.json(?:\..*)?$/;

export function ownerOf(path: string): Owner {
  const { id = '', rest = '' } = OF_SESSION.exec(path)?.groups ?? {};
  if (isSessionId(id)) return { kind: 'session', key: id, session_id: id, rest };
  const trashed = IN_TRASH.exec(path)?.groups ?? {};
  const { key = '', id: session_id = '', at = '', rest: ending = '' } = trashed;
  if (isSessionId(session_id))
    return { kind: 'trashed', key, session_id, deleted_at: Number(at), rest: ending };
  if (path.startsWith('blobs/') && BLOB_NAME.test(path.slice('blobs/'.length)))
    return { kind: 'blob', name: path.slice('blobs/'.length) };
  if (path.startsWith('blobs-unused/')) return { kind: 'set_aside' };
  if (/^drafts(?:\/|\.json)/.test(path)) return { kind: 'draft' };
  return { kind: CACHES.test(path) ? 'cache' : 'other' };
}

export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

const NOTHING: Amount = { count: 0, bytes: 0 };

export interface SessionUse {
  /** Its id; of one in the trash, its name there. */
  readonly key: string;
  readonly session_id: string;
  /** Null for one that is in its place. */
  readonly deleted_at: number | null;
  readonly log: number;
  /** Marks, scratch and whatever else lies beside the log; torn tails too. */
  readonly beside: number;
  readonly torn: number;
  readonly imported: boolean;
  /** Bodies that nothing else names. */
  readonly own: Amount;
  /** Bodies that something else names as well: they are counted once in the whole. */
  readonly shared: Amount;
}

export interface StorageUse {
  /** The largest first. */
  readonly sessions: readonly SessionUse[];
  readonly logs: number;
  readonly beside: number;
  readonly torn: Amount;
  /** Files of sessions in the trash, without bodies. */
  readonly trash: number;
  readonly blobs: Amount;
  /** Bodies that no file names. */
  readonly unnamed: Amount;
  readonly set_aside: Amount;
  readonly drafts: number;
  readonly caches: number;
  readonly other: number;
  readonly total: number;
}

export interface CountedFile {
  readonly path: string;
  readonly size: number;
  /** The bodies that it names. */
  readonly names: readonly string[];
}

interface Counted {
  use: SessionUse;
  /** Without one there is no session: what lies there was left by something that was cut off. */
  hasLog: boolean;
  readonly names: Set<string>;
}

/** What a session alone takes: with it, this much would be free. */
export function ownBytes({ log, beside, own }: SessionUse): number {
  return log + beside + own.bytes;
}

/** Pure: what is used by whom. A body may name others, because a field of an event that is large is one itself. */
export function storageUse(files: readonly CountedFile[]): StorageUse {
  const sessions = new Map<string, Counted>();
  const blobs = new Map<string, CountedFile>();
  const elsewhere = new Set<string>();
  const sums = { logs: 0, beside: 0, trash: 0, drafts: 0, caches: 0, other: 0 };
  let [torn, aside] = [NOTHING, NOTHING];
  for (const file of files) {
    const owner = ownerOf(file.path);
    switch (owner.kind) {
      case 'session':
      case 'trashed': {
        const counted = sessions.get(owner.key) ?? begun(owner);
        sessions.set(owner.key, counted);
        counted.use = withFile(counted.use, owner.rest, file.size);
        counted.hasLog ||= owner.rest === 'jsonl';
        for (const name of file.names) counted.names.add(name);
        if (owner.kind === 'trashed') sums.trash += file.size;
        else if (owner.rest === 'jsonl') sums.logs += file.size;
        else if (isTorn(owner.rest)) torn = plus(torn, file.size);
        else sums.beside += file.size;
        break;
      }
      case 'blob':
        blobs.set(owner.name, file);
        break;
      case 'set_aside':
        aside = plus(aside, file.size);
        break;
      case 'draft':
        sums.drafts += file.size;
        for (const name of file.names) elsewhere.add(name);
        break;
      case 'cache':
      case 'other':
        sums[owner.kind === 'cache' ? 'caches' : 'other'] += file.size;
        for (const name of file.names) elsewhere.add(name);
        break;
    }
  }
  const reached = [...sessions.values()].map(({ names }) => reachable(names, blobs));
  const namers = new Map<string, number>();
  for (const set of [...reached, reachable(elsewhere, blobs)])
    for (const name of set) namers.set(name, (namers.get(name) ?? 0) + 1);
  const uses = [...sessions.values()].flatMap(({ use, hasLog }, index) => {
    if (!hasLog) return [];
    let [own, shared] = [NOTHING, NOTHING];
    for (const name of reached[index] ?? []) {
      const size = blobs.get(name)?.size ?? 0;
      if (namers.get(name) === 1) own = plus(own, size);
      else shared = plus(shared, size);
    }
    return [{ ...use, own, shared }];
  });
  const all = [...blobs.entries()];
  const summed = (some: typeof all): Amount => some.reduce((sum, [, { size }]) => plus(sum, size), NOTHING);
  return {
    sessions: uses.toSorted((a, b) => ownBytes(b) - ownBytes(a) || (a.key < b.key ? -1 : 1)),
    ...sums,
    torn,
    blobs: summed(all),
    unnamed: summed(all.filter(([name]) => !namers.has(name))),
    set_aside: aside,
    total: files.reduce((sum, { size }) => sum + size, 0),
  };
}

function begun(owner: Extract<Owner, { kind: 'session' | 'trashed' }>): Counted {
  const { key, session_id } = owner;
  const deleted_at = owner.kind === 'trashed' ? owner.deleted_at : null;
  const files = { log: 0, beside: 0, torn: 0, imported: false };
  const use = { key, session_id, deleted_at, ...files, own: NOTHING, shared: NOTHING };
  return { use, hasLog: false, names: new Set() };
}

function withFile(use: SessionUse, rest: string, size: number): SessionUse {
  if (rest === 'jsonl') return { ...use, log: use.log + size };
  return {
    ...use,
    beside: use.beside + size,
    torn: use.torn + (isTorn(rest) ? size : 0),
    imported: use.imported || rest === 'imported.json',
  };
}

function isTorn(rest: string): boolean {
  return /^torn-\d+$/.test(rest);
}

function reachable(names: ReadonlySet<string>, blobs: ReadonlyMap<string, CountedFile>): ReadonlySet<string> {
  const found = new Set([...names].filter((name) => blobs.has(name)));
  // It grows while it is gone through.
  for (const name of found)
    for (const next of blobs.get(name)?.names ?? []) if (next !== name && blobs.has(next)) found.add(next);
  return found;
}

function plus({ count, bytes }: Amount, size: number): Amount {
  return { count: count + 1, bytes: bytes + size };
}
