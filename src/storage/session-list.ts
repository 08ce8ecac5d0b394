import type { TurnState } from '../runtime/turn.ts';
import { DiskError, readWhole, replaceFile, type FileStat } from './disk.ts';
import { leaseHolder, LeaseSight } from './lease-holder.ts';
import { NO_HEAD, readEnds, type ChildOf, type ForkOf, type LogHead } from './log-ends.ts';
import { isSessionId, sessionPaths, sessionsFolder } from './session-paths.ts';
import type { StorePorts } from './session-store.ts';

/** What a list of sessions shows of one, read from the head and the tail of its log alone. */
export interface SessionRow extends LogHead {
  readonly session_id: string;
  /** Of the last turn; null when there is none, or none that can be read. */
  readonly state: TurnState | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly size: number;
  /** What is wrong with it, as far as was read; null when nothing is. */
  readonly problem: string | null;
}

interface CachedRow {
  readonly row: SessionRow;
  /** Null for what the disk did not give: it is not kept, and looked at again. */
  readonly modified_ms: number | null;
  /** What whoever read all of the log found wrong with it. */
  readonly damage: string | null;
}

/** Rows of another shape are not read: they are made again. */
const CACHE_VERSION = 4;
/** So many rows have to differ before the cache is written again: a turn must not rewrite the whole list. */
const WORTH_WRITING = 16;
/** Logs that are read at the same time. */
const AT_ONCE = 8;

/** The sessions of a storage folder. Its file is a cache: without it, or beside it, the logs are the truth. */
export class SessionList {
  private readonly path: string;
  /** What was last listed; null before. */
  private known: Map<string, CachedRow> | null = null;
  private turn: Promise<void> = Promise.resolve();
  private readonly sights = new Map<string, LeaseSight>();
  /** Rows that the file does not have as they are. */
  private unwritten = 0;

  constructor(
    private readonly ports: StorePorts,
    private readonly root: string,
  ) {
    this.path = `${root}/session-list.json`;
  }

  /** All sessions, the last used first. With `changed`, the others are taken to be as they were. */
  list(changed?: ReadonlySet<string>): Promise<readonly SessionRow[]> {
    // One after the other: each goes on from what the one before it found.
    return this.inTurn(() => this.listNow(changed));
  }

  /** Someone has read all of a log, as it is now: what is wrong with it, or null. */
  noteDamage(sessionId: string, damage: string | null): Promise<void> {
    return this.inTurn(async () => {
      await this.listNow(new Set([sessionId]));
      const known = this.known?.get(sessionId);
      if (known === undefined || known.modified_ms === null || known.damage === damage) return;
      const rows = new Map(this.known).set(sessionId, { ...known, damage });
      this.known = rows;
      await this.writeCache([...rows.values()]);
    });
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.then(
      () => undefined,
      // Whoever asked for that one is told.
      () => undefined,
    );
    return done;
  }

  private async listNow(changed: ReadonlySet<string> | undefined): Promise<readonly SessionRow[]> {
    const cached = this.known ?? (await this.readCache());
    const partly = changed !== undefined && this.known !== null;
    const unread = [...cached.values()].filter((one) => one.modified_ms === null);
    const again = [...(changed ?? []), ...unread.map(({ row }) => row.session_id)];
    const ids = partly ? [...new Set(again)] : await this.names();
    const rows = new Map<string, CachedRow>(partly ? cached : []);
    await inParallel(ids.filter(isSessionId), async (id) => {
      const before = cached.get(id);
      const row = await this.look(id, before);
      if (row === null) {
        rows.delete(id);
        this.sights.delete(id);
      }
      if (row !== null) rows.set(id, row);
      if (row !== null && row !== before && row.modified_ms !== null) this.unwritten += 1;
    });
    this.unwritten += [...cached.keys()].filter((id) => !rows.has(id)).length;
    this.known = rows;
    const isWorthIt = this.unwritten >= WORTH_WRITING || (cached.size === 0 && rows.size > 0);
    if (isWorthIt) await this.writeCache([...rows.values()]);
    const shown = await Promise.all([...rows.values()].map((one) => this.shown(one)));
    return shown.sort(byLastUse);
  }

  private async names(): Promise<readonly string[]> {
    const names = await this.ports.disk.list(sessionsFolder(this.root));
    return names.flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : []));
  }

  /** A turn runs only while a live writer holds the lease, which the log alone cannot tell. */
  private async shown({ row: read, damage }: CachedRow): Promise<SessionRow> {
    const row = damage === null ? read : { ...read, problem: damage };
    if (row.state !== 'running') return row;
    return (await this.hasWriter(row.session_id)) ? row : { ...row, state: 'interrupted' };
  }

  /** Whether a live process has it. A lease that the disk does not give says nothing of an end. */
  async hasWriter(sessionId: string): Promise<boolean> {
    const sight = this.sights.get(sessionId) ?? new LeaseSight();
    this.sights.set(sessionId, sight);
    try {
      return (await leaseHolder(this.ports, sessionPaths(this.root, sessionId).lease, sight)).kind === 'live';
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return true;
    }
  }

  /** Null where there is no log. One that the disk does not give is listed all the same, by its id. */
  private async look(session_id: string, before: CachedRow | undefined): Promise<CachedRow | null> {
    const { log } = sessionPaths(this.root, session_id);
    let stat: FileStat | null = null;
    try {
      stat = await this.ports.disk.stat(log);
      if (stat === null) return null;
      const { size, modified_ms } = stat;
      if (before?.row.size === size && before.modified_ms === modified_ms) return before;
      const file = await this.ports.disk.open(log, 'read');
      try {
        const ends = await readEnds(session_id, file, stat);
        return { row: { ...blankRow(session_id, stat), ...ends }, modified_ms, damage: null };
      } finally {
        await file.close();
      }
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      const problem = `The log cannot be read: ${error.message}`;
      return { row: { ...blankRow(session_id, stat), problem }, modified_ms: null, damage: null };
    }
  }

  private async readCache(): Promise<Map<string, CachedRow>> {
    try {
      const bytes = await readWhole(this.ports.disk, this.path);
      const value: unknown = bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
      const rows = isCache(value) ? value.rows.filter(isCachedRow) : [];
      return new Map(rows.map((cached) => [cached.row.session_id, cached]));
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof DiskError) return new Map();
      throw error;
    }
  }

  private async writeCache(rows: readonly CachedRow[]): Promise<void> {
    const { disk, ids, warn } = this.ports;
    const temporary = `${this.path}.${ids.next('event')}.tmp`;
    const kept = rows.filter((one) => one.modified_ms !== null);
    const bytes = new TextEncoder().encode(JSON.stringify({ v: CACHE_VERSION, rows: kept }));
    try {
      await replaceFile(disk, this.path, bytes, { temporary, durable: false });
      this.unwritten = 0;
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      warn(`the list of sessions could not be kept: ${error.message}`);
    }
  }
}

async function inParallel(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let id = ids[next++]; id !== undefined; id = ids[next++]) await work(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

function byLastUse(a: SessionRow, b: SessionRow): number {
  if (a.updated_at !== b.updated_at) return a.updated_at < b.updated_at ? 1 : -1;
  return a.session_id < b.session_id ? -1 : 1;
}

function blankRow(session_id: string, stat: FileStat | null): SessionRow {
  const changed = stat === null ? '' : new Date(stat.modified_ms).toISOString();
  const times = { created_at: changed, updated_at: changed };
  const nothing = { ...NO_HEAD, state: null, problem: null };
  return { session_id, ...nothing, ...times, size: stat?.size ?? 0 };
}

function isCache(value: unknown): value is { readonly rows: readonly unknown[] } {
  if (typeof value !== 'object' || value === null || !('v' in value && 'rows' in value)) return false;
  return value.v === CACHE_VERSION && Array.isArray(value.rows);
}

function isCachedRow(value: unknown): value is CachedRow {
  if (typeof value !== 'object' || value === null) return false;
  if (!('row' in value && 'modified_ms' in value && 'damage' in value)) return false;
  const { row, modified_ms, damage } = value;
  return typeof modified_ms === 'number' && (damage === null || typeof damage === 'string') && isRow(row);
}

function isRow(value: unknown): value is SessionRow {
  if (typeof value !== 'object' || value === null) return false;
  const row: Partial<Record<keyof SessionRow, unknown>> = value;
  const texts = [row.session_id, row.title, row.created_at, row.updated_at];
  return (
    texts.every((text) => typeof text === 'string') &&
    typeof row.size === 'number' &&
    (row.parent === null || isParent(row.parent)) &&
    (row.fork === null || isFork(row.fork)) &&
    [row.state, row.problem].every((text) => text === null || typeof text === 'string')
  );
}

function isParent(value: unknown): value is ChildOf {
  if (typeof value !== 'object' || value === null) return false;
  const parent: Partial<Record<keyof ChildOf, unknown>> = value;
  const texts = [parent.session_id, parent.subagent_id, parent.agent];
  return texts.every((text) => typeof text === 'string') && typeof parent.depth === 'number';
}

function isFork(value: unknown): value is ForkOf {
  if (typeof value !== 'object' || value === null) return false;
  const fork: Partial<Record<keyof ForkOf, unknown>> = value;
  return typeof fork.session_id === 'string' && typeof fork.to_seq === 'number';
}
