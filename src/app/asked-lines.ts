import type { Attachment } from '../runtime/events.ts';

export type AskedLines =
  | {
      readonly kind: 'found';
      readonly text: string;
      /** Where the lines really end; absent where no end was named. */
      readonly end_line?: number;
      /** Said before the text when the file ends earlier than was asked for. */
      readonly ends: string;
    }
  | { readonly kind: 'none'; readonly message: string };

/** Pure: the lines of a text that an attachment names, as far as they are there; all of it where it names none. */
export function askedLines(attachment: Attachment, whole: string): AskedLines {
  const { start_line, path, label, kind } = attachment;
  if (start_line === undefined) return { kind: 'found', text: whole, ends: '' };
  const lines = whole.split(/\r?\n/u);
  // Behind a last line end there is no line any more.
  const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  if (start_line > count)
    return { kind: 'none', message: noSuchLine(path ?? label ?? kind, count, start_line) };
  const wanted = Math.max(start_line, attachment.end_line ?? start_line);
  const end = attachment.end_line === undefined ? {} : { end_line: Math.min(wanted, count) };
  const text = lines.slice(start_line - 1, wanted).join('\n');
  const ends = wanted > lines.length ? `[The file ends with line ${count}.]\n` : '';
  return { kind: 'found', text, ...end, ends };
}

function noSuchLine(name: string, count: number, line: number): string {
  if (count === 0) return `${name} is empty, so there is no line ${line}.`;
  return count === 1
    ? `${name} has only 1 line, so there is no line ${line}.`
    : `${name} has only ${count} lines, so there is no line ${line}.`;
}
