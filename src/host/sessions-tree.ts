import { STATE_LOOKS, themeIcon } from '../presenter/state-looks.ts';
import type { SessionEntry } from '../app/sessions.ts';

/** The tree of sessions, decided apart from how VS Code draws it. */

export type TreeNode = SessionNode | { readonly kind: 'archive'; readonly count: number };

export interface SessionNode {
  readonly kind: 'session';
  readonly session_id: string;
  readonly entry: SessionEntry;
  /** It is the one in the chat. */
  readonly current: boolean;
}

/** Something wrong with the open session that lists cannot see: they read only the ends of a log. */
export interface KnownDamage {
  readonly session_id: string;
  readonly message: string;
}

export interface TreeFacts {
  readonly entries: readonly SessionEntry[];
  readonly current: string | null;
  readonly damage: KnownDamage | null;
}

/** Archived ones are out of the way, below one closed line. */
export function treeRoots(facts: TreeFacts): readonly TreeNode[] {
  const archived = facts.entries.filter((entry) => entry.archived).length;
  const roots = nodesOf(facts, (entry) => !entry.archived);
  return archived === 0 ? roots : [...roots, { kind: 'archive', count: archived }];
}

export function archivedNodes(facts: TreeFacts): readonly SessionNode[] {
  return nodesOf(facts, (entry) => entry.archived);
}

function nodesOf(facts: TreeFacts, fits: (entry: SessionEntry) => boolean): readonly SessionNode[] {
  const { entries, current, damage } = facts;
  return entries.filter(fits).map((entry) => ({
    kind: 'session',
    session_id: entry.session_id,
    entry: damage?.session_id === entry.session_id ? { ...entry, problem: damage.message } : entry,
    current: entry.session_id === current,
  }));
}

export interface Look {
  readonly icon: string;
  readonly color: string | null;
}

/** What is wrong with a log comes before what its last turn was. */
export function lookOf({ problem, state }: Pick<SessionEntry, 'problem' | 'state'>): Look {
  if (problem !== null) return { icon: STATE_LOOKS.attention.icon, color: STATE_LOOKS.attention.color };
  if (state === null) return { icon: 'comment', color: 'descriptionForeground' };
  return { icon: themeIcon(state), color: STATE_LOOKS[state].color };
}

/** For the `when` of menus. */
export function contextOf(node: TreeNode): string {
  if (node.kind === 'archive') return 'archive';
  const { pinned, archived } = node.entry;
  return `session;${pinned ? 'pinned' : 'unpinned'};${archived ? 'archived' : 'listed'}`;
}

/** How many sessions need a person. */
export function waitingCount(entries: readonly SessionEntry[]): number {
  return entries.filter(
    ({ state, archived, problem }) => state === 'waiting' && !archived && problem === null,
  ).length;
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const DAYS_COUNTED = 30;

/** "5 min. ago" in the person's language; a date where that says more. */
export function relativeTime(iso: string, now: number, language: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return '';
  const ago = Math.max(0, now - at);
  if (ago >= DAYS_COUNTED * 86_400_000)
    return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(iso));
  const [unit, ms] = STEPS.find(([, size]) => ago >= size) ?? ['minute', Number.POSITIVE_INFINITY];
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });
  return ms === Number.POSITIVE_INFINITY
    ? words.format(0, 'second')
    : words.format(-Math.floor(ago / ms), unit);
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function sizeText(bytes: number, language: string): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'narrow' : 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value);
}
