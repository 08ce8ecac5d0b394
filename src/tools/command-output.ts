import { LastBytes } from './last-bytes.ts';

/** Output of a command: kept whole up to a bound for the record, and as head and tail for the model. */

export interface OutputBounds {
  readonly head: number;
  readonly tail: number;
  readonly whole: number;
}

/** Output may come in pieces of one byte, so they are not kept as they come. */
const BLOCK_BYTES = 64 * 1_024;

export class CommandOutput {
  private readonly blocks: Buffer[] = [];
  private keptBytes = 0;
  private readonly tail: LastBytes;
  private total = 0;

  constructor(private readonly bounds: OutputBounds) {
    this.tail = new LastBytes(bounds.tail);
  }

  push(chunk: Buffer): void {
    this.total += chunk.length;
    this.keep(chunk.subarray(0, this.bounds.whole - this.keptBytes));
    this.tail.push(chunk);
  }

  /** The bytes for the record, when the model does not see them all. */
  overflow(): Buffer | undefined {
    const { head, tail } = this.bounds;
    return this.total > head + tail ? this.first(this.keptBytes) : undefined;
  }

  render(): string {
    const { head, tail } = this.bounds;
    if (this.total <= head + tail) return cleanText(this.first(this.total).toString('utf8'));
    const first = wholeLinesHead(this.first(head));
    const last = wholeLinesTail(this.tail.bytes());
    const omitted = this.total - first.length - last.length;
    const note = `[${omitted} bytes of output were left out here]`;
    return `${cleanText(first.toString('utf8'))}\n${note}\n${cleanText(last.toString('utf8'))}`;
  }

  private keep(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0;) {
      const at = this.keptBytes % BLOCK_BYTES;
      const block = at === 0 ? Buffer.allocUnsafe(BLOCK_BYTES) : this.blocks.at(-1);
      if (block === undefined) return;
      if (at === 0) this.blocks.push(block);
      const copied = rest.copy(block, at);
      this.keptBytes += copied;
      rest = rest.subarray(copied);
    }
  }

  /** Of those that are kept. */
  private first(bytes: number): Buffer {
    const length = Math.min(bytes, this.keptBytes);
    return Buffer.concat(this.blocks.slice(0, Math.ceil(length / BLOCK_BYTES)), length);
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
