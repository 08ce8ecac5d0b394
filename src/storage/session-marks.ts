import type { Clock } from '../runtime/ports.ts';
import { jsonLine } from '../runtime/json-line.ts';
import { DiskError, folderOf, readWhole, replaceFile, type Disk, type FileStat } from './disk.ts';
import { tryLink } from './file-moves.ts';

/** What a person said about a session, beside what its log says. */
export interface SessionMark {
  /** The name it was given; null for the one that its first message gives it. */
  readonly title: string | null;
  readonly pinned: boolean;
  readonly archived: boolean;
}

export const UNMARKED: SessionMark = { title: null, pinned: false, archived: false };

const LONGEST_TITLE = 200;

/** Nothing but what nobody sees. */
const BLANK = /^[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
/** What joins letters or pictures stays between them; other marks without a shape are left out. */
const SHAPELESS =
  /(?<![^\s\p{C}])[\u200c\u200d]|[\u200c\u200d](?![^\s\p{C}])|(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

/** A name as it is kept: one line that can be seen; null for none. */
export function givenTitle(text: string): string | null {
  const line = text.replace(/\s+/gu, ' ').replace(SHAPELESS, '').trim();
  const title = line.slice(0, LONGEST_TITLE).toWellFormed();
  return BLANK.test(title) ? null : title;
}

export interface UnreadableLine {
  readonly line: number;
  readonly text: string;
}

const NEWLINE = 0x0a;

export function sessionMarksIn(
  ports: { readonly disk: Disk; readonly clock: Clock },
  root: string,
): SessionMarks {
  return new SessionMarks(ports.disk, ports.clock, `${root}/session-marks.jsonl`);
}

/**
 * Titles, pins and archive flags of sessions, durable because no log has them. One change a line, and only
 * ever appended: of each field the last line counts, so that windows which change different fields at the
 * same time do not undo each other. A line that cannot be read stays where it is and is reported. Only for
 * what is gone for good it is written anew.
 */
export class SessionMarks {
  private known: ReadonlyMap<string, SessionMark> = new Map();
  private bad: readonly UnreadableLine[] = [];
  private seen: FileStat | null = null;
  private endsWhole = true;

  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    readonly path: string,
  ) {}

  of(sessionId: string): SessionMark {
    return this.known.get(sessionId) ?? UNMARKED;
  }

  get unreadable(): readonly UnreadableLine[] {
    return this.bad;
  }

  /** Reads it again when it has changed: several windows share it. */
  async load(): Promise<void> {
    const stat = await this.disk.stat(this.path);
    if (stat?.size === this.seen?.size && stat?.identity === this.seen?.identity) return;
    const bytes = (await readWhole(this.disk, this.path)) ?? new Uint8Array(0);
    const { marks, unreadable } = foldLines(new TextDecoder().decode(bytes));
    this.known = marks;
    this.bad = unreadable;
    this.endsWhole = bytes.length === 0 || bytes.at(-1) === NEWLINE;
    this.seen = stat;
  }

  /** What sessions are called keeps nobody from seeing or using them. */
  async loadOrTell(warn: (message: string) => void): Promise<void> {
    try {
      await this.load();
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      warn(`the names of sessions could not be read: ${error.message}`);
    }
  }

  /** Durable when it resolves. */
  async change(sessionId: string, change: Partial<SessionMark>): Promise<void> {
    await this.load();
    const before = this.seen;
    await this.append(sessionId, change);
    await this.load();
    // Written anew by another, which may not have had this line yet.
    if (before !== null && this.seen?.identity !== before.identity) await this.append(sessionId, change);
    await this.load();
  }

  /**
   * All that was said about one that is gone for good. Durable when it resolves; by one process at a time. Lines that others
   * add meanwhile to the file that is replaced are found under its second name; who adds one later sees that it was replaced.
   */
  async forget(sessionId: string): Promise<void> {
    const { disk, path } = this;
    const second = `${path}.before`;
    // Left by one that died.
    await disk.remove(second);
    const bytes = Buffer.from((await readWhole(disk, path)) ?? []);
    // Byte by byte what it was, also where that is no text.
    const lines = bytes.toString('latin1').split('\n');
    const kept = lines.filter((line) => line === '' || parseEntry(line)?.session_id !== sessionId);
    if (kept.length === lines.length) return;
    const linked = await tryLink(disk, path, second);
    const rest = Buffer.from(kept.join('\n'), 'latin1');
    await replaceFile(disk, path, rest, { temporary: `${path}.tmp`, durable: true });
    const added = (linked ? await readWhole(disk, second) : null)?.subarray(bytes.length);
    if (added !== undefined && added.length > 0) await this.write(added);
    await disk.remove(second);
  }

  private async append(sessionId: string, change: Partial<SessionMark>): Promise<void> {
    const isNew = this.seen === null;
    const ts = new Date(this.clock.now()).toISOString();
    // What another left unfinished becomes a line of its own: it is neither lost nor mixed with this one.
    const start = this.endsWhole ? '' : '\n';
    const line = `${start}${jsonLine({ v: 1, ts, session_id: sessionId, ...change })}\n`;
    if (isNew) await this.disk.makeFolder(folderOf(this.path));
    await this.write(new TextEncoder().encode(line));
    if (isNew) await this.disk.syncFolder(folderOf(this.path));
  }

  private async write(bytes: Uint8Array): Promise<void> {
    const file = await this.disk.open(this.path, 'append');
    try {
      await file.append(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

function foldLines(text: string): {
  readonly marks: ReadonlyMap<string, SessionMark>;
  readonly unreadable: readonly UnreadableLine[];
} {
  const marks = new Map<string, SessionMark>();
  const unreadable: UnreadableLine[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const entry = parseEntry(line);
    if (entry === null) unreadable.push({ line: at + 1, text: line.slice(0, 200) });
    else marks.set(entry.session_id, { ...(marks.get(entry.session_id) ?? UNMARKED), ...entry.change });
  }
  return { marks, unreadable };
}

function parseEntry(
  line: string,
): { readonly session_id: string; readonly change: Partial<SessionMark> } | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (!('session_id' in value) || typeof value.session_id !== 'string') return null;
  const title = 'title' in value ? value.title : undefined;
  const pinned = 'pinned' in value ? value.pinned : undefined;
  const archived = 'archived' in value ? value.archived : undefined;
  const wrong =
    !(title === undefined || title === null || typeof title === 'string') ||
    [pinned, archived].some((flag) => flag !== undefined && typeof flag !== 'boolean');
  if (wrong) return null;
  return {
    session_id: value.session_id,
    change: {
      ...(title === undefined ? {} : { title: typeof title === 'string' ? givenTitle(title) : null }),
      ...(typeof pinned === 'boolean' ? { pinned } : {}),
      ...(typeof archived === 'boolean' ? { archived } : {}),
    },
  };
}
