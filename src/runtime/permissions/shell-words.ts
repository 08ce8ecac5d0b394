import type { ShellSource } from './shell-source.ts';
import type { Word } from './shell-word.ts';
import { wordOf, type Atom } from './word-atoms.ts';

/** Reads what stands inside `$( )` and the like; the source is after the opening and must be left after `)`. */
export type ReadInside = (source: ShellSource) => void;

export interface WordReading {
  readonly source: ShellSource;
  readonly commands: ReadInside;
  /** For the text between backticks. */
  readonly script: (text: string) => void;
  /** For the text of a here-document. */
  readonly expandable: (text: string) => void;
}

export const ENDS_WORD = new Set(['', ' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>']);

/** Characters that shells disagree about, or that nobody sees: control characters, foreign blanks. */
const STRANGE = /[\p{Cc}\p{Cf}\p{Z}\u{115F}\u{1160}\u{3164}\u{FFA0}]/u;

/** Reads one word, if one starts here. */
export function readWord(reading: WordReading): Word | null {
  const { source } = reading;
  const start = source.position;
  const atoms: Atom[] = [];
  for (;;) {
    const next = source.peek();
    if (isSubstitution(source)) atoms.push(processSubstitution(reading));
    else if (ENDS_WORD.has(next)) break;
    else atoms.push(...readAtoms(reading, next));
  }
  if (source.trouble !== null || atoms.length === 0) return null;
  const word = wordOf(atoms, source.since(start));
  if (isOpenSubscript(atoms, word)) source.fail('it has a [ that is not closed in its word');
  return word;
}

function isSubstitution(source: ShellSource): boolean {
  return source.startsWith('<(') || source.startsWith('>(');
}

function processSubstitution({ source, commands }: WordReading): Atom {
  const start = source.position;
  source.take();
  source.take();
  commands(source);
  return { kind: 'expansion', text: source.since(start), splits: true };
}

/** `a[0 1]=x` is one word for bash where an assignment may stand, with everything in the brackets. */
function isOpenSubscript(atoms: readonly Atom[], { bare }: Word): boolean {
  if (!/^[A-Za-z_]\w*\[/.test(bare)) return false;
  const all = atoms.map((atom) => (atom.kind === 'bare' ? atom.text : '')).join('');
  return all.replaceAll(/[^[]/g, '').length !== all.replaceAll(/[^\]]/g, '').length;
}

function readAtoms(reading: WordReading, next: string): readonly Atom[] {
  const { source } = reading;
  switch (next) {
    case "'":
      return [singleQuoted(source)];
    case '"':
      source.take();
      return readQuoted(reading, '"');
    case '\\':
      return [escapedCharacter(source)];
    case '`':
      return [readBackticks(reading, 'outside')];
    case '$':
      return [readDollar(reading, 'outside')];
    default:
      return [bareRun(source)];
  }
}

function bareRun(source: ShellSource): Atom {
  let text = '';
  while (!ENDS_WORD.has(source.peek()) && !'\'"\\`$'.includes(source.peek())) text += source.take();
  if (STRANGE.test(text)) source.fail('it has a character that is not seen');
  return { kind: 'bare', text };
}

function singleQuoted(source: ShellSource): Atom {
  source.take();
  const text = source.takeThrough("'");
  if (text === null) source.fail('a single quote is not closed');
  return { kind: 'quoted', text: text ?? '' };
}

function escapedCharacter(source: ShellSource): Atom {
  source.take();
  const text = source.takeRaw();
  // The other half of a character that is two units long follows by itself.
  if (text === '') source.fail('it ends with a backslash');
  return { kind: 'quoted', text };
}

/** Inside double quotes, or in the text of a here-document (`end` is then ''). */
export function readQuoted(reading: WordReading, end: '"' | ''): readonly Atom[] {
  const { source } = reading;
  const atoms: Atom[] = [{ kind: 'quoted', text: '' }];
  for (let next = source.peek(); next !== end; next = source.peek()) {
    if (next === '') source.fail('a double quote is not closed');
    if (next === '') return atoms;
    if (next === '$') atoms.push(readDollar(reading, 'inside'));
    else if (next === '`') atoms.push(readBackticks(reading, end === '' ? 'outside' : 'inside'));
    else atoms.push(quotedRun(source, end));
  }
  source.take();
  return atoms;
}

function quotedRun(source: ShellSource, end: '"' | ''): Atom {
  const stops = ['', '$', '`', end];
  let text = '';
  for (let next = source.peek(); !stops.includes(next); next = source.peek()) {
    source.take();
    text += next === '\\' && isEscapable(source.peekRaw(), end) ? source.takeRaw() : next;
  }
  return { kind: 'quoted', text };
}

function isEscapable(next: string, end: '"' | ''): boolean {
  return ['$', '`', '\\', ...(end === '"' ? ['"'] : [])].includes(next);
}

type Place = 'outside' | 'inside';

/** What starts with a dollar sign. In double quotes most of it stays one word. */
function readDollar(reading: WordReading, place: Place): Atom {
  const { source } = reading;
  const start = source.position;
  source.take();
  const next = source.peek();
  if (next === '"' && place === 'outside') source.fail('it has a $"..." string');
  if (next === '[') source.fail('it has $[...], which shells read differently');
  if (next === "'" && place === 'outside') readAnsiQuoted(source);
  else if (/[A-Za-z_]/.test(next)) while (/\w/.test(source.peek())) source.take();
  else if (/[0-9@*#?$!-]/.test(next)) source.take();
  else if (source.takes('((')) readArithmetic(reading);
  else if (source.takes('(')) reading.commands(source);
  else if (source.takes('{')) readBraced(reading);
  else return { kind: 'quoted', text: '$' };
  const text = source.since(start);
  return { kind: 'expansion', text, splits: place === 'outside' || /^\$(?:@|\{.*[^\w}])/su.test(text) };
}

/** `$(( ... ))`. Quotes and separators are not numbers: that is something else, or shells disagree. */
function readArithmetic(reading: WordReading): void {
  const { source } = reading;
  let depth = 0;
  while (!(depth === 0 && source.startsWith('))'))) {
    const next = source.peek();
    const isOver = next === '' || (depth === 0 && next === ')');
    if (isOver || '\'"\\;\n#'.includes(next) || isSubstitution(source)) {
      source.fail('its arithmetic is not understood');
      return;
    }
    if (next === '$') readDollar(reading, 'inside');
    else if (next === '`') readBackticks(reading, 'outside');
    else {
      if (next === '(') depth += 1;
      if (next === ')') depth -= 1;
      source.take();
    }
  }
  source.takes('))');
}

/** `${ ... }`. How quotes count in here depends on the shell and on what is around it. */
function readBraced(reading: WordReading): void {
  const { source } = reading;
  if (!/[\w#!@*?$-]/.test(source.peek())) source.fail('it has a ${...} that is not understood');
  for (let next = source.peek(); next !== '}'; next = source.peek()) {
    if (next === '' || '\'"\\(\n'.includes(next)) {
      source.fail('it has a ${...} that is not understood');
      return;
    }
    if (next === '$' && source.peek(1) !== '}') readDollar(reading, 'inside');
    else if (next === '`') readBackticks(reading, 'inside');
    else source.take();
  }
  source.take();
}

function readBackticks({ source, script }: WordReading, place: Place): Atom {
  const start = source.position;
  source.take();
  let text = '';
  for (let next = source.takeRaw(); next !== '`'; next = source.takeRaw()) {
    if (next === '') source.fail('a backtick is not closed');
    if (next === '') return { kind: 'quoted', text: '' };
    const after = source.peekRaw();
    if (next === '\\' && after === '"' && place === 'inside') source.fail('it has quotes inside backticks');
    text += next === '\\' && ['$', '`', '\\'].includes(after) ? source.takeRaw() : next;
  }
  script(text);
  return { kind: 'expansion', text: source.since(start), splits: place === 'outside' };
}

/** `$'...'`: bash decodes it, other shells keep its dollar sign and backslashes. Its end must be beyond doubt. */
function readAnsiQuoted(source: ShellSource): void {
  source.take();
  const text = source.takeThrough("'");
  if (text === null || text.endsWith('\\')) source.fail("it has a $'...' string that is not understood");
}
