import type { SessionEntry } from '../app/sessions.ts';

/** Names for `when` clauses that follow the list of sessions: what the palette may offer to do with them. */
export const SESSION_KEYS = [
  'ledgerline.hasSessions',
  'ledgerline.hasPinned',
  'ledgerline.hasUnpinned',
  'ledgerline.hasArchived',
  'ledgerline.hasListed',
  'ledgerline.hasDeleted',
] as const;

export type SessionKey = (typeof SESSION_KEYS)[number];
export type SessionKeyValues = Readonly<Record<SessionKey, boolean>>;

type Marked = Pick<SessionEntry, 'pinned' | 'archived'>;

/** What folders and files tell before anybody has read the list. */
export interface Glance {
  readonly logs: boolean;
  readonly marks: boolean;
  readonly deleted: boolean;
}

/** Pure: with marks on record, any session may have any. */
export function keysAtAGlance({ logs, marks, deleted }: Glance): SessionKeyValues {
  const marked = logs && marks;
  return {
    'ledgerline.hasSessions': logs,
    'ledgerline.hasPinned': marked,
    'ledgerline.hasUnpinned': logs,
    'ledgerline.hasArchived': marked,
    'ledgerline.hasListed': logs,
    'ledgerline.hasDeleted': deleted,
  };
}

/** Pure: as the list has them. */
export function keysOfList(entries: readonly Marked[], deleted: boolean): SessionKeyValues {
  return {
    'ledgerline.hasSessions': entries.length > 0,
    'ledgerline.hasPinned': entries.some(({ pinned }) => pinned),
    'ledgerline.hasUnpinned': entries.some(({ pinned }) => !pinned),
    'ledgerline.hasArchived': entries.some(({ archived }) => archived),
    'ledgerline.hasListed': entries.some(({ archived }) => !archived),
    'ledgerline.hasDeleted': deleted,
  };
}

/** Pure: those that are not as they were. */
export function changedSessionKeys(
  before: SessionKeyValues | null,
  now: SessionKeyValues,
): readonly (readonly [SessionKey, boolean])[] {
  return SESSION_KEYS.filter((key) => before?.[key] !== now[key]).map((key) => [key, now[key]] as const);
}
