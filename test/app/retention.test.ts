import { describe, expect, it } from 'vitest';
import { retentionPlan, retentionRules } from '../../src/app/retention.ts';
import type { SessionEntry } from '../../src/app/sessions.ts';
import { parseSettings, type Settings } from '../../src/app/settings.ts';

const NOW = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;

function ago(days: number): string {
  return new Date(NOW - days * DAY_MS).toISOString();
}

function entry(session_id: string, days: number, more: Partial<SessionEntry> = {}): SessionEntry {
  const times = { created_at: ago(days), updated_at: ago(days) };
  const nothing = {
    title: '',
    parent: null,
    fork: null,
    state: 'completed',
    problem: null,
    size: 1,
  } as const;
  return { session_id, ...nothing, ...times, pinned: false, archived: false, ...more };
}

function childOf(session_id: string): Partial<SessionEntry> {
  return { parent: { session_id, subagent_id: 'x', agent: 'default', depth: 1 } };
}

function settings(values: Readonly<Record<string, unknown>>): Settings {
  const parsed = parseSettings(values);
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.settings;
}

function archived(entries: readonly SessionEntry[], open: readonly string[] = []): readonly string[] {
  const rules = { archive_after_days: 90, trash_days: 0 };
  return retentionPlan({ rules, entries, trashed: [], open: new Set(open), now: NOW }).archive;
}

describe('retention', () => {
  it('is off unless it is set', () => {
    const rules = retentionRules(settings({}));
    expect(rules).toEqual({ archive_after_days: 0, trash_days: 0 });
    const trashed = [{ name: 'b.1', kept_since: 1 }];
    expect(retentionPlan({ rules, entries: [entry('a', 9999)], trashed, open: new Set(), now: NOW })).toEqual(
      {
        archive: [],
        remove: [],
      },
    );
  });

  it.each([
    [1, 30],
    [29, 30],
    [30, 30],
    [45, 45],
  ])('keeps the trash for 30 days at least: %i counts as %i', (set, counts) => {
    const rules = retentionRules(settings({ 'retention.trashDays': set }));
    expect(rules.trash_days).toBe(counts);
    const trashed = [counts - 1, counts].map((days) => ({
      name: `a.${days}`,
      kept_since: NOW - days * DAY_MS,
    }));
    expect(retentionPlan({ rules, entries: [], trashed, open: new Set(), now: NOW }).remove).toEqual([
      `a.${counts}`,
    ]);
  });

  it('archives what was not used for so long, and nothing that is pinned, open, at work or not readable', () => {
    expect(
      archived(
        [
          entry('old', 90),
          entry('new', 89),
          entry('pinned', 200, { pinned: true }),
          entry('waiting', 200, { state: 'waiting' }),
          entry('running', 200, { state: 'running' }),
          entry('open', 200),
          entry('damaged', 200, { problem: 'The log is damaged: x.' }),
          entry('archived', 200, { archived: true }),
          entry('no time', 200, { updated_at: 'whenever' }),
          entry('never used', 200, { state: null }),
        ],
        ['open'],
      ),
    ).toEqual(['old', 'never used']);
  });

  it('takes a family as one: a child that was used, or waits, keeps its parent', () => {
    const family = (child: Partial<SessionEntry>, days = 200): readonly SessionEntry[] => [
      entry('parent', 200),
      entry('child', days, { ...childOf('parent'), ...child }),
    ];
    expect(archived(family({}))).toEqual(['parent']);
    expect(archived(family({}, 5))).toEqual([]);
    expect(archived(family({ state: 'waiting' }))).toEqual([]);
    expect(archived(family({ pinned: true }))).toEqual([]);
    expect(archived(family({}), ['child'])).toEqual([]);
    expect(archived([entry('orphan', 200, childOf('gone'))])).toEqual(['orphan']);
  });

  it.each([['-1'], [1.5], ['soon'], [null], [36_501]])('refuses %s as a number of days', (value) => {
    for (const name of ['retention.archiveAfterDays', 'retention.trashDays'])
      expect(parseSettings({ [name]: value })).toEqual({
        ok: false,
        problems: [
          `${name} is not valid. It must be a whole number of days from 0, which means never, to 36500.`,
        ],
      });
  });
});
