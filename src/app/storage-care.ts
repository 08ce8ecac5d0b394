import { DiskError, readWhole, replaceFile } from '../storage/disk.ts';
import type { Collected } from '../storage/blob-collector.ts';
import { leaseHolder } from '../storage/lease-holder.ts';
import { isImported, sessionPaths } from '../storage/session-paths.ts';
import type { StorePorts } from '../storage/session-store.ts';
import type { Removed, Why } from '../storage/storage-journal.ts';
import { StorageKeeping, type Busy, type RemovalEnd } from '../storage/storage-keeping.ts';
import type { Amount, SessionUse, StorageUse } from '../storage/storage-use.ts';
import { StorageUseReader } from '../storage/use-reader.ts';
import { Drafts } from './drafts.ts';
import { nodeStorePorts } from './node-ports.ts';
import { isOff, retentionPlan, type RetentionRules } from './retention.ts';
import type { SessionEntry, Sessions } from './sessions.ts';

const DAY_MS = 86_400_000;

/** A session and what it takes, as people know it. */
export interface UsedSession extends SessionUse {
  readonly title: string;
  readonly archived: boolean;
  /** Of one in the trash: from when its days are counted; null where that is not known, or it is not there. */
  readonly kept_since: number | null;
}

export interface StorageReport extends Omit<StorageUse, 'sessions'> {
  readonly sessions: readonly UsedSession[];
  readonly unreadable: readonly string[];
  /** The last one first. */
  readonly removed: readonly Removed[];
}

/** What was done because a setting wants it. */
export interface Retained {
  readonly archived: readonly string[];
  readonly removed: Amount;
  /** Bodies of those, and others that nothing names any more. */
  readonly contents: Collected | Busy | null;
  readonly failed: readonly string[];
}

type Listed = Pick<Sessions, 'list' | 'deleted' | 'mark'>;

/** What a storage folder holds, and what is done to it as a whole. */
export class StorageCare {
  private readonly ports: StorePorts;
  private readonly keeping: StorageKeeping;
  private readonly reader: StorageUseReader;

  constructor(
    private readonly storage: string,
    private readonly sessions: Listed,
    warn: (message: string) => void,
    ports: StorePorts = nodeStorePorts(warn),
  ) {
    this.ports = ports;
    this.keeping = new StorageKeeping(ports, storage, (id) => this.forgetDraft(id));
    this.reader = new StorageUseReader(ports, storage);
  }

  async use(signal: AbortSignal): Promise<StorageReport> {
    const { use, unreadable } = await this.reader.read(signal);
    const entries = new Map((await this.sessions.list()).map((entry) => [entry.session_id, entry]));
    const trashed = new Map((await this.sessions.deleted()).map((one) => [one.name, one]));
    const { removals } = await this.keeping.journal.read();
    return {
      ...use,
      sessions: use.sessions.map((one) => ({
        ...one,
        title: (one.deleted_at === null ? entries.get(one.key) : trashed.get(one.key))?.title ?? '',
        archived: one.deleted_at === null && (entries.get(one.key)?.archived ?? false),
        kept_since: one.deleted_at === null ? null : (trashed.get(one.key)?.kept_since ?? null),
      })),
      unreadable,
      removed: removals.filter(({ end }) => end !== 'called_off').toReversed(),
    };
  }

  collect(signal: AbortSignal, why: Why = 'person'): Promise<Collected | Busy> {
    return this.keeping.collect(why, signal);
  }

  removeOld(names: readonly string[]): Promise<ReadonlyMap<string, RemovalEnd> | Busy> {
    return this.keeping.removeOld(names, 'person');
  }

  removeNow(name: string, signal: AbortSignal): Promise<RemovalEnd | Busy> {
    return this.keeping.removeNow(name, signal);
  }

  /** What was cut off is finished. */
  async finish(): Promise<readonly Removed[]> {
    const done = await this.keeping.finish();
    return 'kind' in done ? [] : done;
  }

  /** Once a day for all windows, and again when the rules have changed. Null when nothing is to be done now. */
  async retain(rules: RetentionRules, signal: AbortSignal): Promise<Retained | null> {
    if (isOff(rules) || (await this.keeping.alone(() => this.isTurn(rules))) !== true) return null;
    const entries = await this.sessions.list();
    const plan = retentionPlan({
      rules,
      entries,
      trashed: await this.sessions.deleted(),
      open: await this.openIn(entries),
      used: await this.usedOtherwise(entries),
      now: this.ports.clock.now(),
    });
    if (plan.archive.length > 0)
      await this.keeping.journal.note({ kind: 'archived', session_ids: plan.archive }, 'retention');
    for (const id of plan.archive) await this.sessions.mark(id, { archived: true });
    const ends =
      plan.remove.length === 0 ? new Map() : await this.keeping.removeOld(plan.remove, 'retention');
    const removed = 'kind' in ends ? [] : [...ends.values()];
    const gone = removed.flatMap((end) => (end.kind === 'removed' ? [end] : []));
    return {
      archived: plan.archive,
      removed: { count: gone.length, bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0) },
      contents: rules.trash_days === 0 ? null : await this.keeping.collect('retention', signal),
      failed: removed.flatMap((end) => (end.kind === 'failed' ? [end.reason] : [])),
    };
  }

  /** Read anew: windows write to it whenever somebody types. */
  private async forgetDraft(sessionId: string): Promise<void> {
    const { disk, clock } = this.ports;
    const problems: string[] = [];
    const drafts = new Drafts(disk, `${this.storage}/drafts.json`, (reason) => problems.push(reason));
    await drafts.forget(sessionId, clock.now());
    const [problem] = problems;
    if (problem !== undefined) throw new DiskError('other', `its draft is still there: ${problem}`);
  }

  /** Notes that it is done: what goes wrong is tried again tomorrow, and not by every window at once. */
  private async isTurn(rules: RetentionRules): Promise<boolean> {
    const { disk, clock, ids } = this.ports;
    const path = `${this.storage}/retention.json`;
    const now = clock.now();
    const before = await this.lastRun(path);
    const isSame = before !== null && JSON.stringify(before.rules) === JSON.stringify(rules);
    // One of the future was noted by a clock that was ahead: it binds nobody.
    if (isSame && before.at <= now && now - before.at < DAY_MS) return false;
    const bytes = new TextEncoder().encode(JSON.stringify({ v: 1, at: now, rules }));
    await replaceFile(disk, path, bytes, { temporary: `${path}.${ids.next('event')}.tmp`, durable: false });
    return true;
  }

  private async lastRun(path: string): Promise<{ readonly at: number; readonly rules: unknown } | null> {
    try {
      const bytes = await readWhole(this.ports.disk, path);
      const value: unknown = bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
      if (typeof value !== 'object' || value === null || !('at' in value && 'rules' in value)) return null;
      return typeof value.at === 'number' ? { at: value.at, rules: value.rules } : null;
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  /** Brought in by a person, or brought back from where a setting had put it: no event tells of either. */
  private async usedOtherwise(entries: readonly SessionEntry[]): Promise<ReadonlyMap<string, string>> {
    const used = new Map((await this.keeping.journal.read()).archived);
    for (const { session_id } of entries) {
      if (!isImported(session_id)) continue;
      const stat = await this.ports.disk.stat(sessionPaths(this.storage, session_id).log);
      const at = stat === null ? '' : new Date(stat.modified_ms).toISOString();
      if (at > (used.get(session_id) ?? '')) used.set(session_id, at);
    }
    return used;
  }

  private async openIn(entries: readonly SessionEntry[]): Promise<ReadonlySet<string>> {
    const open = new Set<string>();
    for (const { session_id } of entries) if (await this.isOpen(session_id)) open.add(session_id);
    return open;
  }

  /** A lease that the disk does not give may be somebody's. */
  private async isOpen(sessionId: string): Promise<boolean> {
    try {
      const { lease } = sessionPaths(this.storage, sessionId);
      return (await leaseHolder(this.ports, lease)).kind === 'live';
    } catch (error) {
      if (error instanceof DiskError) return true;
      throw error;
    }
  }
}
