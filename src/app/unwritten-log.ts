import { SCHEMA_VERSION, type Draft, type KnownEvent } from '../runtime/events.ts';
import type { Clock, Ids, LogWriter } from '../runtime/ports.ts';

/** Takes events down as a log would, and keeps none: for who wants to know what would become of one. */
export class UnwrittenLog implements LogWriter {
  constructor(
    private readonly ports: { readonly clock: Clock; readonly ids: Ids },
    private readonly sessionId: string,
    private nextSeq: number,
  ) {}

  async append(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    return drafts.map((entry) => this.seal(entry));
  }

  saveStream(): void {
    return undefined;
  }

  async clearStream(): Promise<void> {
    return undefined;
  }

  private seal(entry: Draft): KnownEvent {
    const { clock, ids } = this.ports;
    const seq = this.nextSeq;
    this.nextSeq += 1;
    const ts = new Date(clock.now()).toISOString();
    return { v: SCHEMA_VERSION, id: ids.next('event'), session_id: this.sessionId, seq, ts, ...entry };
  }
}
