import { fault, ok, type Result } from './tool-faults.ts';

/**
 * Ripgrep's dialect of regular expressions, written as JavaScript's. Where ripgrep is missing, a pattern must
 * find the same lines or be refused: it must never quietly mean something else.
 */

const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';
const NOT_WORD = WORD.replace('[', '[^');

const ESCAPES: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  s: '\\p{White_Space}',
  S: '\\P{White_Space}',
  t: '\\t',
  r: '\\r',
  f: '\\f',
  v: '\\v',
  a: '\\x07',
};

const OUTSIDE_CLASS: Readonly<Record<string, string>> = {
  ...ESCAPES,
  w: WORD,
  W: NOT_WORD,
  b: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
  B: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  A: '(?<![\\s\\S])',
  z: '(?![\\s\\S])',
};

const INSIDE_CLASS: Readonly<Record<string, string>> = { ...ESCAPES, w: WORD.slice(1, -1) };

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: '\\t ',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\r\\n\\v\\f ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

export function compileRustRegex(pattern: string): Result<RegExp> {
  const flags = /^\(\?i\)/.exec(pattern);
  const body = flags === null ? pattern : pattern.slice(flags[0].length);
  const translated = new Translation(body).whole();
  if (!translated.ok) return translated;
  try {
    return ok(new RegExp(translated.value, flags === null ? 'u' : 'iu'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refused(error.message);
  }
}

function refused(why: string): { readonly ok: false; readonly error: ReturnType<typeof fault>['error'] } {
  return fault('search_failed', `The pattern was not accepted: ${why}\nCorrect it or set regex to false.`);
}

class Translation {
  private readonly chars: readonly string[];
  private at = 0;
  private output = '';

  constructor(pattern: string) {
    this.chars = Array.from(pattern);
  }

  whole(): Result<string> {
    while (this.at < this.chars.length) {
      const problem = this.step(this.chars[this.at] ?? '');
      if (problem !== undefined) return refused(problem);
    }
    return ok(this.output);
  }

  /** Translates one element; answers what is wrong with it, if anything. */
  private step(char: string): string | undefined {
    switch (char) {
      case '\\':
        return this.escape(OUTSIDE_CLASS);
      case '[':
        return this.characterClass();
      case '(':
        return this.group();
      case '.':
        return this.emit('[^\\r\\n]');
      case '^':
        return this.emit('(?<![^\\r\\n])');
      case '$':
        return this.emit('(?![^\\r\\n])');
      case '\n':
        return 'a line break is not allowed, because lines are searched one at a time';
      default:
        return this.emit(char === '/' ? '\\/' : char);
    }
  }

  private emit(text: string, length = 1): undefined {
    this.output += text;
    this.at += length;
  }

  private rest(length: number): string {
    return this.chars.slice(this.at, this.at + length).join('');
  }

  private escape(meanings: Readonly<Record<string, string>>): string | undefined {
    const next = this.chars[this.at + 1];
    if (next === undefined) return 'it ends with a backslash';
    if (next === 'n') return '"\\n" is not allowed, because lines are searched one at a time';
    if (/[0-9]/.test(next)) return 'backreferences are not supported';
    const meaning = Object.hasOwn(meanings, next) ? meanings[next] : undefined;
    if (meaning !== undefined) return this.emit(meaning, 2);
    if (next === 'p' || next === 'P') return this.property(next);
    if (next === 'x' || next === 'u') return this.codePoint();
    if (/[!-/:-;=?@[-`{-~]/.test(next)) return this.emit(literal(next), 2);
    return `"\\${next}" is not a known escape`;
  }

  private property(kind: 'p' | 'P'): string | undefined {
    const tail = this.chars.slice(this.at + 2).join('');
    const named = /^(?:\{([A-Za-z_=]+)\}|([A-Z]))/.exec(tail);
    if (named === null) return `"\\${kind}" needs a property, such as "\\${kind}{L}"`;
    return this.emit(`\\${kind}{${named[1] ?? named[2]}}`, 2 + named[0].length);
  }

  private codePoint(): string | undefined {
    const tail = this.chars.slice(this.at + 1).join('');
    const digits = /^(?:[xu]\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))/.exec(tail);
    if (digits === null) return 'the code point is not complete';
    return this.emit(`\\u{${digits[1] ?? digits[2] ?? digits[3]}}`, 1 + digits[0].length);
  }

  private group(): string | undefined {
    const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(this.rest(80));
    if (named !== null) return this.emit(`(?<${named[1]}>`, named[0].length);
    if (this.rest(3) === '(?:') return this.emit('(?:', 3);
    if (this.rest(2) !== '(?') return this.emit('(');
    return /^\(\?<?[=!]/.test(this.rest(4))
      ? 'look-around is not supported'
      : 'flags are only supported as "(?i)" at the very beginning';
  }

  private characterClass(): string | undefined {
    this.emit('[');
    if (this.chars[this.at] === '^') {
      // A negated class never reaches beyond its line.
      this.emit('^\\r\\n');
    }
    for (let first = true; this.at < this.chars.length; first = false) {
      const char = this.chars[this.at] ?? '';
      if (char === ']' && !first) return this.emit(']');
      const problem = this.classItem(char, this.chars[this.at + 1]);
      if (problem !== undefined) return problem;
    }
    return 'a character class is not closed';
  }

  private classItem(char: string, next: string | undefined): string | undefined {
    if (char === '\\') return this.escape(INSIDE_CLASS);
    if (char === '[') return this.posixClass();
    if (char === next && '&~-'.includes(char)) return 'operations on character classes are not supported';
    return this.emit(char === '-' ? '-' : literal(char));
  }

  private posixClass(): string | undefined {
    const named = /^\[:([a-z]+):\]/.exec(this.rest(12));
    const members = named === null ? undefined : POSIX_CLASSES[named[1] ?? ''];
    if (named === null || members === undefined) return 'a character class inside another is not supported';
    return this.emit(members, named[0].length);
  }
}

function literal(char: string): string {
  return /\w/.test(char) ? char : `\\u{${char.codePointAt(0)?.toString(16) ?? '0'}}`;
}
