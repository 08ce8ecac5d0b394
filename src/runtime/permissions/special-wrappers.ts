import { hasOrigin, inputWord, knownText, literalText, type Word } from './shell-word.ts';
import { NOTHING, runsScript, UNKNOWN, type Unwrapped } from './unwrapped.ts';
import { afterOptions } from './wrapper-options.ts';

/** Programs that run others in a way of their own. Each gets its words without the name. */

const XARGS = {
  flags: '0rtpxo',
  values: 'adEILnPs',
  longFlags: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty'],
  longValues: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars'],
};

/** What xargs reads is added at the end, or wherever its placeholder stands. */
export function runByXargs(words: readonly Word[]): Unwrapped {
  const parsed = afterOptions(words, XARGS);
  if (parsed === null) return UNKNOWN;
  const { rest, values } = parsed;
  if (rest.length === 0) return NOTHING;
  const placeholder = values.get('I');
  if (placeholder === null || placeholder === '') return UNKNOWN;
  const command = placeholder === undefined ? [...rest, inputWord('…')] : filledIn(rest, placeholder);
  return { kind: 'runs', commands: [command], scripts: [], transparent: false };
}

function filledIn(words: readonly Word[], placeholder: string): readonly Word[] {
  return words.map((word) => (knownText(word).includes(placeholder) ? inputWord(knownText(word)) : word));
}

const STARTS_COMMAND = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** `find ... -exec command ;`, once or several times. */
export function runByFind(words: readonly Word[]): Unwrapped {
  if (words.some((word) => hasOrigin(word, 'shell', 'input'))) return UNKNOWN;
  const commands: (readonly Word[])[] = [];
  const texts = words.map(literalText);
  for (let at = 0; at < words.length; at += 1) {
    if (!STARTS_COMMAND.has(texts[at] ?? '')) continue;
    const end = texts.findIndex((text, index) => index > at && isEnd(texts, text, index));
    if (end < 0 || end === at + 1) return UNKNOWN;
    commands.push(filledIn(words.slice(at + 1, end), '{}'));
    at = end;
  }
  return commands.length === 0 ? NOTHING : { kind: 'runs', commands, scripts: [], transparent: false };
}

function isEnd(texts: readonly (string | null)[], text: string | null, index: number): boolean {
  return text === ';' || (text === '+' && texts[index - 1] === '{}');
}

const SHELL_FLAGS = /^[-+][abefhkmnptuvxBCEHPTlic]+$/;
/** The last letter takes the next word. */
const SHELL_VALUES = /^[-+][abefhkmnptuvxBCEHPTlic]*[oO]$/;
const LONG_SHELL_FLAGS = /^--(?:login|noprofile|norc|posix|noediting|verbose|restricted)$/;

/** A shell runs the text after -c, a file, or what it reads. Only the first is known. */
export function runByShell(base: string, words: readonly Word[]): Unwrapped {
  const texts = words.map((word) => literalText(word));
  const flags: string[] = [];
  let at = 0;
  for (let text = texts[at]; text !== undefined; text = texts[at]) {
    if (text === null) return UNKNOWN;
    if (text === '--version' || text === '--help') return NOTHING;
    if (!SHELL_FLAGS.test(text) && !SHELL_VALUES.test(text) && !LONG_SHELL_FLAGS.test(text)) break;
    flags.push(text);
    at += SHELL_VALUES.test(text) ? 2 : 1;
  }
  const isMarked = texts[at] === '--';
  if (isMarked) at += 1;
  const operand = texts[at];
  if (typeof operand !== 'string' || (!isMarked && /^[-+]/.test(operand))) return UNKNOWN;
  const isCommand = flags.some((flag) => /^-[^-]*c/.test(flag));
  if (!isCommand) return runsFile(words.slice(at));
  return runsScript(operand, isPlainShell(base) && flags.every((flag) => /^-[celuo]+$/.test(flag)));
}

/** What zsh and others understand is not quite what is read here. */
function isPlainShell(base: string): boolean {
  return ['sh', 'bash', 'dash'].includes(base);
}

/** A file by its name. What comes through a descriptor or from the process table could be anything. */
export function runsFile(words: readonly Word[]): Unwrapped {
  const path = words[0] === undefined ? null : literalText(words[0]);
  const isKnown = path !== null && path !== '' && !path.startsWith('-') && !/^\/(?:dev|proc)\//.test(path);
  return isKnown ? { kind: 'file', words } : UNKNOWN;
}

/** `trap 'script' EXIT`. */
export function runByTrap(words: readonly Word[]): Unwrapped {
  const [first, ...signals] = literalText(words[0] ?? inputWord('')) === '--' ? words.slice(1) : words;
  if (first === undefined) return NOTHING;
  const text = literalText(first);
  if (text !== null && (text.startsWith('-') || signals.length === 0)) return NOTHING;
  return runsScript(text, false);
}
