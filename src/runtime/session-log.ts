import { stamped, type Draft, type KnownEvent, type LogEvent } from './events.ts';
import type { SessionOutput } from './outputs.ts';
import type { AppendFailed, LogWriter } from './ports.ts';
import { SessionFolds } from './session-folds.ts';

/** A session's log and what is folded from it: one cannot get ahead of the other. */
export class SessionLog {
  readonly folds: SessionFolds;
  private attached: LogWriter | null = null;
  private failure: AppendFailed | null = null;
  private underWay: Promise<unknown> = Promise.resolve();

  constructor(
    sessionId: string,
    private readonly publish: (output: SessionOutput) => void,
  ) {
    this.folds = new SessionFolds(sessionId);
  }

  /** Why nothing more can be recorded; null as long as it can. */
  get broken(): AppendFailed | null {
    return this.failure;
  }

  get isWritable(): boolean {
    return this.attached !== null && this.failure === null;
  }

  get writer(): LogWriter {
    if (this.attached === null) throw new Error('the session is not open for writing');
    return this.attached;
  }

  attach(writer: LogWriter): void {
    this.attached = writer;
  }

  /** Folds an event that is already in the log. */
  restore(event: LogEvent): void {
    this.folds.push(event);
  }

  record(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    const written = this.write(drafts);
    this.underWay = Promise.allSettled([this.underWay, written]);
    return written;
  }

  /** Resolves when nothing is being written: then the fold has all that was said so far. */
  async quiet(): Promise<void> {
    for (let waited: unknown = null; waited !== this.underWay;) {
      waited = this.underWay;
      await this.underWay;
    }
  }

  /** Durable first, then folded, then published. */
  private async write(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    const events = await this.writer.append(this.caused(drafts));
    for (const event of events) this.folds.push(event);
    this.publish({ kind: 'committed', events });
    return events;
  }

  /** Answers whether this is the first that is heard of it. */
  fail(error: AppendFailed): boolean {
    if (this.failure !== null) return false;
    this.failure = error;
    this.publish({ kind: 'append_failed', failure: error.kind, message: error.message });
    return true;
  }

  /** What should not happen, and has no run that could end over it. */
  bug(error: unknown): void {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.publish({ kind: 'internal_error', message });
  }

  private caused(drafts: readonly Draft[]): readonly Draft[] {
    const { turn } = this.folds.state;
    if (turn === null) return drafts;
    const { turn_id, client_turn_id, open } = turn;
    return drafts.map((entry) =>
      stamped(entry, { turn_id, client_turn_id, streamOf: (callId) => open.get(callId)?.stream_run_id }),
    );
  }
}
