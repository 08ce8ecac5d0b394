import type { StorageReport, UsedSession } from '../app/storage-care.ts';
import { moment, sentence, type Words } from '../runtime/inspection/spoken-words.ts';
import { HERE, ReportText, type Part, type Report } from '../presenter/report-text.ts';
import type { Say } from '../presenter/speech.ts';
import type { Removed } from '../storage/storage-journal.ts';
import { ownBytes, type Amount } from '../storage/storage-use.ts';
import { COMMANDS } from './contribution-ids.ts';
import { foreign } from './shown-text.ts';

const SESSIONS_SHOWN = 200;
const REMOVED_SHOWN = 100;
const SIZE_WIDTH = 10;

export interface StorageWords {
  readonly say: Say;
  /** Bytes, as people read them. */
  readonly size: (bytes: number) => string;
}

/** What the retention settings say, and what counts of it. */
export interface RetentionShown {
  readonly archive_after_days: number;
  readonly trash_days: number;
  readonly trash_days_set: number;
}

/** Pure: what is stored, whose it is, what may be done about it, and what was removed for good so far. */
export function storageDocument(
  storage: string,
  report: StorageReport,
  retention: RetentionShown,
  words: StorageWords,
): Report {
  const { say, size } = words;
  const text = new ReportText(say);
  const [placed, trashed] = [
    report.sessions.filter(({ deleted_at }) => deleted_at === null),
    report.sessions.filter(({ deleted_at }) => deleted_at !== null),
  ];
  const amount = ({ count, bytes }: Amount): Words => `${size(bytes)} (${say({ count })})`;
  text.line('# ', sentence('Storage use: {0}', size(report.total))).gap();
  text.line(
    sentence(
      'Large outputs, images and earlier versions of files are kept once, as contents, and shared by all sessions that name them.',
    ),
  );
  text.gap();
  text.fields([
    [sentence('Folder'), storage],
    [sentence('Logs'), size(report.logs)],
    [sentence('Beside the logs'), size(report.beside)],
    [sentence('Contents'), amount(report.blobs)],
    [sentence('Named by nothing'), amount(report.unnamed), ...inBrackets(COLLECT, report.unnamed.count > 0)],
    [sentence('Kept aside'), amount(report.set_aside)],
    [sentence('Trash'), size(report.trash), ...inBrackets(EMPTY, trashed.length > 0)],
    [sentence('Torn tails'), amount(report.torn)],
    [sentence('Drafts'), size(report.drafts)],
    [sentence('Caches'), size(report.caches)],
    [sentence('Other files'), size(report.other)],
  ]);
  text.gap();
  retentionSection(text, retention);
  if (report.unreadable.length > 0) {
    text.line('## ', sentence('Could not be read: {0}', { count: report.unreadable.length })).gap();
    text.line(
      sentence('What these files name is not known, so nothing is collected while they cannot be read.'),
    );
    for (const path of report.unreadable.slice(0, SESSIONS_SHOWN)) text.line('- ', foreign(path));
    text.gap();
  }
  text.line('## ', sentence('Sessions, the largest first: {0}', { count: placed.length })).gap();
  for (const one of placed.slice(0, SESSIONS_SHOWN)) sessionLines(text, one, words);
  moreLine(text, placed.length - SESSIONS_SHOWN);
  text.line('## ', sentence('In the trash: {0}', { count: trashed.length })).gap();
  text.line(sentence('What was deleted can be restored for at least 30 days.')).gap();
  for (const one of trashed.slice(0, SESSIONS_SHOWN)) sessionLines(text, one, words);
  moreLine(text, trashed.length - SESSIONS_SHOWN);
  removedSection(text, report.removed, words);
  return text.report;
}

interface LinkPart {
  readonly text: Words;
  readonly target: {
    readonly kind: 'action';
    readonly action: { readonly label: string; readonly command: string; readonly args: readonly unknown[] };
  };
}

function link(text: Words, command: string, ...args: readonly unknown[]): LinkPart {
  return { text, target: { kind: 'action', action: { label: '', command, args } } };
}

const COLLECT = link(sentence('Set aside'), COMMANDS.collectContents);
const EMPTY = link(sentence('Empty what is old'), COMMANDS.emptyTrash);

function inBrackets(one: LinkPart, isOffered: boolean): readonly Part[] {
  return isOffered ? ['  [', one, ']'] : [];
}

function retentionSection(
  text: ReportText,
  { archive_after_days, trash_days, trash_days_set }: RetentionShown,
): void {
  const settings = link(
    sentence('retention settings'),
    'workbench.action.openSettings',
    'ledgerline.retention',
  );
  if (archive_after_days === 0 && trash_days === 0)
    text.line({
      around: sentence('Nothing is archived or removed by itself. That is off in the {0}.', HERE),
      link: settings,
    });
  if (archive_after_days > 0)
    text.line({
      around: sentence(
        'Sessions that were not used for {0} days go to the archive, by the {1}.',
        archive_after_days,
        HERE,
      ),
      link: settings,
    });
  if (trash_days > 0)
    text.line({
      around: sentence(
        'What has been in the trash for {0} days is removed for good, by the {1}.',
        trash_days,
        HERE,
      ),
      link: settings,
    });
  if (trash_days_set > 0 && trash_days_set < trash_days)
    text.line(
      sentence('The setting says {0} days, but the trash keeps everything for at least 30.', trash_days_set),
    );
  text.gap();
}

function sessionLines(text: ReportText, one: UsedSession, { say, size }: StorageWords): void {
  const title = foreign(one.title, 100);
  const { own, shared } = one;
  const indent = ' '.repeat(SIZE_WIDTH);
  text.line(
    size(ownBytes(one)).padEnd(SIZE_WIDTH),
    title === '' ? sentence('Without a message') : title,
    ...(one.archived ? [' · ', sentence('archived')] : []),
    ...(one.imported ? [' · ', sentence('imported')] : []),
    ...(one.deleted_at === null
      ? []
      : [' · ', sentence('deleted {0}', moment(new Date(one.deleted_at).toISOString()))]),
  );
  const parts: Words[] = [
    sentence('log {0}', size(one.log)),
    ...(one.beside === 0 ? [] : [sentence('beside it {0}', size(one.beside))]),
    ...(own.count === 0 ? [] : [sentence('contents of its own {0}', size(own.bytes))]),
    ...(shared.count === 0 ? [] : [sentence('shared contents {0}', size(shared.bytes))]),
  ];
  text.line(indent, parts.map(say).join(' · '), ' · ', one.session_id);
  text.line(indent, ...actionsOf(one));
  text.gap();
}

function actionsOf(one: UsedSession): readonly Part[] {
  const links =
    one.deleted_at === null
      ? [
          link(sentence('Open'), COMMANDS.openSession, one.session_id),
          one.archived
            ? link(sentence('Take out of the archive'), COMMANDS.unarchiveSession, one.session_id)
            : link(sentence('Archive'), COMMANDS.archiveSession, one.session_id),
          link(sentence('Delete'), COMMANDS.deleteSession, one.session_id),
        ]
      : [
          link(sentence('Restore'), COMMANDS.restoreSession, one.key),
          link(sentence('Remove for good'), COMMANDS.removeDeletedSession, one.key),
        ];
  return links.flatMap((part, at) => (at === 0 ? ['[', part, ']'] : ['  [', part, ']']));
}

function moreLine(text: ReportText, rest: number): void {
  if (rest > 0) text.line(sentence('and {0} more', { count: rest })).gap();
}

function removedSection(text: ReportText, removed: readonly Removed[], { size }: StorageWords): void {
  text.line('## ', sentence('Removed for good so far: {0}', { count: removed.length })).gap();
  if (removed.length === 0) text.line(sentence('Nothing.'));
  for (const { at, why, what, end } of removed.slice(0, REMOVED_SHOWN)) {
    const by = why === 'person' ? sentence('by you') : sentence('by the retention settings');
    const words =
      what.kind === 'session'
        ? sentence('session {0}, {1}', what.session_id, size(what.bytes))
        : what.files.length === 1
          ? sentence('1 content that nothing named, {0}', size(what.bytes))
          : sentence('{0} contents that nothing named, {1}', { count: what.files.length }, size(what.bytes));
    text.line(
      '- ',
      moment(at),
      ': ',
      words,
      ', ',
      by,
      ...(end === null ? [' ', sentence('(not finished)')] : []),
    );
  }
  moreLine(text, removed.length - REMOVED_SHOWN);
}
