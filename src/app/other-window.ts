import type { LogEvent } from '../runtime/events.ts';
import type { Clock, StreamScratch } from '../runtime/ports.ts';
import type { ScanEnd } from '../storage/log-scan.ts';
import type { StoredSession } from '../storage/stored-session.ts';

const LOOK_FOR_OWNER_MS = 2000;

export interface OtherWindowPorts {
  events(events: readonly LogEvent[]): void;
  delta(delta: StreamScratch): void;
  /** The first text of a stream was seen. */
  streams(turnId: string): void;
  /** What is known of the session by now. */
  known(): { readonly turn_id: string | null; readonly events: readonly LogEvent[] };
  /** Its process is gone: the session can be opened for writing. */
  ownerGone(): void;
  /** It can no longer be read along. */
  lostSight(error: unknown): void;
}

/** A session that another process has: read along, until that process is gone or nobody looks any more. */
export class OtherWindow {
  private readonly over = new AbortController();
  private done: Promise<unknown> = Promise.resolve();
  private told: StreamScratch | null = null;

  constructor(
    private readonly stored: Pick<StoredSession, 'follow' | 'ownerGone'>,
    private readonly clock: Clock,
    private readonly ports: OtherWindowPorts,
  ) {}

  begin(end: ScanEnd): void {
    const { signal } = this.over;
    const follower = {
      events: (events: readonly LogEvent[]) => this.ports.events(events),
      stream: (scratch: StreamScratch) => this.stream(scratch),
    };
    const lost = (error: unknown): void => {
      if (signal.aborted) return;
      this.over.abort();
      this.ports.lostSight(error);
    };
    const reading = this.stored.follow(end, follower, signal).catch(lost);
    this.done = Promise.all([reading, this.watchOwner().catch(lost)]);
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.done;
  }

  private async watchOwner(): Promise<void> {
    const { signal } = this.over;
    while (!signal.aborted) {
      await this.clock.sleep(LOOK_FOR_OWNER_MS, signal);
      if (signal.aborted || !(await this.stored.ownerGone())) continue;
      this.ports.ownerGone();
      return;
    }
  }

  /** Told as what came to it since the last look. What does not go on from there, the log will settle. */
  private stream(scratch: StreamScratch): void {
    if (this.isOver(scratch)) return;
    const { turn_id, stream_run_id, text } = scratch;
    const before = this.told?.stream_run_id === stream_run_id ? this.told.text : '';
    if (!text.startsWith(before) || text.length === before.length) return;
    if (before === '') this.ports.streams(turn_id);
    this.told = scratch;
    this.ports.delta({ turn_id, stream_run_id, text: text.slice(before.length) });
  }

  /** Of another turn than the last, or in the log already: its writer had no time to remove it. */
  private isOver({ turn_id, stream_run_id }: StreamScratch): boolean {
    const known = this.ports.known();
    return (
      known.turn_id !== turn_id ||
      known.events.some(({ data }) => 'stream_run_id' in data && data.stream_run_id === stream_run_id)
    );
  }
}
