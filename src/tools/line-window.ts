export interface LineBounds {
  readonly lines: number;
  readonly bytes: number;
}

/**
 * Keeps a range of lines of a text that arrives in pieces. Holds no more than the bounds allow, however long
 * the text or one of its lines is.
 */
export class LineWindow {
  readonly lines: string[] = [];
  /** The line that was longer than the whole window, so that only its beginning was kept. */
  cutLine: number | undefined;
  /** Whether the last line kept ended with a line break. */
  terminated = false;

  private number = 1;
  private current = '';
  private begun = false;
  private bytes = 0;
  private full = false;

  constructor(
    private readonly range: { readonly from: number; readonly to: number },
    private readonly bounds: LineBounds,
  ) {}

  /** Nothing that follows can be kept. */
  get past(): boolean {
    return this.full || this.number > this.range.to;
  }

  /** The range has not begun yet. */
  get ahead(): boolean {
    return this.number < this.range.from;
  }

  push(text: string): void {
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      this.extend(text.slice(at, end));
      this.endLine({ terminated: true });
      at = end + 1;
    }
    this.extend(text.slice(at));
  }

  /** The text is over. Answers how many lines it had. */
  finish(): number {
    if (this.begun) this.endLine({ terminated: false });
    return this.number - 1;
  }

  private get keeping(): boolean {
    return !this.past && !this.ahead;
  }

  private extend(piece: string): void {
    if (piece === '') return;
    this.begun = true;
    if (!this.keeping || this.cutLine !== undefined) return;
    this.current += piece;
    // A character is at most three bytes for each UTF-16 unit, so most lines need no count.
    if (this.bytes + this.current.length * 3 <= this.bounds.bytes) return;
    if (this.bytes + Buffer.byteLength(this.current) <= this.bounds.bytes) return;
    if (this.lines.length > 0) {
      this.full = true;
      return;
    }
    this.current = cutToBytes(this.current, this.bounds.bytes);
    this.cutLine = this.number;
  }

  private endLine(options: { readonly terminated: boolean }): void {
    if (this.keeping) {
      const line = this.current.endsWith('\r') ? this.current.slice(0, -1) : this.current;
      this.lines.push(line);
      this.terminated = options.terminated;
      this.bytes += Buffer.byteLength(line) + 1;
      this.full = this.lines.length >= this.bounds.lines || this.bytes >= this.bounds.bytes;
    }
    this.current = '';
    this.begun = false;
    this.number += 1;
  }
}

/** The beginning of a text that has at most `bytes` bytes in UTF-8, never ending inside a character. */
export function cutToBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return text;
  let end = bytes;
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return buffer.subarray(0, end).toString('utf8');
}
