import { isUtf8 } from 'node:buffer';
import { fault, ok, type Result } from './tool-faults.ts';

/**
 * Replacing a piece of a file. Works on bytes (each one a character of a latin1 string), so that what is not
 * replaced stays as it was: marks, mixed line ends, bytes that are no valid text.
 */

export interface TextEdit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all: boolean;
}

export interface EditedText {
  readonly bytes: Buffer;
  readonly replacements: number;
}

const LISTED_LINES = 10;

export function applyEdit(path: string, before: Buffer, edit: TextEdit): Result<EditedText> {
  const encoded = checkEncoding(path, before, edit);
  if (!encoded.ok) return encoded;
  const text = before.toString('latin1');
  const found = findAll(text, edit.old_text);
  const [first] = found;
  if (first === undefined) {
    return fault('no_match', `old_text was not found in ${path}${closestLine(before, edit.old_text)}`);
  }
  if (found.length > 1 && !edit.replace_all) {
    const lines = found.slice(0, LISTED_LINES).map(({ from }) => lineAt(text, from));
    const more = found.length > LISTED_LINES ? ', ...' : '';
    return fault(
      'many_matches',
      `old_text was found ${found.length} times in ${path}, at lines ${lines.join(', ')}${more}. ` +
        'Add context to old_text, or set replace_all.',
      { count: found.length, lines },
    );
  }
  const style = dominantLineEnd(text);
  let result = '';
  let at = 0;
  for (const { from, to } of found) {
    const replaced = text.slice(from, to);
    const lineEnd = replaced.includes('\r\n') ? '\r\n' : replaced.includes('\n') ? '\n' : style;
    result += text.slice(at, from) + withLineEnds(toBytes(edit.new_text), lineEnd);
    at = to;
  }
  return ok({ bytes: Buffer.from(result + text.slice(at), 'latin1'), replacements: found.length });
}

/** The content of a whole file, written as the file was: its mark and its line ends are kept. */
export function adoptStyle(content: string, before: Buffer | undefined): Buffer {
  if (before === undefined) return Buffer.from(content);
  const text = before.toString('latin1');
  const mark = text.startsWith(UTF8_MARK) && !content.startsWith('\uFEFF') ? UTF8_MARK : '';
  const uniform = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
  const body = toBytes(content);
  return Buffer.from(mark + (uniform ? withLineEnds(body, '\r\n') : body), 'latin1');
}

const UTF8_MARK = '\u00ef\u00bb\u00bf';

function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function checkEncoding(path: string, before: Buffer, edit: TextEdit): Result<void> {
  if (before.includes(0)) {
    return fault(
      'binary_file',
      `${path} is not UTF-8 text (binary or UTF-16). Use run_command to change it.`,
    );
  }
  // Other bytes may be left alone, but text beyond ASCII would be added in a second encoding.
  // oxlint-disable-next-line no-control-regex -- the range of ASCII
  const ascii = /^[\u0000-\u007f]*$/.test(edit.new_text);
  return ascii || isUtf8(before)
    ? ok(undefined)
    : fault(
        'binary_file',
        `${path} is not UTF-8, so characters beyond ASCII cannot be added to it. Use run_command to change it.`,
      );
}

interface Found {
  readonly from: number;
  readonly to: number;
}

/** Exact matches; where there are none, matches that differ in their line ends only. */
function findAll(text: string, wanted: string): readonly Found[] {
  const needle = toBytes(wanted);
  const exact: Found[] = [];
  for (let from = text.indexOf(needle); from !== -1; from = text.indexOf(needle, from + needle.length)) {
    exact.push({ from, to: from + needle.length });
  }
  if (exact.length > 0 || !needle.includes('\n')) return exact;
  const lines = needle.split(/\r?\n/).map((line) => line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const loose = new RegExp(lines.join('\\r?\\n'), 'g');
  return Array.from(text.matchAll(loose), (match) => ({
    from: match.index,
    to: match.index + match[0].length,
  }));
}

function dominantLineEnd(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  const withReturn = text.split('\r\n').length - 1;
  return withReturn * 2 > all ? '\r\n' : '\n';
}

function withLineEnds(text: string, lineEnd: '\n' | '\r\n'): string {
  return text.replace(/\r?\n/g, lineEnd);
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

const COMPARED_LINES = 20_000;
const COMPARED_CHARS = 400;
const SHOWN_CHARS = 160;

/** Helps the model to see what it got wrong: the line that is most like the first one it gave. */
function closestLine(before: Buffer, wanted: string): string {
  const needle = wanted
    .split(/\r?\n/)
    .map((line) => line.trim())
    .find((line) => line !== '');
  let best = { score: 0, line: 0, text: '' };
  const lines = before.toString('utf8').split(/\r?\n/, COMPARED_LINES);
  const pairs = pairsOf(needle ?? '');
  for (const [at, text] of lines.entries()) {
    const score = likeness(pairs, pairsOf(text.trim().slice(0, COMPARED_CHARS)));
    if (score > best.score) best = { score, line: at + 1, text };
  }
  return best.score < 0.3
    ? '. Read the file again and copy the text exactly.'
    : `; the closest line is ${best.line}: ${best.text.slice(0, SHOWN_CHARS)}\n` +
        'Read the file again and copy the text exactly, with its spaces.';
}

function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at += 1) pairs.add(text.slice(at, at + 2));
  return pairs;
}

function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0;
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared += 1;
  return (2 * shared) / (left.size + right.size);
}
