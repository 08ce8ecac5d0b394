import { cleanText } from './command-output.ts';
import { LastBytes } from './last-bytes.ts';

const MAX_CHARS = 8_192;
/** No character takes more bytes of UTF-8 for each of its units. */
const MAX_BYTES = MAX_CHARS * 3;
// oxlint-disable-next-line no-control-regex -- an escape sequence whose end has not arrived yet
const UNFINISHED_ESCAPE = /\u001b[^\u0007@-Z\\^-~]{0,64}$/;

/** Live output for display: gathered, cleaned, at most one piece per interval, and only once it may be shown. */
export class ProgressFeed {
  private decoder = new TextDecoder();
  /** An escape sequence that was not finished. */
  private held = '';
  private readonly pending = new LastBytes(MAX_BYTES);
  private timer: NodeJS.Timeout | undefined;
  private state: 'held' | 'open' | 'closed' = 'held';

  constructor(
    private readonly display: { progress(text: string): void },
    private readonly intervalMs: number,
  ) {}

  /** Not decoded yet: of a flood, most is never shown. */
  push(chunk: Buffer): void {
    this.pending.push(chunk);
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
    const pending = this.decoded();
    this.held = UNFINISHED_ESCAPE.exec(pending)?.[0] ?? '';
    const text = cleanText(pending.slice(0, pending.length - this.held.length));
    if (text !== '') this.display.progress(text);
  }

  close(): void {
    clearTimeout(this.timer);
    this.state = 'closed';
  }

  private decoded(): string {
    const { isCut } = this.pending;
    let bytes = this.pending.bytes();
    this.pending.clear();
    if (isCut) {
      // What was held, and the rest of a character that was cut, belong to what is not shown.
      this.held = '';
      this.decoder = new TextDecoder();
      bytes = bytes.subarray(bytes.findIndex((byte) => (byte & 0xc0) !== 0x80));
    }
    return (this.held + this.decoder.decode(bytes, { stream: true })).slice(-MAX_CHARS);
  }

  private schedule(): void {
    if (this.state !== 'open' || this.pending.isEmpty) return;
    this.timer ??= setTimeout(() => this.flush(), this.intervalMs);
  }
}
