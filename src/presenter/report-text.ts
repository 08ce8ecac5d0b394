import type { NextAction } from '../runtime/events.ts';

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

export type Part = string | { readonly text: string; readonly target: LinkTarget };

/** Puts a readable document together, line by line, and remembers where its links are. */
export class ReportText {
  private text = '';
  private readonly links: ReportLink[] = [];

  line(...parts: readonly Part[]): this {
    for (const part of parts) this.put(part);
    this.text += '\n';
    return this;
  }

  gap(): this {
    return this.line();
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
    const text = flat(typeof part === 'string' ? part : part.text);
    if (typeof part !== 'string')
      this.links.push({ offset: this.text.length, length: text.length, target: part.target });
    this.text += text;
  }
}

/** Names and labels may be words of others: they stay on their line. */
function flat(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ');
}

export function seqLink(sessionId: string, seq: number): Part {
  return logLink(`seq ${seq}`, { session_id: sessionId, seq });
}

/** Lines are counted from 1, as editors do. */
export function lineLink(sessionId: string, line: number): Part {
  return logLink(`line ${line}`, { session_id: sessionId, line });
}

function logLink(text: string, place: object): Part {
  const action = { label: 'Open log', command: 'ledgerline.openLog', args: [place] };
  return { text, target: { kind: 'action', action } };
}

export function actionLink(action: NextAction): Part {
  return { text: action.label, target: { kind: 'action', action } };
}

export const RAW_LINK: Part = { text: 'open', target: { kind: 'raw' } };

/** Groups of three digits, the same in every language. */
export function grouped(n: number): string {
  return String(n).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

export function many(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;
}

export interface Excerpt {
  readonly head: number;
  readonly tail: number;
}

/** Less than this is not worth leaving out. */
const SPARED = 200;

/** Long texts by their beginning and end, and how much of them is not shown. */
export function excerpt(text: string, { head, tail }: Excerpt): string {
  const left = text.length - head - tail;
  if (left <= SPARED) return text;
  const end = text.slice(text.length - tail).toWellFormed();
  return `${text.slice(0, head).toWellFormed()}\n… ${many(left, 'character')} left out …\n${end}`;
}
