import { jsonLine } from '../runtime/json-line.ts';
import { folderOf, readWhole } from './disk.ts';
import type { StorePorts } from './session-store.ts';

/** Who wanted it: a person by a command, or a setting of theirs. */
export type Why = 'person' | 'retention';

/** What is removed for good. Its title is not kept: it may be what had to go. */
export type Removal =
  | {
      readonly kind: 'session';
      readonly session_id: string;
      /** Its name in the trash. */
      readonly name: string;
      readonly deleted_at: string;
      readonly bytes: number;
      /** Bodies that go with it, where they were set aside. */
      readonly files: readonly string[];
    }
  | { readonly kind: 'contents'; readonly bytes: number; readonly files: readonly string[] };

/** What can be taken back, or never was anybody's, and is on record all the same. */
export type Change =
  | { readonly kind: 'archived'; readonly session_ids: readonly string[] }
  | { readonly kind: 'set_aside'; readonly count: number; readonly bytes: number }
  /** Removed: files that somebody who died had not finished. */
  | { readonly kind: 'unfinished'; readonly count: number; readonly bytes: number };

export interface Removed {
  readonly id: string;
  readonly at: string;
  readonly why: Why;
  readonly what: Removal;
  /** Null for one that was cut off. `called_off`: what was to go is in use again. */
  readonly end: 'finished' | 'called_off' | null;
}

export interface JournalRead {
  /** In the order in which they began. */
  readonly removals: readonly Removed[];
  /** When each session was last archived because a setting wants it. */
  readonly archived: ReadonlyMap<string, string>;
  readonly unreadable: readonly number[];
}

const NEWLINE = 0x0a;

/**
 * What was removed from a storage folder for good. A removal is on durable record before anything goes, and again once
 * all of it is gone; so one that was cut off is known, and is finished later. Only ever appended.
 */
export class StorageJournal {
  readonly path: string;

  constructor(
    private readonly ports: StorePorts,
    root: string,
  ) {
    this.path = `${root}/storage-journal.jsonl`;
  }

  /** Durable when it resolves: only then may anything go. */
  async begin(what: Removal, why: Why): Promise<string> {
    const id = this.ports.ids.next('event');
    await this.append({ id, event: 'removal_started', why, what });
    return id;
  }

  end(id: string, how: 'finished' | 'called_off'): Promise<void> {
    return this.append({ id, event: `removal_${how}` });
  }

  note(what: Change, why: Why): Promise<void> {
    return this.append({ id: this.ports.ids.next('event'), event: 'changed', why, what });
  }

  async read(): Promise<JournalRead> {
    const bytes = (await readWhole(this.ports.disk, this.path)) ?? new Uint8Array(0);
    const removals = new Map<string, Removed>();
    const archived = new Map<string, string>();
    const unreadable: number[] = [];
    for (const [index, line] of new TextDecoder().decode(bytes).split('\n').entries()) {
      if (line === '') continue;
      const entry = parsed(line);
      if (entry === null) unreadable.push(index + 1);
      else if (entry.event === 'removal_started') removals.set(entry.removed.id, entry.removed);
      else if (entry.event === 'ended') {
        const known = removals.get(entry.id);
        if (known !== undefined) removals.set(entry.id, { ...known, end: entry.end });
      } else for (const id of entry.archived) archived.set(id, entry.at);
    }
    return { removals: [...removals.values()], archived, unreadable };
  }

  private async append(entry: object): Promise<void> {
    const { disk, clock } = this.ports;
    const before = await disk.stat(this.path);
    if (before === null) await disk.makeFolder(folderOf(this.path));
    const file = await disk.open(this.path, 'append');
    try {
      const size = await file.size();
      const last = size === 0 ? NEWLINE : (await file.read(size - 1, 1))[0];
      // What another left unfinished becomes a line of its own.
      const start = last === NEWLINE ? '' : '\n';
      const ts = new Date(clock.now()).toISOString();
      await file.append(new TextEncoder().encode(`${start}${jsonLine({ v: 1, ts, ...entry })}\n`));
      await file.sync();
    } finally {
      await file.close();
    }
    if (before === null) await disk.syncFolder(folderOf(this.path));
  }
}

type Entry =
  | { readonly event: 'removal_started'; readonly removed: Removed }
  | { readonly event: 'ended'; readonly id: string; readonly end: 'finished' | 'called_off' }
  | { readonly event: 'changed'; readonly at: string; readonly archived: readonly string[] };

function parsed(line: string): Entry | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null || !('event' in value && 'id' in value)) return null;
  if (typeof value.id !== 'string') return null;
  const { id } = value;
  switch (value.event) {
    case 'removal_started': {
      const what = 'what' in value ? removalOf(value.what) : null;
      if (what === null || !('ts' in value) || typeof value.ts !== 'string') return null;
      const why = 'why' in value && value.why === 'retention' ? 'retention' : 'person';
      return { event: 'removal_started', removed: { id, at: value.ts, why, what, end: null } };
    }
    case 'removal_finished':
      return { event: 'ended', id, end: 'finished' };
    case 'removal_called_off':
      return { event: 'ended', id, end: 'called_off' };
    case 'changed':
      return { event: 'changed', ...archivedIn(value) };
    default:
      return null;
  }
}

function archivedIn(value: object): { readonly at: string; readonly archived: readonly string[] } {
  const at = 'ts' in value && typeof value.ts === 'string' ? value.ts : '';
  const what: unknown = 'what' in value ? value.what : null;
  if (typeof what !== 'object' || what === null || !('session_ids' in what)) return { at, archived: [] };
  const { session_ids: ids } = what;
  return { at, archived: Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [] };
}

function removalOf(value: unknown): Removal | null {
  if (typeof value !== 'object' || value === null || !('kind' in value && 'bytes' in value)) return null;
  const { kind, bytes } = value;
  const files = 'files' in value && Array.isArray(value.files) ? value.files : null;
  if (typeof bytes !== 'number' || files === null || !files.every((one) => typeof one === 'string'))
    return null;
  if (kind === 'contents') return { kind, bytes, files };
  if (kind !== 'session' || !('session_id' in value && 'name' in value && 'deleted_at' in value)) return null;
  const { session_id, name, deleted_at } = value;
  if (typeof session_id !== 'string' || typeof name !== 'string' || typeof deleted_at !== 'string')
    return null;
  return { kind, session_id, name, deleted_at, bytes, files };
}
