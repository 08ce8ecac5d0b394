import * as vscode from 'vscode';
import { STATE_LOOKS } from '../presenter/state-looks.ts';
import {
  typed,
  type Filter,
  type ParsedQuery,
  type QueryProblem,
  type SearchQuery,
} from '../runtime/search/query.ts';
import type { LocalDays } from '../runtime/search/query-dates.ts';
import { TURN_STATES, type TurnState } from '../runtime/turn.ts';
import { foreign, plain } from './shown-text.ts';

/** A line that is offered while a search is typed. */
export interface AskLine extends vscode.QuickPickItem {
  readonly does:
    | { readonly kind: 'search' }
    /** The line as it is then typed. */
    | { readonly kind: 'type'; readonly value: string }
    | { readonly kind: 'nothing' };
}

/** What a person may mean, here and now. */
export interface KnownValues {
  readonly tools: readonly string[];
  /** Paths of files that are open. */
  readonly files: readonly string[];
}

const EXAMPLE = 'state:failed tool:run_command npm test';

/** By the clock and the calendar of this machine. */
export function localDays(): LocalDays {
  const now = new Date();
  return {
    now: now.getTime(),
    today: { year: now.getFullYear(), month: now.getMonth() + 1, day: now.getDate() },
    at: (year, month, day, hour = 0, minute = 0) => new Date(year, month - 1, day, hour, minute).getTime(),
  };
}

/** What is offered for what is typed. The first line is the one that Enter takes. */
export function askLines(line: string, parsed: ParsedQuery, known: KnownValues): readonly AskLine[] {
  const completed = completions(line, parsed, known);
  const problems = parsed.problems.filter(({ kind }) => kind !== 'too_short' || line.trim() !== '');
  const lines: AskLine[] = [];
  if (parsed.problems.length === 0) lines.push(searchLine(parsed.query));
  // While a value is being typed, it is no mistake yet.
  else if (completed.length === 0) lines.push(...problems.map(problemLine));
  lines.push(...completed);
  if (completed.length === 0) lines.push(...offers(line));
  if (line.trim() === '') lines.push(exampleLine());
  return lines;
}

function searchLine(query: SearchQuery): AskLine {
  return {
    label: vscode.l10n.t('Search'),
    detail: plain(queryWords(query)),
    iconPath: new vscode.ThemeIcon('search'),
    alwaysShow: true,
    does: { kind: 'search' },
  };
}

function problemLine(problem: QueryProblem): AskLine {
  const { icon, color } = STATE_LOOKS.attention;
  const allowed = allowedWords(problem);
  return {
    label: plain(problemWords(problem)),
    ...(allowed === null ? {} : { detail: allowed }),
    iconPath: new vscode.ThemeIcon(icon, new vscode.ThemeColor(color)),
    alwaysShow: true,
    does: { kind: 'nothing' },
  };
}

function problemWords(problem: QueryProblem): string {
  switch (problem.kind) {
    case 'no_value':
      return vscode.l10n.t('{0}: needs a value right behind it.', problem.filter);
    case 'unknown_state':
      return vscode.l10n.t('“{0}” is no state.', foreign(problem.value, 40));
    case 'bad_date':
      return vscode.l10n.t('“{0}” is no date.', foreign(problem.value, 40));
    case 'no_time':
      return vscode.l10n.t('The dates leave no time between them. Nothing can match.');
    case 'too_short':
      return vscode.l10n.t('Give at least two characters, or a filter.');
    case 'too_long':
      return vscode.l10n.t('The search is too long. Give at most 1,000 characters.');
  }
}

/** What would be right, on a line of its own: it may be long. */
function allowedWords({ kind }: QueryProblem): string | null {
  switch (kind) {
    case 'no_value':
      return vscode.l10n.t('To look for the word itself, put it in quotes.');
    case 'unknown_state':
      return vscode.l10n.t('It can be: {0}', TURN_STATES.join(', '));
    case 'bad_date':
      return vscode.l10n.t('It can be: {0}', DATES.join(', '));
    case 'no_time':
    case 'too_short':
    case 'too_long':
      return null;
  }
}

const DATES = ['2026-11-01', '2026-11', '2026-11-01T14:30', 'today', 'yesterday', '7d', '2w', '3h'] as const;

/** Values for the filter that the line ends with. */
function completions(line: string, { words, problems }: ParsedQuery, known: KnownValues): readonly AskLine[] {
  const last = words.at(-1);
  if (last === undefined || last.filter === null || last.end !== line.length || last.quoted) return [];
  const { filter } = last;
  const comma = filter === 'state' || filter === 'tool' ? last.value.lastIndexOf(',') + 1 : 0;
  const begun = last.value.slice(comma).toLowerCase();
  const before = `${line.slice(0, last.start)}${filter}:${last.value.slice(0, comma)}`;
  const values = valuesFor(filter, known).filter(
    ({ value }) => value.toLowerCase().includes(begun) && value.toLowerCase() !== begun,
  );
  // A date is as good as any other that begins so: what is one already is not completed.
  if (begun !== '' && problems.length === 0 && filter !== 'file' && filter !== 'tool') return [];
  const begins = values.filter(({ value }) => value.toLowerCase().startsWith(begun));
  const rest = values.filter((one) => !begins.includes(one));
  return [...begins, ...rest].map(({ value, words: said, icon }) => ({
    // Without the name of the filter: VS Code would sort lines that look like what was typed.
    label: plain(value),
    ...(said === '' ? {} : { description: plain(said) }),
    iconPath: icon,
    alwaysShow: true,
    does: { kind: 'type', value: `${before}${typed(value)} ` },
  }));
}

interface KnownValue {
  readonly value: string;
  readonly words: string;
  readonly icon: vscode.ThemeIcon;
}

function valuesFor(filter: Filter, { tools, files }: KnownValues): readonly KnownValue[] {
  switch (filter) {
    case 'state':
      return TURN_STATES.map((value) => ({
        value,
        words: vscode.l10n.t(STATE_LOOKS[value].phrase),
        icon: stateIcon(value),
      }));
    case 'tool':
      return tools.map((value) => ({ value, words: '', icon: new vscode.ThemeIcon('tools') }));
    case 'file':
      return files.map((value) => ({ value, words: '', icon: vscode.ThemeIcon.File }));
    case 'after':
    case 'before':
    case 'on':
      return [
        { value: 'today', words: vscode.l10n.t('Today') },
        { value: 'yesterday', words: vscode.l10n.t('Yesterday') },
        { value: '7d', words: vscode.l10n.t('7 days ago') },
        { value: '30d', words: vscode.l10n.t('30 days ago') },
      ].map((one) => ({ ...one, icon: new vscode.ThemeIcon('calendar') }));
  }
}

export function stateIcon(state: TurnState): vscode.ThemeIcon {
  const { icon, color } = STATE_LOOKS[state];
  return new vscode.ThemeIcon(icon, color === null ? undefined : new vscode.ThemeColor(color));
}

function offers(line: string): readonly AskLine[] {
  const before = line === '' || /\s$/u.test(line) ? line : `${line} `;
  return OFFERED.map((filter) => ({
    label: `${filter}:`,
    description: offerWords(filter),
    iconPath: new vscode.ThemeIcon('filter'),
    alwaysShow: true,
    does: { kind: 'type', value: `${before}${filter}:` },
  }));
}

const OFFERED = ['state', 'tool', 'file', 'after', 'before', 'on'] as const satisfies readonly Filter[];

function offerWords(filter: Filter): string {
  switch (filter) {
    case 'state':
      return vscode.l10n.t('How the turn ended, such as failed');
    case 'tool':
      return vscode.l10n.t('The turn called this tool');
    case 'file':
      return vscode.l10n.t('The turn read, changed or was given it: part of a path, or src/**');
    case 'after':
      return vscode.l10n.t('Asked on this day or later');
    case 'before':
      return vscode.l10n.t('Asked before this day');
    case 'on':
      return vscode.l10n.t('Asked on this day');
  }
}

function exampleLine(): AskLine {
  return {
    label: vscode.l10n.t('Example'),
    description: EXAMPLE,
    detail: vscode.l10n.t('All words and filters have to fit the same turn. Quotes keep words together.'),
    iconPath: new vscode.ThemeIcon('lightbulb'),
    alwaysShow: true,
    does: { kind: 'type', value: EXAMPLE },
  };
}

/** What is looked for, in words: which filters are on. */
export function queryWords({ terms, states, tools, files, from_ms, to_ms }: SearchQuery): string {
  const parts = [
    terms.length === 0
      ? vscode.l10n.t('All turns')
      : terms.map((one) => vscode.l10n.t('“{0}”', foreign(one, 40))).join(' '),
  ];
  if (states.length > 0)
    parts.push(
      vscode.l10n.t('State: {0}', states.map((one) => vscode.l10n.t(STATE_LOOKS[one].phrase)).join(', ')),
    );
  if (tools.length > 0) parts.push(vscode.l10n.t('Tool: {0}', foreign(tools.join(', '), 60)));
  if (files.length > 0) parts.push(vscode.l10n.t('File: {0}', foreign(files.join(', '), 60)));
  if (from_ms !== null) parts.push(vscode.l10n.t('Asked since {0}', momentText(from_ms)));
  if (to_ms !== null) parts.push(vscode.l10n.t('Asked before {0}', momentText(to_ms)));
  return parts.join(' · ');
}

function momentText(ms: number): string {
  const at = new Date(ms);
  const isDay = at.getHours() === 0 && at.getMinutes() === 0;
  const style = isDay ? {} : ({ timeStyle: 'short' } as const);
  return new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', ...style }).format(at);
}
