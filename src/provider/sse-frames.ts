import { parsedJson } from './json-values.ts';

/**
 * Normalises the bytes of an event stream, before the SDK decodes them, so that what servers really send
 * is told apart from what is broken:
 * - comments and events without data are keep-alives: each becomes a frame of its own, because the SDK
 *   drops the former (the idle timer would never hear of them) and fails on the latter;
 * - a frame that the end of the stream cuts off is dropped, so that the stream counts as cut, not malformed;
 * - a frame has a size limit, because the SDK has none.
 */

export const KEEP_ALIVE = 'ledgerline.keep_alive';
const KEEP_ALIVE_FRAME = `data: {"type":"${KEEP_ALIVE}"}\n\n`;

export class FrameTooLarge extends Error {
  override readonly name = 'FrameTooLarge';
}

export class SseFrames {
  private readonly decoder = new TextDecoder('utf-8');
  private readonly maxFrame: number;
  /** The line that is still arriving, in pieces: joined once, so that a huge line costs its length. */
  private pieces: string[] = [];
  private size = 0;
  private event: string | null = null;
  private data: string[] = [];
  private afterReturn = false;

  constructor(options: { readonly maxFrame: number }) {
    this.maxFrame = options.maxFrame;
  }

  /** Whole frames, in canonical form, that these bytes complete. May be empty. Throws `FrameTooLarge`. */
  push(bytes: Uint8Array): string {
    return this.take(this.decoder.decode(bytes, { stream: true }));
  }

  /** The last frame, when the server only left out the blank line after it. */
  end(): string {
    let out = this.take(this.decoder.decode());
    out += this.line(this.pieces.join(''));
    this.pieces = [];
    const data = this.data.join('\n');
    return parsedJson(data) === null ? out : out + this.dispatch();
  }

  private take(text: string): string {
    let out = '';
    let from = 0;
    if (this.afterReturn && text !== '') {
      if (text.startsWith('\n')) from = 1;
      this.afterReturn = false;
    }
    for (let at = nextBreak(text, from); at !== -1; at = nextBreak(text, from)) {
      this.pieces.push(text.slice(from, at));
      const line = this.pieces.join('');
      this.pieces = [];
      out += this.line(line);
      from = at + 1;
      if (text[at] !== '\r') continue;
      if (from === text.length) this.afterReturn = true;
      else if (text[from] === '\n') from += 1;
    }
    if (from < text.length) this.pieces.push(text.slice(from));
    this.grow(text.length - from);
    return out;
  }

  private line(line: string): string {
    if (line === '') return this.dispatch();
    if (line.startsWith(':')) return KEEP_ALIVE_FRAME;
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const rest = colon === -1 ? '' : line.slice(colon + 1);
    const value = rest.startsWith(' ') ? rest.slice(1) : rest;
    if (field === 'event') this.event = value;
    if (field === 'data') {
      this.data.push(value);
      this.grow(value.length);
    }
    return '';
  }

  private dispatch(): string {
    const { event, data } = this;
    this.event = null;
    this.data = [];
    this.size = 0;
    if (event === null && data.length === 0) return '';
    if (data.every((line) => line.trim() === '')) return KEEP_ALIVE_FRAME;
    const name = event === null ? '' : `event: ${event}\n`;
    return `${name}${data.map((line) => `data: ${line}\n`).join('')}\n`;
  }

  private grow(by: number): void {
    this.size += by;
    if (this.size > this.maxFrame) throw new FrameTooLarge(`a frame is larger than ${this.maxFrame}`);
  }
}

function nextBreak(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  const limit = feed === -1 ? text.length : feed;
  const turn = text.slice(from, limit).indexOf('\r');
  return turn === -1 ? feed : from + turn;
}
