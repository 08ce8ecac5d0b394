import { STATE_LOOKS, themeIcon } from '../presenter/state-looks.ts';
import type { SessionEntry } from '../app/sessions.ts';

/** The tree of sessions, decided apart from how VS Code draws it. */

export type TreeNode = SessionNode | ArchiveNode;

export interface ArchiveNode {
  readonly kind: 'archive';
  readonly count: number;
  /** The one in the chat is among them. */
  readonly current: boolean;
}

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

/** The line above the archived ones; no session can be called that. */
export const ARCHIVE = '/archive';

/** Lines are named by text: VS Code then knows one again that is drawn anew. */
export interface SessionsTree {
  readonly roots: readonly string[];
  readonly archived: readonly string[];
  readonly nodes: ReadonlyMap<string, TreeNode>;
}

export const NO_TREE: SessionsTree = { roots: [], archived: [], nodes: new Map() };

/** Archived ones are out of the way, below one closed line. */
export function sessionsTree(facts: TreeFacts): SessionsTree {
  const { entries, current, damage } = facts;
  const nodes = new Map<string, TreeNode>();
  for (const entry of entries) {
    const { session_id } = entry;
    nodes.set(session_id, {
      kind: 'session',
      session_id,
      entry: damage?.session_id === session_id ? { ...entry, problem: damage.message } : entry,
      current: session_id === current,
    });
  }
  const idsOf = (isArchived: boolean): readonly string[] =>
    entries.filter(({ archived }) => archived === isArchived).map(({ session_id }) => session_id);
  const [listed, archived] = [idsOf(false), idsOf(true)];
  if (archived.length === 0) return { roots: listed, archived, nodes };
  const isOpen = current !== null && archived.includes(current);
  nodes.set(ARCHIVE, { kind: 'archive', count: archived.length, current: isOpen });
  return { roots: [...listed, ARCHIVE], archived, nodes };
}

/**
 * Pure: what has to be drawn again; `all` where lines come, go or move. While it draws all, VS Code knows no line, and
 * whoever is choosing from a menu then loses the one it was opened on.
 */
export function changedLines(before: SessionsTree, after: SessionsTree): readonly string[] | 'all' {
  if (!isSameList(before.roots, after.roots)) return 'all';
  const changed = [...after.nodes].filter(([id, node]) => !isSameNode(before.nodes.get(id), node));
  const ids = changed.map(([id]) => id);
  if (isSameList(before.archived, after.archived)) return ids;
  // Drawn with all below it.
  return [...ids.filter((id) => after.roots.includes(id) && id !== ARCHIVE), ARCHIVE];
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}

function isSameNode(one: TreeNode | undefined, other: TreeNode): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
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

/** "5m ago" in the person's language; a date where that says more. */
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

/** "5m": for lines that are narrow. */
export function shortAge(iso: string, now: number, language: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return '';
  const ago = Math.max(0, now - at);
  if (ago >= DAYS_COUNTED * 86_400_000) return shortDate(new Date(at), new Date(now), language);
  const step = STEPS.find(([, size]) => ago >= size);
  if (step === undefined) return relativeTime(iso, now, language);
  const [unit, ms] = step;
  const format = { style: 'unit', unit, unitDisplay: 'narrow' } as const;
  return new Intl.NumberFormat(language, format).format(Math.floor(ago / ms));
}

function shortDate(at: Date, now: Date, language: string): string {
  const year = at.getFullYear() === now.getFullYear() ? {} : ({ year: '2-digit' } as const);
  return new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', ...year }).format(at);
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
