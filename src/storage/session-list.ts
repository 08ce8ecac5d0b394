import type { LogEvent } from '../runtime/events.ts';
import { applyToSession, emptySession } from '../runtime/session-state.ts';
import { titleOf } from '../runtime/title.ts';
import { turnState, type TurnState } from '../runtime/turn.ts';
import { DiskError, readWhole, replaceFile, type DiskFile, type FileStat } from './disk.ts';
import { leaseHolder, LeaseSight } from './lease-holder.ts';
import { linesOf, readLine } from './log-scan.ts';
import { readBack } from './log-tail.ts';
import { isSessionId, sessionPaths, sessionsFolder } from './session-paths.ts';
import type { StorePorts } from './session-store.ts';

const HEAD_BYTES = 64 * 1024;

/** What a list of sessions shows of one, read from the head and the tail of its log alone. */
export interface SessionRow {
  readonly session_id: string;
  /** Start of the first message; empty when there is none. */
  readonly title: string;
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
  readonly modified_ms: number;
}

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
    const listing = this.turn.then(() => this.listNow(changed));
    this.turn = listing.then(
      () => undefined,
      // Whoever asked for that one is told.
      () => undefined,
    );
    return listing;
  }

  private async listNow(changed: ReadonlySet<string> | undefined): Promise<readonly SessionRow[]> {
    const cached = this.known ?? (await this.readCache());
    const partly = changed !== undefined && this.known !== null;
    const ids = partly ? [...changed] : await this.names();
    const rows = new Map<string, CachedRow>(partly ? cached : []);
    await inParallel(ids.filter(isSessionId), async (id) => {
      const stat = await this.ports.disk.stat(sessionPaths(this.root, id).log);
      const row = cached.get(id);
      if (stat === null) {
        rows.delete(id);
        return;
      }
      const fits = row?.row.size === stat.size && row.modified_ms === stat.modified_ms;
      if (!fits) this.unwritten += 1;
      rows.set(id, fits ? row : { row: await this.read(id, stat), modified_ms: stat.modified_ms });
    });
    this.unwritten += [...cached.keys()].filter((id) => !rows.has(id)).length;
    this.known = rows;
    const isWorthIt = this.unwritten >= WORTH_WRITING || (cached.size === 0 && rows.size > 0);
    if (isWorthIt) await this.writeCache([...rows.values()]);
    const shown = await Promise.all([...rows.values()].map(({ row }) => this.shown(row)));
    return shown.sort(byLastUse);
  }

  private async names(): Promise<readonly string[]> {
    const names = await this.ports.disk.list(sessionsFolder(this.root));
    return names.flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : []));
  }

  /** A turn runs only while a live writer holds the lease, which the log alone cannot tell. */
  private async shown(row: SessionRow): Promise<SessionRow> {
    if (row.state !== 'running') return row;
    const { lease } = sessionPaths(this.root, row.session_id);
    const sight = this.sights.get(row.session_id) ?? new LeaseSight();
    this.sights.set(row.session_id, sight);
    const { kind } = await leaseHolder(this.ports, lease, sight);
    return kind === 'live' ? row : { ...row, state: 'interrupted' };
  }

  private async read(session_id: string, { size, modified_ms }: FileStat): Promise<SessionRow> {
    const changed = new Date(modified_ms).toISOString();
    const blank = { session_id, title: '', state: null, created_at: changed, updated_at: changed, size };
    try {
      const file = await this.ports.disk.open(sessionPaths(this.root, session_id).log, 'read');
      try {
        return { ...blank, ...(await readEnds(session_id, file, size)) };
      } finally {
        await file.close();
      }
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return { ...blank, problem: `The log cannot be read: ${error.message}` };
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
    const bytes = new TextEncoder().encode(JSON.stringify({ v: 1, rows }));
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

async function readEnds(
  session_id: string,
  file: DiskFile,
  size: number,
): Promise<Partial<SessionRow> & Pick<SessionRow, 'problem'>> {
  const head = await readHead(file, size);
  const tail = await readBack(file, size, null, (events) => events.some(isPrompt));
  const first = head.events[0];
  const last = tail.events.at(-1);
  const wrong = head.problem ?? tail.damaged[0]?.reason ?? null;
  return {
    title: titleIn(head.events),
    state: lastState(session_id, tail.events),
    ...(first === undefined ? {} : { created_at: first.ts }),
    ...(last === undefined ? {} : { updated_at: last.ts }),
    problem: wrong === null ? null : `The log is damaged: ${wrong}.`,
  };
}

/** The title of a log, from its head alone. */
export async function readTitle(file: DiskFile): Promise<string> {
  return titleIn((await readHead(file, await file.size())).events);
}

function titleIn(events: readonly LogEvent[]): string {
  return titleOf(events.find(isPrompt)?.data.text ?? '');
}

async function readHead(
  file: DiskFile,
  size: number,
): Promise<{ readonly events: readonly LogEvent[]; readonly problem: string | null }> {
  const bytes = await file.read(0, Math.min(size, HEAD_BYTES));
  const events: LogEvent[] = [];
  let problem: string | null = null;
  for (const { text } of linesOf(bytes.subarray(0, bytes.lastIndexOf(10) + 1))) {
    const read = readLine(text);
    if (read.ok) events.push(read.event);
    else problem ??= read.reason;
    if (events.some(isPrompt)) break;
  }
  return { events, problem };
}

function isPrompt(event: LogEvent): event is LogEvent & { readonly type: 'user_message' } {
  return event.type === 'user_message';
}

function lastState(sessionId: string, events: readonly LogEvent[]): TurnState | null {
  const { turn } = events.reduce(applyToSession, emptySession(sessionId));
  return turn === null ? lastWord(events) : turnState(turn);
}

/** The tail of a turn that is longer than what is read: its last word on itself. */
function lastWord(events: readonly LogEvent[]): TurnState | null {
  const last = events.findLast((event) => event.type === 'turn_failed' || event.type === 'run_status');
  const failed = events.findLast((event) => event.type === 'turn_failed');
  if (last?.type === 'run_status' && last.data.status !== 'done') return last.data.status;
  if (failed?.type === 'turn_failed') return failed.data.terminal_status;
  return last === undefined ? null : 'completed';
}

function isCache(value: unknown): value is { readonly rows: readonly unknown[] } {
  if (typeof value !== 'object' || value === null || !('v' in value && 'rows' in value)) return false;
  return value.v === 1 && Array.isArray(value.rows);
}

function isCachedRow(value: unknown): value is CachedRow {
  if (typeof value !== 'object' || value === null) return false;
  if (!('row' in value && 'modified_ms' in value)) return false;
  return typeof value.modified_ms === 'number' && isRow(value.row);
}

function isRow(value: unknown): value is SessionRow {
  if (typeof value !== 'object' || value === null) return false;
  const row: Partial<Record<keyof SessionRow, unknown>> = value;
  const texts = [row.session_id, row.title, row.created_at, row.updated_at];
  return (
    texts.every((text) => typeof text === 'string') &&
    typeof row.size === 'number' &&
    [row.state, row.problem].every((text) => text === null || typeof text === 'string')
  );
}
