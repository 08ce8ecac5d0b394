import { joinedSplits, runsInput, type CommandPart, type Split } from './command-part.ts';
import { readName, type NameReadings } from './command-names.ts';
import { ANY, type Pattern } from './glob.ts';
import { commandPaths, constructPaths } from './named-paths.ts';
import { possiblePatterns, writtenPatterns } from './part-patterns.ts';
import type { Construct, Redirect, ShellCommand, SimpleCommand } from './shell-commands.ts';
import { parseScript } from './shell-grammar.ts';
import { loopsOverDirecting, setsDirecting } from './shell-variables.ts';
import {
  hasOrigin,
  knownText,
  literalText,
  plainWord,
  possiblePattern,
  wordsText,
  type Word,
} from './shell-word.ts';
import { NOTHING, type Unwrapped } from './unwrapped.ts';
import { unwrap } from './wrappers.ts';

/** More programs that run programs than this are taken for an attack. */
const MOST_WRAPPERS = 12;

/** Where a command stands: in how many others, and whether it reads what came from somewhere else. */
interface Place {
  readonly depth: number;
  readonly piped: boolean;
}

/** Every command that a line for a POSIX shell could run, also through programs that run others. */
export function posixParts(line: string): Split {
  return scriptParts(line, { depth: 0, piped: false });
}

function scriptParts(line: string, place: Place): Split {
  const script = parseScript(line, place);
  if (script.kind === 'unparsed') return script;
  return joinedSplits(script.commands.map((command) => commandParts(command, place.depth)));
}

function commandParts(command: ShellCommand, depth: number): Split {
  if (depth > MOST_WRAPPERS) return { kind: 'unparsed', why: 'it is nested too deeply' };
  if (command.kind === 'construct') return { kind: 'parts', parts: [constructPart(command)] };
  const known = knownCommand(command);
  const inner = innerParts(known, depth + 1);
  if (inner.kind === 'unparsed') return inner;
  return { kind: 'parts', parts: [simplePart(known, depth), ...inner.parts] };
}

function innerParts({ command, runs }: KnownCommand, depth: number): Split {
  if (runs.kind !== 'runs') return { kind: 'parts', parts: [] };
  const piped = readsInput(command);
  return joinedSplits([
    ...runs.commands.map((words) => commandParts(simple(words, piped), depth)),
    ...runs.scripts.map((script) => scriptParts(script, { depth, piped })),
  ]);
}

/** A command with what is known of it. */
interface KnownCommand {
  readonly command: SimpleCommand;
  /** Null for one that only sets variables or only redirects. */
  readonly name: NameReadings | null;
  readonly runs: Unwrapped;
  /** Whether it runs a substitution in its words even if that was quoted. */
  readonly evaluates: boolean;
  /** Whether names mean something else after it, or something else is run along with them. */
  readonly redefines: boolean;
}

function knownCommand(command: SimpleCommand): KnownCommand {
  const [first, ...rest] = command.words;
  const name = first === undefined ? null : readName(first);
  const base = name?.base ?? null;
  const runs = base === null ? NOTHING : unwrap(base, command.words);
  const evaluates = EVALUATES.test(base ?? '') && rest.some(hasIndex);
  return { command, name, runs, evaluates, redefines: setsDirecting(command, base) };
}

const EVALUATES =
  /^(?:let|test|\[|\[\[|printf|read|unset|declare|typeset|local|export|readonly|wait|mapfile|readarray|getopts)$/;
const SUBSTITUTES = /\$[({]|`|[<>]\(/;

/** The index of an array is expanded once more, as in `test -v 'a[$(x)]'`. */
function hasIndex(word: Word): boolean {
  const text = knownText(word);
  const index = text.indexOf('[');
  return index >= 0 && SUBSTITUTES.test(text.slice(index));
}

function simple(words: readonly Word[], piped: boolean): SimpleCommand {
  return { kind: 'simple', assignments: [], words, redirects: [], piped };
}

function readsInput({ piped, redirects }: SimpleCommand): boolean {
  return piped || redirects.some(({ direction }) => direction === 'in' || direction === 'text');
}

function constructPart(construct: Construct): CommandPart {
  const { words, redirects } = construct;
  return {
    text: [wordsText(words), ...redirects.map(redirectText)].filter((text) => text !== '').join(' '),
    couldBe: [
      ...possiblePatterns({ assignments: [], words, redirects }, words.slice(0, 1)),
      ...(loopsOverDirecting(construct) ? [[ANY]] : []),
    ],
    mustBe: [],
    isOpaque: true,
    handsOn: false,
    saysAll: false,
    paths: constructPaths(construct),
  };
}

function simplePart(known: KnownCommand, depth: number): CommandPart {
  const { command, name, runs } = known;
  const { assignments, words, redirects } = command;
  const mustBe = known.evaluates || known.redefines ? [] : writtenPatterns(command);
  const isTransparent = runs.kind === 'runs' && runs.transparent && name?.isStandard === true;
  return {
    text: [wordsText([...assignments, ...words]), ...redirects.map(redirectText)]
      .filter((text) => text !== '')
      .join(' '),
    couldBe: [
      ...possiblePatterns(command, name?.words ?? []),
      ...(isAnything(known) ? [[ANY]] : []),
      ...(runs.kind === 'somewhere' ? somewhere(command, depth) : []),
      ...(runs.kind === 'file' ? startingWith(runs.words) : []),
    ],
    mustBe,
    isOpaque: runs.kind === 'somewhere' || isAnything(known),
    handsOn: isTransparent && mustBe.length > 0,
    saysAll: saysAll(known),
    paths: commandPaths(command, name, runs),
  };
}

function redirectText({ operator, target }: Redirect): string {
  return wordsText([plainWord(operator), target]);
}

/** A program that runs what it reads says little about what it does, also if nothing is there to read this time. */
function saysAll({ command, name, runs }: KnownCommand): boolean {
  const { words, redirects, piped } = command;
  const mayRunInput = runs.kind === 'somewhere' || runsInput(name?.base ?? '');
  return (
    runs.kind !== 'unknown' &&
    !(mayRunInput && (piped || words.length === 1)) &&
    !words.some((word) => hasOrigin(word, 'input')) &&
    redirects.every(({ direction }) => direction === 'out' || direction === 'copy')
  );
}

/** Whether it could run any command at all. */
function isAnything({ command, name, runs, evaluates, redefines }: KnownCommand): boolean {
  return (
    runs.kind === 'unknown' ||
    (name !== null && name.base === null) ||
    command.assignments.some((word) => SUBSTITUTES.test(knownText(word))) ||
    evaluates ||
    redefines
  );
}

const MOST_WORDS = 50;

/** Where one of the words is the command: every one could be, and every one could be a whole script. */
function somewhere({ words, piped }: SimpleCommand, depth: number): readonly Pattern[] {
  if (words.length > MOST_WORDS) return [[ANY]];
  return words.slice(1).flatMap((word, index) => {
    const names = startingWith(words.slice(index + 1));
    const text = literalText(word) ?? '';
    if (!/[\s;&|<>`$]/.test(text)) return names;
    const script = scriptParts(text, { depth: depth + 1, piped });
    return [
      ...names,
      ...(script.kind === 'unparsed' ? [[ANY]] : script.parts.flatMap((part) => part.couldBe)),
    ];
  });
}

/** The words as a command of their own. */
function startingWith([first, ...rest]: readonly Word[]): readonly Pattern[] {
  const names = first === undefined ? [] : readName(first).words;
  return names.map((name) => possiblePattern([name, ...rest], 'unquoted'));
}
