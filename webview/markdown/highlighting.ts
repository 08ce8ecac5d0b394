import core from 'highlight.js/lib/core';
import type { Emitter } from 'highlight.js';
import { LANGUAGES } from './languages.ts';

/** A stretch of code with one meaning; null where it has none of its own. */
export interface Span {
  readonly tone: Tone | null;
  readonly text: string;
}

export type Tone =
  | 'comment'
  | 'keyword'
  | 'string'
  | 'number'
  | 'name'
  | 'type'
  | 'property'
  | 'added'
  | 'removed';

/** What the highlighter calls things, by the first part of the name. */
const TONES: ReadonlyMap<string, Tone> = new Map([
  ['comment', 'comment'],
  ['quote', 'comment'],
  ['keyword', 'keyword'],
  ['operator', 'keyword'],
  ['meta', 'keyword'],
  ['selector-tag', 'keyword'],
  ['doctag', 'keyword'],
  ['section', 'keyword'],
  ['string', 'string'],
  ['regexp', 'string'],
  ['char', 'string'],
  ['link', 'string'],
  ['code', 'string'],
  ['number', 'number'],
  ['literal', 'number'],
  ['symbol', 'number'],
  ['bullet', 'number'],
  ['title', 'name'],
  ['name', 'name'],
  ['selector-class', 'name'],
  ['selector-id', 'name'],
  ['selector-pseudo', 'name'],
  ['type', 'type'],
  ['built_in', 'type'],
  ['template-tag', 'type'],
  ['attr', 'property'],
  ['attribute', 'property'],
  ['property', 'property'],
  ['variable', 'property'],
  ['template-variable', 'property'],
  ['addition', 'added'],
  ['deletion', 'removed'],
]);

/** Takes what the highlighter finds as values. Its own output would be HTML. */
class SpanEmitter implements Emitter {
  readonly spans: Span[] = [];
  private readonly open: (Tone | null)[] = [];

  startScope(name: string): void {
    const inherited = this.open.at(-1) ?? null;
    // The name of a tag stands out from its brackets; what is inside a string or a template is code again.
    const isReset = name === 'subst' || name.startsWith('language:');
    this.open.push(isReset ? null : (TONES.get(name.split('.', 1)[0] ?? '') ?? inherited));
  }

  endScope(): void {
    this.open.pop();
  }

  /** Other names for the same: the highlighter calls both. */
  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  addText(text: string): void {
    if (text === '') return;
    const tone = this.open.at(-1) ?? null;
    const last = this.spans.at(-1);
    if (last !== undefined && last.tone === tone) {
      this.spans[this.spans.length - 1] = { tone, text: last.text + text };
    } else {
      this.spans.push({ tone, text });
    }
  }

  __addSublanguage(emitter: Emitter): void {
    if (!(emitter instanceof SpanEmitter)) return;
    for (const { tone, text } of emitter.spans) {
      this.open.push(tone);
      this.addText(text);
      this.open.pop();
    }
  }

  finalize(): void {
    this.open.length = 0;
  }

  toHTML(): string {
    return '';
  }
}

const highlighter = core.newInstance();
highlighter.configure({ __emitter: SpanEmitter });
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);
highlighter.registerAliases(['jsonc', 'json5'], { languageName: 'json' });
highlighter.registerAliases(['vue', 'svelte', 'svg'], { languageName: 'xml' });
highlighter.registerAliases(['scss', 'less'], { languageName: 'css' });

/** Nobody wrote such a line or such a word, and grammars take very long for them. */
const TOO_LONG = /[^\n]{300}|[\w$]{150}/;

/** Pure: the code in coloured spans; one plain span where the language is not known. Their texts make up the code. */
export function highlighted(code: string, language: string): readonly Span[] {
  if (TOO_LONG.test(code)) return plain(code);
  if (language === '' || highlighter.getLanguage(language) === undefined) return plain(code);
  const { _emitter: emitter } = highlighter.highlight(code, { language, ignoreIllegals: true });
  if (!(emitter instanceof SpanEmitter)) return plain(code);
  // What a grammar might lose must not be missing from what is shown.
  return emitter.spans.map(({ text }) => text).join('') === code ? emitter.spans : plain(code);
}

export function plain(code: string): readonly Span[] {
  return [{ tone: null, text: code }];
}
