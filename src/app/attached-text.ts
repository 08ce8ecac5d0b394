import type { Attachment } from '../runtime/events.ts';
import { cutToBytes } from '../tools/line-window.ts';
import { formatBytes } from '../tools/text-encoding.ts';
import { ATTACHMENT_LIMITS } from './attachment-limits.ts';
import { nodeHasher } from './node-ports.ts';

interface Found {
  readonly text: string;
  /** All that was found, where `text` is a part of it. */
  readonly whole?: Uint8Array;
  /** Said before the text. */
  readonly note?: string;
  /** Set where whoever made the text has left something out, and says so in it. */
  readonly cut?: boolean;
}

/** Pure: text as it goes with a message. Bounded, with the hash of all of it; what is left out is said in the text itself. */
export function withText(attachment: Attachment, { text, whole, note = '', cut = false }: Found): Attachment {
  const { textBytes } = ATTACHMENT_LIMITS;
  const all = whole ?? Buffer.from(text);
  const evidence = {
    sha256: nodeHasher.sha256(all),
    bytes: all.length,
    lines: linesOf(text),
  };
  const short = withoutLongLines(text);
  const bytes = Buffer.byteLength(short);
  const isCut = bytes > textBytes;
  const head = isCut
    ? `[Only the first ${formatBytes(textBytes)} of ${formatBytes(Buffer.byteLength(text))} are attached.]\n`
    : '';
  const body = isCut ? cutToBytes(short, textBytes) : short;
  const truncated = isCut || cut || short !== text ? { truncated: true } : {};
  return { ...attachment, text: `${note}${head}${body}`, ...evidence, ...truncated };
}

/** A last line end begins no line. */
function linesOf(text: string): number {
  if (text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** Nobody reads such a line: it is data, or made by a machine. */
function withoutLongLines(text: string): string {
  const { lineChars } = ATTACHMENT_LIMITS;
  if (text.length <= lineChars) return text;
  return text
    .split('\n')
    .map((line) =>
      line.length <= lineChars
        ? line
        : `${line.slice(0, lineChars).toWellFormed()} [${line.length - lineChars} more characters of this line are left out.]`,
    )
    .join('\n');
}
