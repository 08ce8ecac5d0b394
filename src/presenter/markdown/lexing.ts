import { Lexer, type Token, type TokensList } from 'marked';

export interface Reference {
  readonly href: string;
}

export type References = ReadonlyMap<string, Reference>;

/** Beyond these, what is between the marks is shown as it is written: the lexer's cost would explode. */
const MAX_DEPTH = 16;
const MAX_INLINE_CHARS = 4_096;
const MAX_DELIMITERS = 256;

/** Marked's lexer with bounds, so that no text can make it slow or exhaust the stack. */
class BoundedLexer extends Lexer {
  private depth = 0;

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    if (this.depth >= MAX_DEPTH) {
      tokens.push({ type: 'beyond_depth', raw: src });
      this.state.top = true;
      return tokens;
    }
    this.depth += 1;
    try {
      return super.blockTokens(src, tokens, lastParagraphClipped);
    } finally {
      this.depth -= 1;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= MAX_INLINE_CHARS && delimiters(src) <= MAX_DELIMITERS && !hasLongName(src)) {
      return super.inlineTokens(src, tokens);
    }
    tokens.push({ type: 'beyond_length', raw: src });
    return tokens;
  }
}

function delimiters(text: string): number {
  return text.match(/[*_~[<]/g)?.length ?? 0;
}

/** No address has so long a name before its `@`; to look for one at each of its letters would take very long. */
const MAX_NAME = 256;

function hasLongName(text: string): boolean {
  return text
    .split('@')
    .slice(0, -1)
    .some((part) => part.length >= MAX_NAME && /^[\w.!#$%&'*+/=?`{|}~-]+$/.test(part.slice(-MAX_NAME)));
}

const LABEL = /\[((?:\\[\s\S]|[^[\]\\])+)\]/g;

/** Pure: what a text may refer to, as the lexer spells labels. */
export function labelsIn(text: string): ReadonlySet<string> {
  if (!text.includes('[')) return NO_LABELS;
  return new Set(Array.from(text.matchAll(LABEL), ([, label = '']) => normal(label)));
}

const NO_LABELS: ReadonlySet<string> = new Set();

function normal(label: string): string {
  return label.toLowerCase().replaceAll(/\s+/g, ' ');
}

export interface Lexed {
  readonly tokens: readonly Token[];
  /** What the text itself defines, by label. */
  readonly defined: References;
}

/** Pure: the tokens of a text in which these references are known. A reference that is known stays as it is. */
export function lex(text: string, known: (label: string) => Reference | undefined): Lexed {
  const lexer = new BoundedLexer({ gfm: true, breaks: false });
  const { links } = lexer.tokens;
  // Only what it names: a text costs the same however many references there are.
  for (const label of labelsIn(text)) {
    const href = known(label)?.href;
    if (href !== undefined) links[label] = { href, title: null };
  }
  const tokens = [...lexer.lex(text)];
  const defined = Object.keys(links).flatMap((label): [string, Reference][] => {
    const href = links[label]?.href;
    return href === undefined || known(label) !== undefined ? [] : [[label, { href }]];
  });
  return { tokens, defined: new Map(defined) };
}
