import { TURN_STATES, type TurnState } from '../turn.ts';
import { evened } from './turn-filters.ts';
import { spanOf, type LocalDays } from './query-dates.ts';

/**
 * What is looked for: turns that have all of the terms and pass all of the filters. Of one filter any value will do;
 * none at all means that it is off.
 */
export interface SearchQuery {
  readonly terms: readonly string[];
  readonly states: readonly TurnState[];
  /** Names of tools; `*` stands for anything. */
  readonly tools: readonly string[];
  /** Parts of paths, or globs. */
  readonly files: readonly string[];
  /** Asked at this time or later; null for any. */
  readonly from_ms: number | null;
  /** Asked before this time; null for any. */
  readonly to_ms: number | null;
}

export const NO_QUERY: SearchQuery = {
  terms: [],
  states: [],
  tools: [],
  files: [],
  from_ms: null,
  to_ms: null,
};

export const FILTERS = ['state', 'tool', 'file', 'after', 'before', 'on'] as const;
export type Filter = (typeof FILTERS)[number];

export type QueryProblem =
  /** Nothing stands right behind the colon. */
  | { readonly kind: 'no_value'; readonly filter: Filter }
  | { readonly kind: 'unknown_state'; readonly value: string }
  | { readonly kind: 'bad_date'; readonly filter: Filter; readonly value: string }
  /** The dates leave no moment. */
  | { readonly kind: 'no_time' }
  | { readonly kind: 'too_short' }
  | { readonly kind: 'too_long' };

/** A word of the line, where it stands, and what it says. */
export interface QueryWord {
  readonly start: number;
  readonly end: number;
  /** Null for a word that is looked for. */
  readonly filter: Filter | null;
  readonly value: string;
  readonly quoted: boolean;
}

export interface ParsedQuery {
  readonly query: SearchQuery;
  /** With one of them, nothing is searched: a filter that was not understood must not be taken for none. */
  readonly problems: readonly QueryProblem[];
  readonly words: readonly QueryWord[];
}

/** One of these alone is in everything. In other scripts a character can be a word. */
const TOO_SHORT = /^\p{ASCII}?$/u;
/** A longer line was pasted by mistake. It bounds what comparing with a glob can cost. */
export const LONGEST_QUERY = 1000;

/** Pure: one line as a person types it. Whatever is no filter is text. */
export function parseQuery(line: string, days: LocalDays): ParsedQuery {
  if (line.length > LONGEST_QUERY) return { query: NO_QUERY, problems: [{ kind: 'too_long' }], words: [] };
  const words = wordsOf(line);
  const problems: QueryProblem[] = [];
  const query = words.reduce((before, word) => withWord(before, word, { days, problems }), NO_QUERY);
  if (query.from_ms !== null && query.to_ms !== null && query.from_ms >= query.to_ms)
    problems.push({ kind: 'no_time' });
  if (problems.length === 0 && !hasFilters(query) && TOO_SHORT.test(query.terms.join('')))
    problems.push({ kind: 'too_short' });
  return { query, problems, words };
}

export function hasFilters({ states, tools, files, from_ms, to_ms }: SearchQuery): boolean {
  return states.length + tools.length + files.length > 0 || from_ms !== null || to_ms !== null;
}

interface Reading {
  readonly days: LocalDays;
  readonly problems: QueryProblem[];
}

function withWord(query: SearchQuery, word: QueryWord, { days, problems }: Reading): SearchQuery {
  const { filter, value } = word;
  if (filter === null) return value === '' ? query : { ...query, terms: [...query.terms, value] };
  if (isNothing(word)) {
    problems.push({ kind: 'no_value', filter });
    return query;
  }
  switch (filter) {
    case 'state': {
      const named = valuesOf(word);
      const states = named.map((one) => one.toLowerCase().replaceAll('-', '_')).filter(isTurnState);
      for (const one of named)
        if (!isTurnState(one.toLowerCase().replaceAll('-', '_')))
          problems.push({ kind: 'unknown_state', value: one });
      return { ...query, states: [...new Set([...query.states, ...states])] };
    }
    case 'tool':
      return { ...query, tools: [...query.tools, ...valuesOf(word)] };
    case 'file':
      // A comma may be part of a path, and of a glob it is.
      return { ...query, files: [...query.files, value] };
    case 'after':
    case 'before':
    case 'on': {
      const span = spanOf(value, days);
      if (span === null) {
        problems.push({ kind: 'bad_date', filter, value });
        return query;
      }
      const from_ms = filter === 'before' ? query.from_ms : later(query.from_ms, span.from_ms);
      const until = filter === 'before' ? span.from_ms : span.to_ms;
      const to_ms = filter === 'after' ? query.to_ms : earlier(query.to_ms, until);
      return { ...query, from_ms, to_ms };
    }
  }
}

/** Commas alone name nothing, and the folder that everything is in names no file. */
function isNothing({ filter, value, quoted }: QueryWord): boolean {
  if (filter === 'file') return evened(value) === '';
  return value === '' || (!quoted && /^,+$/.test(value));
}

function later(one: number | null, other: number): number {
  return one === null ? other : Math.max(one, other);
}

function earlier(one: number | null, other: number): number {
  return one === null ? other : Math.min(one, other);
}

export function isTurnState(text: string): text is TurnState {
  return (TURN_STATES as readonly string[]).includes(text);
}

function valuesOf({ value, quoted }: QueryWord): readonly string[] {
  return quoted ? [value] : value.split(',').filter((one) => one !== '');
}

const KEY = new RegExp(`(?:${FILTERS.join('|')}):`, 'iy');
const PLAIN = /\S*/y;
/** Up to the quote that is not escaped. */
const QUOTED = /"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"/y;
/** Where there is none, a backslash is one, such as that at the end of a folder; and somebody may still be typing. */
const BEGUN = /"([^"]*)(?:"|$)/y;

function wordsOf(line: string): readonly QueryWord[] {
  const words: QueryWord[] = [];
  for (let at = 0; at < line.length;) {
    if (/\s/u.test(line.charAt(at))) {
      at += 1;
      continue;
    }
    const start = at;
    const key = matchAt(KEY, line, at)?.[0] ?? '';
    at += key.length;
    const whole = matchAt(QUOTED, line, at);
    const quoted = whole ?? matchAt(BEGUN, line, at);
    const plain = quoted === null ? (matchAt(PLAIN, line, at)?.[0] ?? '') : '';
    at += quoted?.[0].length ?? plain.length;
    words.push({
      start,
      end: at,
      filter: FILTERS.find((one) => `${one}:` === key.toLowerCase()) ?? null,
      value: (quoted === null
        ? plain.replace(/^\\"/, '"')
        : (whole?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? quoted[1] ?? '')
      ).toWellFormed(),
      quoted: quoted !== null,
    });
  }
  return words;
}

function matchAt(rule: RegExp, line: string, at: number): RegExpExecArray | null {
  rule.lastIndex = at;
  return rule.exec(line);
}

/** A value as it has to be typed so that it is read as one. */
export function typed(value: string): string {
  return /[\s"]/u.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : value;
}
