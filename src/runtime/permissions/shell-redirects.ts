import type { Direction, Redirect } from './shell-commands.ts';
import type { ShellSource } from './shell-source.ts';
import { literalText, type Word } from './shell-word.ts';
import { readWord, type WordReading } from './shell-words.ts';

/** A here-document that was announced and has not come yet. */
export interface Announced {
  readonly end: string;
  /** Nothing in it is expanded. */
  readonly verbatim: boolean;
  readonly stripsTabs: boolean;
}

/** Longest first. */
const OPERATORS = ['&>>', '&>', '<<<', '<<-', '<<', '<>', '<&', '<', '>>', '>|', '>&', '>'] as const;
type Operator = (typeof OPERATORS)[number];

export function startsRedirect(source: ShellSource): boolean {
  if (source.startsWith('<(') || source.startsWith('>(')) return false;
  return source.startsWith('&>') || source.startsWith('<') || source.startsWith('>');
}

/** Reads one, after the number in front of it. */
export function readRedirect(reading: WordReading, number: string, announced: Announced[]): Redirect | null {
  const { source } = reading;
  const operator = OPERATORS.find((one) => source.takes(one));
  source.takeBlanks();
  const target = readWord(reading);
  if (operator === undefined || target === null) {
    source.fail('a redirection leads nowhere');
    return null;
  }
  if (operator === '<<' || operator === '<<-') announced.push(announcement(source, operator, target));
  return { operator: number + operator, target, direction: directionOf(operator, target) };
}

function directionOf(operator: Operator, target: Word): Direction {
  if (operator === '<') return 'in';
  if (operator === '<<' || operator === '<<-' || operator === '<<<') return 'text';
  if (operator === '<&' || operator === '>&') return isDescriptor(target) ? 'copy' : 'out';
  return 'out';
}

function isDescriptor(target: Word): boolean {
  return /^(?:\d+-?|-)$/.test(literalText(target) ?? '');
}

function announcement(source: ShellSource, operator: '<<' | '<<-', target: Word): Announced {
  const end = literalText(target);
  if (end === null || end.includes('\n')) source.fail('the end of a here-document is not understood');
  return { end: end ?? '', verbatim: target.quoted, stripsTabs: operator === '<<-' };
}

/** Reads the texts that were announced. The source is at the start of a line. */
export function readAnnounced(reading: WordReading, announced: Announced[]): void {
  for (const document of announced.splice(0)) {
    const text = takeDocument(reading.source, document);
    if (text === null) reading.source.fail('a here-document does not end');
    else if (!document.verbatim) reading.expandable(text);
  }
}

function takeDocument(source: ShellSource, { end, verbatim, stripsTabs }: Announced): string | null {
  const lines: string[] = [];
  while (source.peekRaw() !== '') {
    const line = source.takeThrough('\n') ?? takeRest(source);
    if ((stripsTabs ? line.replace(/^\t+/, '') : line) === end) return lines.join('\n');
    // Such a line goes on in the next one, also when that looks like the end.
    if (!verbatim && line.endsWith('\\')) return null;
    lines.push(line);
  }
  return null;
}

function takeRest(source: ShellSource): string {
  const start = source.position;
  source.takeLine();
  return source.since(start);
}

/** Whether a redirection can neither change a file nor hide where something comes from. */
export function isHarmless({ direction, target }: Redirect): boolean {
  return direction === 'copy' || (direction === 'out' && NOWHERE.has(literalText(target) ?? ''));
}

const NOWHERE = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);
