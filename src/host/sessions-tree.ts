import { STATE_LOOKS, themeIcon } from '../presenter/state-looks.ts';
import type { SessionEntry } from '../app/sessions.ts';
import { descendantsOf } from '../presenter/session-families.ts';
import { aboveOf, sessionFamilies } from './session-families.ts';

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
  /** The line that it stands under: that of its parent, or of the archive. */
  readonly under: string | null;
  /** Its children and forks, in the order shown. */
  readonly children: readonly string[];
  /** How many of them are forks. */
  readonly forks: number;
  /** How many of all below it need a person. */
  readonly asking: number;
  /** Of a child that does not stand under its parent: whose it is, by id where no title is known. */
  readonly child_of: string | null;
  /** Of a fork that does not stand under the session that it was made of: whose it is, in the same way. */
  readonly fork_of: string | null;
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

/** Children are under their parent. Archived ones are out of the way, below one closed line. */
export function sessionsTree(facts: TreeFacts): SessionsTree {
  const { entries, current, damage } = facts;
  const families = sessionFamilies(entries);
  const titles = titlesOf(entries);
  const nodes = new Map<string, TreeNode>();
  const place = (entry: SessionEntry, under: string | null): void => {
    const { session_id, parent } = entry;
    const children = families.children.get(session_id) ?? [];
    const above = aboveOf(entry);
    const whose = above === null || under === above ? null : (titles.get(above) ?? above);
    nodes.set(session_id, {
      kind: 'session',
      session_id,
      entry: damage?.session_id === session_id ? { ...entry, problem: damage.message } : entry,
      current: session_id === current,
      under,
      children: children.map((child) => child.session_id),
      forks: children.filter(isFork).length,
      asking: descendantsOf(families, session_id).filter(({ state }) => state === 'waiting').length,
      child_of: parent === null ? null : whose,
      fork_of: parent === null ? whose : null,
    });
    for (const child of children) place(child, session_id);
  };
  for (const root of families.roots) place(root, root.archived ? ARCHIVE : null);
  const idsOf = (isArchived: boolean): readonly string[] =>
    families.roots.filter(({ archived }) => archived === isArchived).map(({ session_id }) => session_id);
  const [listed, archived] = [idsOf(false), idsOf(true)];
  if (archived.length === 0) return { roots: listed, archived, nodes };
  const isOpen = current !== null && archived.includes(rootOf(nodes, current));
  nodes.set(ARCHIVE, { kind: 'archive', count: archived.length, current: isOpen });
  return { roots: [...listed, ARCHIVE], archived, nodes };
}

function isFork({ parent, fork }: SessionEntry): boolean {
  return parent === null && fork !== null;
}

/** What sessions are called; none for those that have no title. */
export function titlesOf(entries: readonly SessionEntry[]): ReadonlyMap<string, string> {
  return new Map(entries.flatMap(({ session_id, title }) => (title === '' ? [] : [[session_id, title]])));
}

/** The session that a line stands under in the end, which is itself where it stands under none. */
function rootOf(nodes: SessionsTree['nodes'], id: string): string {
  for (let at = id; ;) {
    const above = lineAbove(nodes, at);
    if (above === null || above === ARCHIVE) return at;
    at = above;
  }
}

/** The line that another stands under. */
export function lineAbove(nodes: SessionsTree['nodes'], id: string): string | null {
  const node = nodes.get(id);
  return node?.kind === 'session' ? node.under : null;
}

/**
 * Pure: what has to be drawn again; `all` where lines come, go or move. While it draws all, VS Code knows no line, and
 * whoever is choosing from a menu then loses the one it was opened on.
 */
export function changedLines(before: SessionsTree, after: SessionsTree): readonly string[] | 'all' {
  if (!isSameList(before.roots, after.roots)) return 'all';
  const changed = [...after.nodes].filter(([id, node]) => !isSameNode(before.nodes.get(id), node));
  const ids = new Set(changed.map(([id]) => id));
  if (!isSameList(before.archived, after.archived)) ids.add(ARCHIVE);
  // A line is drawn with all below it.
  const isBelow = (id: string): boolean => {
    const above = lineAbove(after.nodes, id);
    return above !== null && (ids.has(above) || isBelow(above));
  };
  return [...ids].filter((id) => !isBelow(id));
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
  const { pinned, archived, parent } = node.entry;
  const marks = [pinned ? 'pinned' : 'unpinned', archived ? 'archived' : 'listed'];
  return ['session', ...marks, ...(parent === null ? [] : ['child'])].join(';');
}

/** How many sessions need a person, beside the one that is open. What children ask is asked where their parent is. */
export function waitingCount({ nodes, roots }: SessionsTree): number {
  return [...nodes.values()].filter((node) => {
    if (node.kind !== 'session' || node.current) return false;
    const { entry, session_id } = node;
    const isCounted = roots.includes(session_id) || (isFork(entry) && !entry.archived);
    return isCounted && entry.state === 'waiting' && entry.problem === null;
  }).length;
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

const UNITS = ['kilobyte', 'megabyte', 'gigabyte'] as const;

export function sizeText(bytes: number, language: string): string {
  // The unit of its own is either a word or stands without a space, unlike all others.
  if (bytes < 1000) return `${new Intl.NumberFormat(language).format(bytes)} B`;
  const step = Math.min(UNITS.length, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[step - 1] ?? 'kilobyte',
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);
}
