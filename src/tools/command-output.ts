/** Output of a command: kept whole up to a bound for the record, and as head and tail for the model. */

export interface OutputBounds {
  readonly head: number;
  readonly tail: number;
  readonly whole: number;
}

export class CommandOutput {
  private readonly chunks: Buffer[] = [];
  private keptBytes = 0;
  private tail: Buffer = Buffer.alloc(0);
  private total = 0;

  constructor(private readonly bounds: OutputBounds) {}

  push(chunk: Buffer): void {
    this.total += chunk.length;
    const room = this.bounds.whole - this.keptBytes;
    if (room > 0) {
      // A copy, because the chunk may be a small part of a large buffer that would be kept alive.
      const kept = Buffer.from(chunk.subarray(0, room));
      this.chunks.push(kept);
      this.keptBytes += kept.length;
    }
    const { tail } = this.bounds;
    this.tail =
      chunk.length >= tail
        ? Buffer.from(chunk.subarray(chunk.length - tail))
        : Buffer.concat([this.tail.subarray(Math.max(0, this.tail.length + chunk.length - tail)), chunk]);
  }

  /** The bytes for the record, when the model does not see them all. */
  overflow(): Buffer | undefined {
    const { head, tail } = this.bounds;
    return this.total > head + tail ? Buffer.concat(this.chunks) : undefined;
  }

  render(): string {
    const { head, tail } = this.bounds;
    if (this.total <= head + tail) return cleanText(Buffer.concat(this.chunks).toString('utf8'));
    const first = wholeLinesHead(Buffer.concat(this.chunks).subarray(0, head));
    const last = wholeLinesTail(this.tail);
    const omitted = this.total - first.length - last.length;
    const note = `[${omitted} bytes of output were left out here]`;
    return `${cleanText(first.toString('utf8'))}\n${note}\n${cleanText(last.toString('utf8'))}`;
  }
}

const LINE_BREAK = 0x0a;
const SEARCHED = 2_048;

/** Cuts after a line if one ends near, else after a whole character. */
function wholeLinesHead(bytes: Buffer): Buffer {
  const newline = bytes.lastIndexOf(LINE_BREAK);
  if (newline > bytes.length - SEARCHED && newline > 0) return bytes.subarray(0, newline);
  let end = bytes.length;
  // Back to the first byte of the last character, which may not be whole.
  for (let back = 1; back <= 4 && back <= end; back += 1) {
    const byte = bytes[end - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    if (byte >= 0xc0) end -= back;
    break;
  }
  return bytes.subarray(0, end);
}

function wholeLinesTail(bytes: Buffer): Buffer {
  const newline = bytes.indexOf(LINE_BREAK);
  if (newline !== -1 && newline < SEARCHED && newline + 1 < bytes.length) return bytes.subarray(newline + 1);
  let start = 0;
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

/** Escape sequences: CSI, OSC and other strings up to their end (or the end of the text), two characters. */
const ESCAPE_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- the escape character is what it is there to find
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*(?:[@-~]|$)|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[ -/]*(?:[0-~]|$)/g;

// oxlint-disable-next-line no-control-regex -- control characters other than tab and line break
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** What a person would read on a terminal: no colours, and of a line rewritten in place only its last state. */
export function cleanText(text: string): string {
  return text
    .replace(ESCAPE_SEQUENCE, '')
    .replace(/\r+\n/g, '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '')
    .replace(CONTROLS, '');
}
