import { cleanText } from './command-output.ts';

const MAX_CHARS = 8_192;
// oxlint-disable-next-line no-control-regex -- an escape sequence whose end has not arrived yet
const UNFINISHED_ESCAPE = /\u001b[^\u0007@-Z\\^-~]{0,64}$/;

/** Live output for display: gathered, cleaned, at most one piece per interval, and only once it may be shown. */
export class ProgressFeed {
  private readonly decoder = new TextDecoder();
  private pending = '';
  private timer: NodeJS.Timeout | undefined;
  private state: 'held' | 'open' | 'closed' = 'held';

  constructor(
    private readonly display: { progress(text: string): void },
    private readonly intervalMs: number,
  ) {}

  push(chunk: Buffer): void {
    this.pending += this.decoder.decode(chunk, { stream: true });
    if (this.pending.length > MAX_CHARS) this.pending = this.pending.slice(-MAX_CHARS);
    this.schedule();
  }

  /** The command is on record: what it said may be shown. */
  open(): void {
    if (this.state === 'held') this.state = 'open';
    this.schedule();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.state !== 'open') return;
    const held = UNFINISHED_ESCAPE.exec(this.pending)?.[0] ?? '';
    const text = cleanText(this.pending.slice(0, this.pending.length - held.length));
    this.pending = held;
    if (text !== '') this.display.progress(text);
  }

  close(): void {
    clearTimeout(this.timer);
    this.state = 'closed';
  }

  private schedule(): void {
    if (this.state !== 'open' || this.pending === '') return;
    this.timer ??= setTimeout(() => this.flush(), this.intervalMs);
  }
}
