import { describe, expect, test } from 'vitest';
import type { StorageReport, UsedSession } from '../../src/app/storage-care.ts';
import { storageArguments } from '../../src/host/allowed-actions.ts';
import { storageDocument, type RetentionShown } from '../../src/host/storage-document.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';

const NOTHING = { count: 0, bytes: 0 };
const OFF: RetentionShown = { archive_after_days: 0, trash_days: 0, trash_days_set: 0 };
const AT = Date.UTC(2026, 4, 1);

function used(key: string, more: Partial<UsedSession> = {}): UsedSession {
  const [session_id = key] = key.split('.');
  const sizes = { log: 100, beside: 0, torn: 0, own: NOTHING, shared: NOTHING };
  return {
    key,
    session_id,
    deleted_at: null,
    ...sizes,
    imported: false,
    title: '',
    archived: false,
    kept_since: null,
    ...more,
  };
}

const REPORT: StorageReport = {
  sessions: [
    used('a', {
      title: 'Mend\nthe build',
      own: { count: 2, bytes: 900 },
      shared: { count: 1, bytes: 50 },
      archived: true,
    }),
    used('b', { beside: 7, imported: true }),
    used('c.7', { title: 'Gone', deleted_at: AT }),
  ],
  logs: 200,
  beside: 7,
  torn: NOTHING,
  trash: 100,
  blobs: { count: 4, bytes: 1000 },
  unnamed: { count: 1, bytes: 50 },
  set_aside: NOTHING,
  drafts: 0,
  caches: 0,
  other: 1,
  total: 1308,
  unreadable: ['sessions/x.jsonl'],
  removed: [
    {
      id: 'e',
      at: new Date(AT).toISOString(),
      why: 'retention',
      what: { kind: 'session', session_id: 'd', name: 'd.1', deleted_at: '', bytes: 9, files: [] },
      end: 'finished',
    },
    {
      id: 'f',
      at: new Date(AT).toISOString(),
      why: 'person',
      what: { kind: 'contents', bytes: 8, files: ['x', 'y'] },
      end: null,
    },
  ],
};

function shown(report = REPORT, retention = OFF): ReturnType<typeof storageDocument> {
  return storageDocument('/storage', report, retention, { say: inEnglish, size: (bytes) => `${bytes} B` });
}

describe('the document about the storage', () => {
  test('has the whole, each session, the trash, what could not be read and what was removed', () => {
    expect(shown().text.split('\n')).toEqual([
      '# Storage use: 1308 B',
      '',
      'Large outputs, images and earlier versions of files are kept once, as contents, and shared by all sessions that name them.',
      '',
      'Folder            /storage',
      'Logs              200 B',
      'Beside the logs   7 B',
      'Contents          1000 B (4)',
      'Named by nothing  50 B (1)  [Set aside]',
      'Kept aside        0 B (0)',
      'Trash             100 B  [Empty what is old]',
      'Torn tails        0 B (0)',
      'Drafts            0 B',
      'Caches            0 B',
      'Other files       1 B',
      '',
      'Nothing is archived or removed by itself. That is off in the retention settings.',
      '',
      '## Could not be read: 1',
      '',
      'What these files name is not known, so nothing is collected while they cannot be read.',
      '- sessions/x.jsonl',
      '',
      '## Sessions, the largest first: 2',
      '',
      '1000 B    Mend the build · archived',
      '          log 100 B · contents of its own 900 B · shared contents 50 B · a',
      '          [Open]  [Take out of the archive]  [Delete]',
      '',
      '107 B     Without a message · imported',
      '          log 100 B · beside it 7 B · b',
      '          [Open]  [Archive]  [Delete]',
      '',
      '## In the trash: 1',
      '',
      'What was deleted can be restored for at least 30 days.',
      '',
      '100 B     Gone · deleted 2026-05-01T00:00:00.000Z',
      '          log 100 B · c',
      '          [Restore]  [Remove for good]',
      '',
      '## Removed for good so far: 2',
      '',
      '- 2026-05-01T00:00:00.000Z: session d, 9 B, by the retention settings',
      '- 2026-05-01T00:00:00.000Z: 2 contents that nothing named, 8 B, by you (not finished)',
      '',
    ]);
  });

  test('says what the settings want, and where they want too much', () => {
    const { text } = shown(REPORT, { archive_after_days: 90, trash_days: 30, trash_days_set: 7 });
    expect(text.split('\n').slice(16, 19)).toEqual([
      'Sessions that were not used for 90 days go to the archive, by the retention settings.',
      'What has been in the trash for 30 days is removed for good, by the retention settings.',
      'The setting says 7 days, but the trash keeps everything for at least 30.',
    ]);
  });

  test('is bounded, and says how many more there are', () => {
    const sessions = Array.from({ length: 500 }, (_, index) => used(`s${index}`));
    const { text } = shown({ ...REPORT, sessions });
    expect(text).toContain('and 300 more');
    expect(text.split('\n').length).toBeLessThan(1000);
  });

  test('has links that may do only what they say, with names that are names', () => {
    const done = shown().links.flatMap(({ target }) =>
      target.kind === 'action' ? [storageArguments(target.action.command, target.action.args)] : [],
    );
    expect(done.filter((args) => args !== null)).toEqual([
      [],
      [],
      ['a'],
      ['a'],
      ['b'],
      ['b'],
      ['c.7'],
      ['c.7'],
    ]);
    for (const [command, args] of [
      ['ledgerline.deleteSession', ['../x']],
      ['ledgerline.deleteSession', [{}]],
      ['ledgerline.deleteSession', ['a', 'b']],
      ['workbench.action.terminal.sendSequence', ['a']],
    ] as const)
      expect(storageArguments(command, args)).toBeNull();
  });
});
