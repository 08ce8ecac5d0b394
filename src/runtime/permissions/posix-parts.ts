import { joinedSplits, runsInput, type CommandPart, type Split } from './command-part.ts';
import { readName } from './command-names.ts';
import { ANY, type Pattern } from './glob.ts';
import { possiblePatterns, writtenPatterns } from './part-patterns.ts';
import type { Construct, Redirect, ShellCommand, SimpleCommand } from './shell-commands.ts';
import { parseScript } from './shell-grammar.ts';
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
  const [first] = command.words;
  const base = first === undefined ? null : readName(first).base;
  const runs = base === null ? NOTHING : unwrap(base, command.words);
  const own: Split = { kind: 'parts', parts: [simplePart(command, runs, depth)] };
  if (runs.kind !== 'runs') return own;
  const place = { depth: depth + 1, piped: readsInput(command) };
  return joinedSplits([
    own,
    ...runs.commands.map((words) => commandParts(simple(words, place.piped), place.depth)),
    ...runs.scripts.map((script) => scriptParts(script, place)),
  ]);
}

function simple(words: readonly Word[], piped: boolean): SimpleCommand {
  return { kind: 'simple', assignments: [], words, redirects: [], piped };
}

function readsInput({ piped, redirects }: SimpleCommand): boolean {
  return piped || redirects.some(({ direction }) => direction === 'in' || direction === 'text');
}

function constructPart({ words, redirects }: Construct): CommandPart {
  return {
    text: [wordsText(words), ...redirects.map(redirectText)].filter((text) => text !== '').join(' '),
    couldBe: possiblePatterns({ assignments: [], words, redirects }, words.slice(0, 1)),
    mustBe: [],
    handsOn: false,
    saysAll: false,
  };
}

function simplePart(command: SimpleCommand, runs: Unwrapped, depth: number): CommandPart {
  const { assignments, words, redirects } = command;
  const [first] = words;
  const name = first === undefined ? null : readName(first);
  const mustBe = evaluatesWords(command) ? [] : writtenPatterns(command);
  const isTransparent = runs.kind === 'runs' && runs.transparent && name?.isStandard === true;
  return {
    text: [wordsText([...assignments, ...words]), ...redirects.map(redirectText)]
      .filter((text) => text !== '')
      .join(' '),
    couldBe: [
      ...possiblePatterns(command, name?.words ?? []),
      ...(isAnything(command, runs) ? [[ANY]] : []),
      ...(runs.kind === 'somewhere' ? somewhere(command, depth) : []),
    ],
    mustBe,
    handsOn: isTransparent && mustBe.length > 0,
    saysAll: saysAll(command, runs),
  };
}

function redirectText({ operator, target }: Redirect): string {
  return wordsText([plainWord(operator), target]);
}

/** A program that runs what it reads says little about what it does, also if nothing is there to read this time. */
function saysAll(command: SimpleCommand, runs: Unwrapped): boolean {
  const { words, redirects, piped } = command;
  const base = words[0] === undefined ? '' : (readName(words[0]).base ?? '');
  const mayRunInput = runs.kind === 'somewhere' || runsInput(base);
  return (
    runs.kind !== 'unknown' &&
    !(mayRunInput && (piped || words.length === 1)) &&
    !words.some((word) => hasOrigin(word, 'input')) &&
    redirects.every(({ direction }) => direction === 'out' || direction === 'copy')
  );
}

/** Whether it could run any command at all. */
function isAnything(command: SimpleCommand, runs: Unwrapped): boolean {
  const [first] = command.words;
  return (
    runs.kind === 'unknown' ||
    (first !== undefined && readName(first).base === null) ||
    command.assignments.some((word) => SUBSTITUTES.test(knownText(word))) ||
    evaluatesWords(command)
  );
}

const SUBSTITUTES = /\$[({]|`|[<>]\(/;
const EVALUATES =
  /^(?:let|test|\[|\[\[|printf|read|unset|declare|typeset|local|export|readonly|wait|mapfile|readarray|getopts)$/;

/** In the index of an array, these run a substitution even if it was quoted: `test -v 'a[$(x)]'`. */
function evaluatesWords({ words: [first, ...rest] }: SimpleCommand): boolean {
  if (first === undefined || !EVALUATES.test(readName(first).base ?? '')) return false;
  return rest.some((word) => /\[[^]*(?:\$[({]|`|[<>]\()/.test(knownText(word)));
}

const MOST_WORDS = 50;

/** Where one of the words is the command: every one could be, and every one could be a whole script. */
function somewhere({ words, piped }: SimpleCommand, depth: number): readonly Pattern[] {
  if (words.length > MOST_WORDS) return [[ANY]];
  return words.slice(1).flatMap((word, index) => {
    const rest = words.slice(index + 2);
    const names = readName(word).words.map((name) => possiblePattern([name, ...rest], 'unquoted'));
    const text = literalText(word) ?? '';
    if (!/[\s;&|<>`$]/.test(text)) return names;
    const script = scriptParts(text, { depth: depth + 1, piped });
    return [
      ...names,
      ...(script.kind === 'unparsed' ? [[ANY]] : script.parts.flatMap((part) => part.couldBe)),
    ];
  });
}
