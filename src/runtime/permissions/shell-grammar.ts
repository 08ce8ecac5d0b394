import type { Redirect, ShellCommand } from './shell-commands.ts';
import { isCompound, readCompound, type CompoundReading } from './shell-compounds.ts';
import {
  isHarmless,
  readAnnounced,
  readRedirect,
  startsRedirect,
  type Announced,
} from './shell-redirects.ts';
import { ShellSource } from './shell-source.ts';
import { literalText, plainWord, type Word } from './shell-word.ts';
import { ENDS_WORD, readQuoted, readWord, type WordReading } from './shell-words.ts';

export type Script =
  | { readonly kind: 'commands'; readonly commands: readonly ShellCommand[] }
  | { readonly kind: 'unparsed'; readonly why: string };

/** Deeper nesting is taken for an attack. */
const DEEPEST = 40;

/**
 * Every command that a script could run, also inside substitutions. It reads what bash and POSIX shells agree
 * on; where they do not, or where it is not sure, the script is unparsed.
 */
export function parseScript(
  text: string,
  { depth, piped }: { readonly depth: number; readonly piped: boolean },
): Script {
  const grammar = new ShellGrammar(new ShellSource(text), depth, piped);
  grammar.script();
  const why = grammar.trouble;
  return why === null ? { kind: 'commands', commands: grammar.commands } : { kind: 'unparsed', why };
}

const RESERVED = /^(?:then|elif|else|fi|do|done|esac|in|\}|select|coproc|\]\])$/;
const LONGEST_RESERVED = 'function'.length;

class ShellGrammar implements CompoundReading {
  readonly commands: ShellCommand[] = [];
  readonly reading: WordReading;
  private announced: Announced[] = [];
  private substitutions = 0;

  constructor(
    private readonly source: ShellSource,
    private depth: number,
    private piped: boolean,
  ) {
    if (depth > DEEPEST) source.fail('it is nested too deeply');
    this.reading = {
      source,
      commands: () => this.substitution(),
      script: (text) => this.nested(text, (inner) => inner.script()),
      expandable: (text) => this.nested(text, (inner) => readQuoted(inner.reading, '')),
    };
  }

  get trouble(): string | null {
    return this.source.trouble;
  }

  get isSubstituted(): boolean {
    return this.substitutions > 0;
  }

  script(): void {
    this.list([]);
    if (this.source.peek() !== '') this.source.fail(`a ${this.source.peek()} is out of place`);
    if (this.announced.length > 0) this.source.fail('a here-document does not end');
  }

  /** A text that is read by itself, such as that between backticks. */
  private nested(text: string, read: (inner: ShellGrammar) => void): void {
    const inner = new ShellGrammar(new ShellSource(text), this.depth + 1, this.piped);
    read(inner);
    for (const command of inner.commands) this.commands.push(command);
    if (inner.trouble !== null) this.source.fail(inner.trouble);
  }

  private substitution(): void {
    const { announced, piped } = this;
    this.announced = [];
    this.substitutions += 1;
    this.listInParentheses();
    this.substitutions -= 1;
    if (this.announced.length > 0) this.source.fail('a here-document does not end');
    this.announced = announced;
    this.piped = piped;
  }

  listInParentheses(): void {
    this.deeper([]);
    if (!this.source.takes(')')) this.source.fail('a parenthesis is not closed');
  }

  listUpTo(...stops: readonly string[]): string {
    this.deeper(stops);
    const stop = this.reserved();
    if (!stops.includes(stop)) this.source.fail('a compound command is not closed');
    this.source.takes(stop);
    return stop;
  }

  branch(): boolean {
    this.deeper(['esac']);
    if (this.source.takes(';;&') || this.source.takes(';;') || this.source.takes(';&')) return true;
    if (!this.takesReserved('esac')) this.source.fail('a case is not closed');
    return false;
  }

  private deeper(stops: readonly string[]): void {
    this.depth += 1;
    if (this.depth > DEEPEST) this.source.fail('it is nested too deeply');
    this.list(stops);
    this.depth -= 1;
  }

  private list(stops: readonly string[]): void {
    for (this.gap(); !this.isOver() && !stops.includes(this.reserved()); this.gap()) {
      this.andOr();
      this.blanks();
      if (this.isOver()) return;
      if (this.source.peek() === ';' || this.source.peek() === '&') this.source.take();
      else if (this.source.peek() !== '\n') this.source.fail(`a ${this.source.peek()} is out of place`);
    }
  }

  private isOver(): boolean {
    return (
      ['', ')'].includes(this.source.peek()) || this.source.startsWith(';;') || this.source.startsWith(';&')
    );
  }

  private andOr(): void {
    do {
      this.gap();
      this.pipeline();
      this.blanks();
    } while (this.source.takes('&&') || this.source.takes('||'));
  }

  private pipeline(): void {
    const { piped } = this;
    for (let first = this.reserved(); first === '!' || first === 'time'; first = this.reserved()) {
      this.source.takes(first);
      this.blanks();
      if (first === 'time' && this.source.startsWith('-')) this.source.fail('time has options');
    }
    this.command();
    for (this.blanks(); !this.source.startsWith('||') && this.source.takes('|'); this.blanks()) {
      this.source.takes('&');
      this.piped = true;
      this.gap();
      this.command();
    }
    this.piped = piped;
  }

  private command(): void {
    const first = this.source.peek() === '(' ? '(' : this.reserved();
    if (this.source.startsWith('((')) this.source.fail('it has ((...)), which shells read differently');
    if (RESERVED.test(first)) this.source.fail(`${first} is out of place`);
    if (first === 'function') this.functionKeyword();
    else if (isCompound(first)) this.compound(first);
    else this.simpleCommand();
  }

  private compound(first: string): void {
    const redirects: Redirect[] = [];
    this.source.takes(first);
    readCompound(first, this);
    for (this.blanks(); this.source.peek() !== ''; this.blanks()) {
      const number =
        /\d/.test(this.source.peek()) && /[<>]/.test(this.source.peek(1)) ? this.source.take() : '';
      if (!startsRedirect(this.source)) break;
      redirects.push(...this.redirect(number));
    }
    if (!redirects.every(isHarmless)) this.construct([], redirects);
  }

  private functionKeyword(): void {
    this.source.takes('function');
    this.blanks();
    const name = readWord(this.reading);
    this.blanks();
    if (this.source.peek() === '(') this.functionParentheses();
    this.functionBody(name);
  }

  private functionParentheses(): void {
    this.source.takes('(');
    this.blanks();
    if (!this.source.takes(')')) this.source.fail('a ( is out of place');
  }

  private functionBody(name: Word | null): void {
    this.gap();
    const first = this.source.peek() === '(' ? '(' : this.reserved();
    if (name === null || !isCompound(first)) this.source.fail('a function is not understood');
    else this.construct([name, plainWord('()')]);
    this.command();
  }

  private simpleCommand(): void {
    const assignments: Word[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (this.blanks(); ; this.blanks()) {
      if (startsRedirect(this.source)) {
        redirects.push(...this.redirect(''));
        continue;
      }
      const word = this.word();
      if (word === null) break;
      if (/[<>]/.test(this.source.peek()) && this.isDescriptor(word))
        redirects.push(...this.redirect(word.bare));
      // To a shell that does not know `&>`, this is the start of another command.
      else if (redirects.some(({ operator }) => operator.startsWith('&')))
        this.source.fail('a word follows &>');
      else if (words.length > 0 || !this.isAssignment(word)) words.push(word);
      else assignments.push(word);
    }
    const [name] = words;
    if (
      this.source.peek() === '(' &&
      name !== undefined &&
      words.length + assignments.length + redirects.length === 1
    ) {
      this.functionParentheses();
      this.functionBody(name);
    } else if (words.length + assignments.length + redirects.length === 0)
      this.source.fail('a command is missing');
    else if (this.source.peek() === '(') this.source.fail('a ( is out of place');
    else this.commands.push({ kind: 'simple', assignments, words, redirects, piped: this.piped });
  }

  private word(): Word | null {
    const start = this.source.position;
    const word = readWord(this.reading);
    // The text of a here-document would start in the middle of the word, or after it.
    if (this.announced.length > 0 && this.source.since(start).includes('\n'))
      this.source.fail('a here-document starts in the middle of a line');
    return word;
  }

  private redirect(number: string): readonly Redirect[] {
    const redirect = readRedirect(this.reading, number, this.announced);
    return redirect === null ? [] : [redirect];
  }

  /** A number or a variable right before a redirection belongs to it. */
  private isDescriptor(word: Word): boolean {
    const text = word.quoted ? null : literalText(word);
    if (text !== null && (/^\d{2,}$/.test(text) || /^\{.*\}$/s.test(text)))
      this.source.fail('a redirection is not understood');
    return text !== null && /^\d$/.test(text);
  }

  private isAssignment({ bare }: Word): boolean {
    if (/^[A-Za-z_]\w*\[/.test(bare)) this.source.fail('an assignment to an array is not understood');
    return /^[A-Za-z_]\w*\+?=/.test(bare);
  }

  /** The word that comes next if it could be a reserved one: without quotes, of letters, brackets or `!`. */
  private reserved(): string {
    let word = '';
    for (let next = this.source.peek(); /^[a-z{}[\]!]$/.test(next); next = this.source.peek(word.length)) {
      word += next;
      if (word.length > LONGEST_RESERVED) return '';
    }
    return ENDS_WORD.has(this.source.peek(word.length)) ? word : '';
  }

  takesReserved(word: string): boolean {
    return this.reserved() === word && this.source.takes(word);
  }

  blanks(): void {
    this.source.takeBlanks();
    if (this.source.peek() !== '#') return;
    // Old versions of bash look for the end of the substitution in the comment too.
    if (this.isSubstituted) this.source.fail('it has a comment inside a substitution');
    this.source.takeLine();
  }

  gap(): void {
    for (this.blanks(); this.source.peek() === '\n'; this.blanks()) {
      this.source.take();
      readAnnounced(this.reading, this.announced);
    }
  }

  construct(words: readonly Word[], redirects: readonly Redirect[] = []): void {
    this.commands.push({ kind: 'construct', words, redirects });
  }

  simple(words: readonly Word[]): void {
    this.commands.push({ kind: 'simple', assignments: [], words, redirects: [], piped: this.piped });
  }
}
