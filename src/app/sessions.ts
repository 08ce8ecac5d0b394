import { givenTitle, sessionMarksIn, type SessionMark, type SessionMarks } from '../storage/session-marks.ts';
import type { SearchQuery } from '../runtime/search/query.ts';
import { SessionList, type SessionRow } from '../storage/session-list.ts';
import { sessionPaths, isSessionId } from '../storage/session-paths.ts';
import { searchSessions, type SearchFound } from '../storage/session-search.ts';
import type { StorePorts } from '../storage/session-store.ts';
import { Trash, type Moved, type Trashed } from '../storage/trash.ts';
import { nodeStorePorts } from './node-ports.ts';

/** A session as lists show it: what its log says, and what a person said about it. */
export interface SessionEntry extends SessionRow {
  readonly pinned: boolean;
  readonly archived: boolean;
}

/** The most places that one search gives of one session: the others are counted. */
const MOST_EACH = 20;

/** The sessions of a storage folder, for whoever lists, names, searches or deletes them. Opens none. */
export class Sessions {
  private readonly ports: StorePorts;
  private readonly rows: SessionList;
  private readonly marks: SessionMarks;
  private readonly trash: Trash;
  /** The most places that one search gives. */
  readonly mostHits = 1000;
  private reported = 0;

  constructor(
    private readonly storage: string,
    private readonly warn: (message: string) => void,
  ) {
    this.ports = nodeStorePorts(warn);
    this.rows = new SessionList(this.ports, storage);
    this.marks = sessionMarksIn(this.ports, storage);
    this.trash = new Trash(this.ports, storage);
  }

  /** Pinned ones first, then the last used. With `changed`, only those are looked at again. */
  async list(changed?: ReadonlySet<string>): Promise<readonly SessionEntry[]> {
    const rows = await this.rows.list(changed);
    await this.readMarks();
    this.reportUnreadable();
    const entries = rows.map((row) => this.entry(row));
    return [...entries.filter((one) => one.pinned), ...entries.filter((one) => !one.pinned)];
  }

  /** Whoever opened one has read all of its log: lists read only its ends. */
  noteDamage(sessionId: string, damage: string | null): Promise<void> {
    return this.rows.noteDamage(sessionId, damage);
  }

  logPath(sessionId: string): string {
    return sessionPaths(this.storage, sessionId).log;
  }

  /** An empty title gives it back the one of its first message. */
  rename(sessionId: string, title: string): Promise<void> {
    return this.marks.change(sessionId, { title: givenTitle(title) });
  }

  mark(sessionId: string, mark: Partial<Pick<SessionMark, 'pinned' | 'archived'>>): Promise<void> {
    return this.marks.change(sessionId, mark);
  }

  /** Into the trash, where it is kept; `at` is the same for those that go together. */
  async delete(sessionId: string, at?: number): Promise<Moved> {
    return isSessionId(sessionId) ? this.trash.put(sessionId, at) : { kind: 'missing' };
  }

  restore(name: string): Promise<Moved> {
    return this.trash.restore(name);
  }

  async deleted(): Promise<readonly Trashed[]> {
    const found = await this.trash.list();
    await this.readMarks();
    return found.map((one) => ({ ...one, title: this.marks.of(one.session_id).title ?? one.title }));
  }

  /** In all sessions, those used last first. `progress` is told how much of how many bytes is done with. */
  async *search(
    query: SearchQuery,
    signal: AbortSignal,
    progress?: (bytes: number, of: number) => void,
  ): AsyncGenerator<SearchFound> {
    const rows = await this.rows.list();
    const session_ids = rows.map((row) => row.session_id);
    const all = rows.reduce((sum, { size }) => sum + size, 0);
    await this.readMarks();
    const named = session_ids.map((id) => [id, this.marks.of(id).title ?? ''] as const);
    yield* searchSessions(this.ports, this.storage, {
      query,
      session_ids,
      titles: new Map(named),
      most_each: MOST_EACH,
      most_hits: this.mostHits,
      signal,
      hasWriter: (sessionId) => this.rows.hasWriter(sessionId),
      // A log can have grown since it was listed.
      progress: (bytes) => progress?.(Math.min(bytes, all), all),
    });
  }

  private readMarks(): Promise<void> {
    return this.marks.loadOrTell(this.warn);
  }

  private entry(row: SessionRow): SessionEntry {
    const { title, pinned, archived } = this.marks.of(row.session_id);
    return { ...row, title: title ?? row.title, pinned, archived };
  }

  private reportUnreadable(): void {
    const { unreadable, path } = this.marks;
    if (unreadable.length > this.reported)
      this.warn(
        `${path}: lines ${unreadable.map(({ line }) => line).join(', ')} cannot be read and were left as they are`,
      );
    this.reported = unreadable.length;
  }
}
