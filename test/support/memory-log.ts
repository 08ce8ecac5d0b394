import { parseLine, toLine } from '../../src/runtime/event-line.ts';
import { SCHEMA_VERSION, type Draft, type KnownEvent, type LogEvent } from '../../src/runtime/events.ts';
import {
  AppendFailed,
  type Clock,
  type Ids,
  type LogWriter,
  type StreamScratch,
} from '../../src/runtime/ports.ts';

/** Ids that count up, one counter a kind: `turn_1`, `stream_2`. A second process has a mark of its own. */
export class CountedIds implements Ids {
  private readonly last = new Map<string, number>();

  constructor(private readonly mark = '') {}

  next(kind: Parameters<Ids['next']>[0]): string {
    const n = (this.last.get(kind) ?? 0) + 1;
    this.last.set(kind, n);
    return `${kind}_${this.mark}${n}`;
  }
}

export interface MemoryLogOptions {
  readonly sessionId: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  /** Lines that are there already, as another process left them. */
  readonly lines?: readonly string[];
  /** The disk is full from the first batch on that holds such a draft. */
  readonly refuses?: (draft: Draft) => boolean;
}

/** A log in memory: what it gives back has been through its lines, as on disk. */
export class MemoryLog implements LogWriter {
  readonly lines: string[];
  scratch: StreamScratch | null = null;
  private nextSeq: number;
  private failure: AppendFailed | null = null;

  constructor(private readonly options: MemoryLogOptions) {
    this.lines = [...(options.lines ?? [])];
    this.nextSeq = this.lines.length;
  }

  get events(): readonly LogEvent[] {
    return this.lines.map(read);
  }

  async append(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    if (this.failure === null && drafts.some((draft) => this.options.refuses?.(draft) === true)) {
      this.failure = new AppendFailed('disk_full', 'The disk is full.');
    }
    if (this.failure !== null) throw this.failure;
    const lines = drafts.map((draft) => toLine(this.seal(draft)));
    // Durable a moment later, not at once: who does not wait is found out.
    await Promise.resolve();
    this.lines.push(...lines);
    return lines.map((line) => read(line) as KnownEvent);
  }

  saveStream(scratch: StreamScratch): void {
    this.scratch = scratch;
  }

  async clearStream(): Promise<void> {
    await Promise.resolve();
    this.scratch = null;
  }

  private seal(draft: Draft): KnownEvent {
    const { sessionId, clock, ids } = this.options;
    const seq = this.nextSeq;
    this.nextSeq += 1;
    const ts = new Date(clock.now()).toISOString();
    return { v: SCHEMA_VERSION, id: ids.next('event'), session_id: sessionId, seq, ts, ...draft };
  }
}

export function read(line: string): LogEvent {
  const parsed = parseLine(line);
  if (!parsed.ok) throw new Error(`${parsed.reason}: ${line}`);
  return parsed.event;
}
