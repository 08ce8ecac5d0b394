import type { NextAction } from '../runtime/events.ts';
import { sentence, told, type Words } from '../runtime/inspection/spoken-words.ts';
import type { Say } from './speech.ts';

/** A stretch of a report that does something when it is followed. */
export interface ReportLink {
  readonly offset: number;
  readonly length: number;
  readonly target: LinkTarget;
}

export type LinkTarget =
  | { readonly kind: 'action'; readonly action: NextAction }
  /** The same report as data. */
  | { readonly kind: 'raw' };

export interface Report {
  readonly text: string;
  readonly links: readonly ReportLink[];
}

interface Link {
  readonly text: Words;
  readonly target: LinkTarget;
}

/** A sentence with a link in it, wherever its language has `HERE`. */
interface Around {
  readonly around: Words;
  readonly link: Link;
}

export type Part = Words | Link | Around;

/** A name and what stands beside it. */
export type FieldRow = readonly [name: Words, ...value: readonly Part[]];

/** The value of a sentence in whose place a link stands. */
export const HERE = '\u{FFFC}';

/** Narrower than this, names of fields would not be told from their values at a glance. */
const FIELD_WIDTH = 18;
const FIELD_GAP = 2;

/** Puts a readable document together, line by line, and remembers where its links are. */
export class ReportText {
  private text = '';
  private readonly links: ReportLink[] = [];

  constructor(private readonly say: Say) {}

  line(...parts: readonly Part[]): this {
    for (const part of parts) this.put(part);
    this.text += '\n';
    return this;
  }

  gap(): this {
    return this.line();
  }

  /** Names and values, in two columns however long the names of a language are. */
  fields(rows: readonly FieldRow[]): this {
    const names = rows.map(([name]) => this.say(name));
    const width = Math.max(FIELD_WIDTH, ...names.map((name) => name.length + FIELD_GAP));
    for (const [index, [, ...value]] of rows.entries())
      this.line((names[index] ?? '').padEnd(width), ...value);
    return this;
  }

  /** Words that are not ours, in a fence that nothing in them can close. */
  block(content: string): this {
    const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(longest + 1);
    this.text += `${fence}text\n${content.replaceAll(/\r\n?/g, '\n')}\n${fence}\n`;
    return this;
  }

  get report(): Report {
    return { text: this.text, links: this.links };
  }

  private put(part: Part): void {
    if (typeof part !== 'object') {
      this.text += flat(String(part));
    } else if ('target' in part) {
      const text = flat(this.say(part.text));
      this.links.push({ offset: this.text.length, length: text.length, target: part.target });
      this.text += text;
    } else if ('around' in part) {
      const [before = '', ...after] = this.say(part.around).split(HERE);
      this.text += flat(before);
      this.put(part.link);
      this.text += flat(after.join(''));
    } else {
      this.text += flat(this.say(part));
    }
  }
}

/** Names and labels may be words of others: they stay on their line. */
function flat(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ');
}

export function seqLink(sessionId: string, seq: number): Link {
  return logLink(sentence('seq {0}', seq), { session_id: sessionId, seq });
}

/** To the document of the request that was made of the log up to there; without a place, of the next one. */
export function requestLink(sessionId: string, at: number | null): Link {
  const place = { session_id: sessionId, ...(at === null ? {} : { at_seq: at }) };
  const action = { label: 'Inspect request', command: 'ledgerline.inspectRequest', args: [place] };
  const text = at === null ? sentence('the next request') : sentence('seq {0}', at);
  return { text, target: { kind: 'action', action } };
}

/** Lines are counted from 1, as editors do. */
export function lineLink(sessionId: string, line: number): Link {
  return logLink(sentence('line {0}', line), { session_id: sessionId, line });
}

function logLink(text: Words, place: object): Link {
  const action = { label: 'Open log', command: 'ledgerline.openLog', args: [place] };
  return { text, target: { kind: 'action', action } };
}

export function actionLink(action: NextAction): Link {
  return { text: told(action.label), target: { kind: 'action', action } };
}

export const RAW_LINK: Link = { text: sentence('Open'), target: { kind: 'raw' } };

export interface Excerpt {
  readonly head: number;
  readonly tail: number;
}

/** Less than this is not worth leaving out. */
const SPARED = 200;

/** Long texts by their beginning and end, and how much of them is not shown. */
export function excerpt(text: string, { head, tail }: Excerpt, say: Say): string {
  const left = text.length - head - tail;
  if (left <= SPARED) return text;
  const end = text.slice(text.length - tail).toWellFormed();
  const missing = say(sentence('… {0} characters left out …', { count: left }));
  return `${text.slice(0, head).toWellFormed()}\n${missing}\n${end}`;
}
