import { createHash } from 'node:crypto';
import { checkEvent, parseLine } from '../../src/runtime/event-line.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { PromiseBroken } from './promises/promise.ts';
import type { SimFiles } from './sim-files.ts';

type Data = Record<string, unknown>;

interface BodyReference {
  readonly field: string;
  readonly encoding: string;
  readonly blob?: unknown;
}

/** The log as a power cut now would leave it, read by code of its own. */
export class DurableLog {
  readonly events: LogEvent[] = [];
  private readonly ids = new Set<string>();
  private offset = 0;

  constructor(
    private readonly files: SimFiles,
    private readonly paths: { readonly log: string; readonly blobs: string },
    private readonly sessionId: string,
  ) {}

  /** Reads on; answers what is new. Every whole line must be the next event. */
  refresh(): readonly LogEvent[] {
    const bytes = this.files.durable(this.paths.log) ?? Buffer.alloc(0);
    const end = bytes.lastIndexOf('\n') + 1;
    if (end < this.offset) throw new PromiseBroken(`the log only grows: it shrank to ${end} bytes`);
    if (end === this.offset) return [];
    const known = this.events.length;
    const lines = bytes.subarray(this.offset, end - 1).toString('utf8');
    for (const line of lines.split('\n')) this.take(line);
    this.offset = end;
    return this.events.slice(known);
  }

  get lastSeq(): number {
    return this.events.length - 1;
  }

  private take(line: string): void {
    const parsed = parseLine(line);
    if (!parsed.ok) throw new PromiseBroken(`every line is an event: ${parsed.reason} in ${line}`);
    const event = this.withBody(parsed.event);
    if (event.seq !== this.events.length)
      throw new PromiseBroken(`seq has no gaps: ${event.seq} after ${this.lastSeq}`);
    if (event.session_id !== this.sessionId || this.ids.has(event.id) || event.type === 'unknown')
      throw new PromiseBroken(`an event is of its session, has its own id and a known type: ${line}`);
    if (Number.isNaN(Date.parse(event.ts)) || event.ts < (this.events.at(-1)?.ts ?? ''))
      throw new PromiseBroken(`time does not go back in the log: ${line}`);
    this.ids.add(event.id);
    this.events.push(event);
  }

  /** A body that the line only names must be durable too, and be what its name says. */
  private withBody(event: LogEvent): LogEvent {
    const { blob_bodies, blob: own, ...rest }: Data = { ...event.data };
    if (blob_bodies === undefined) return event;
    const data = { ...rest };
    for (const { field, encoding, blob = own } of blob_bodies as readonly BodyReference[]) {
      const bytes = this.files.durable(`${this.paths.blobs}/${String(blob)}`);
      if (bytes === null || createHash('sha256').update(bytes).digest('hex') !== blob)
        throw new PromiseBroken(`a body is durable before its event: ${field} of seq ${event.seq}`);
      const text = bytes.toString('utf8');
      data[field] = encoding === 'json' ? JSON.parse(text) : text;
    }
    const whole = checkEvent({ ...event, data });
    if (!whole.ok) throw new PromiseBroken(`a body fits its event: ${whole.reason}`);
    return whole.event;
  }
}
