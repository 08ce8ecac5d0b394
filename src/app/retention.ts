import { descendantsOf, familiesOf } from '../presenter/session-families.ts';
import type { Trashed } from '../storage/trash.ts';
import type { SessionEntry } from './sessions.ts';
import type { Settings } from './settings.ts';

const DAY_MS = 86_400_000;
/** What was deleted can be restored for so long, whatever is set. */
export const LEAST_TRASH_DAYS = 30;

export interface RetentionRules {
  /** 0 for never. */
  readonly archive_after_days: number;
  /** 0 for never; else 30 or more. */
  readonly trash_days: number;
}

/** Nothing happens by itself unless a person has said so. */
export function retentionRules(settings: Settings): RetentionRules {
  const days = settings['retention.trashDays'];
  return {
    archive_after_days: settings['retention.archiveAfterDays'],
    trash_days: days === 0 ? 0 : Math.max(LEAST_TRASH_DAYS, days),
  };
}

export function isOff({ archive_after_days, trash_days }: RetentionRules): boolean {
  return archive_after_days === 0 && trash_days === 0;
}

export interface RetentionPlan {
  /** Ids of sessions. */
  readonly archive: readonly string[];
  /** Names in the trash. */
  readonly remove: readonly string[];
}

/**
 * Pure: what is due. A session goes to the archive with its children, when none of them was used for so long; one that is
 * pinned, waits, runs, is open or cannot be read keeps its family where it is. A fork is a session like any other.
 */
export function retentionPlan(options: {
  readonly rules: RetentionRules;
  readonly entries: readonly SessionEntry[];
  readonly trashed: readonly Pick<Trashed, 'name' | 'kept_since'>[];
  /** Those that a window has open. */
  readonly open: ReadonlySet<string>;
  /** When somebody had to do with a session otherwise than its log says. */
  readonly used?: ReadonlyMap<string, string>;
  readonly now: number;
}): RetentionPlan {
  const { rules, entries, trashed, open, used, now } = options;
  const isOlder = (iso: string, days: number): boolean => now - Date.parse(iso) >= days * DAY_MS;
  const families = familiesOf(entries);
  const isUnused = (entry: SessionEntry): boolean =>
    !entry.pinned &&
    entry.problem === null &&
    entry.state !== 'waiting' &&
    entry.state !== 'running' &&
    !open.has(entry.session_id) &&
    isOlder(entry.updated_at, rules.archive_after_days) &&
    isOlder(used?.get(entry.session_id) ?? entry.updated_at, rules.archive_after_days);
  const archive =
    rules.archive_after_days === 0
      ? []
      : families.roots.filter(
          (root) =>
            !root.archived &&
            [root, ...descendantsOf(families, root.session_id)].every((one) => isUnused(one)),
        );
  const remove =
    rules.trash_days === 0
      ? []
      : trashed.filter(({ kept_since }) => {
          const days = Math.max(LEAST_TRASH_DAYS, rules.trash_days);
          return kept_since !== null && now - kept_since >= days * DAY_MS;
        });
  return { archive: archive.map(({ session_id }) => session_id), remove: remove.map(({ name }) => name) };
}
