import { sentence, type Words } from '../runtime/inspection/spoken-words.ts';
import type { RedactionChoice, Removed, RemovedKind } from '../runtime/redaction/choices.ts';
import { manyBytes } from './counted-words.ts';
import { ReportText } from './report-text.ts';
import type { Say } from './speech.ts';

export interface BundleFacts {
  readonly removed: readonly RedactionChoice[];
  readonly counts: Removed;
  readonly events: number;
  readonly blobs: number;
  readonly damaged: readonly { readonly line: number; readonly reason: string }[];
  readonly torn_bytes: number;
}

const KINDS = {
  secrets: sentence('Secrets'),
  paths: sentence('Paths, names of the user and the machine, e-mail addresses'),
  file_names: sentence('Names of files and folders'),
  contents: sentence('Contents: prompts, answers, arguments, outputs, summaries'),
  images: sentence('Images'),
  hashes: sentence('Hashes, replaced by others'),
  ids: sentence('Ids of other makers, replaced'),
  names: sentence('Names of branches, endpoints, models and tools that are not the program’s own, replaced'),
  unknown_fields: sentence('Fields that this version does not know'),
  unknown_events: sentence('Events that this version does not know, emptied'),
  blobs: sentence('Files and outputs beside the log, left out'),
} as const satisfies Record<RemovedKind, Words>;

/** Pure: what is in a bundle and what is not, for whoever is about to let it go. */
export function bundleSummary(facts: BundleFacts, bytes: number, say: Say): string {
  const text = new ReportText(say);
  const chosen = new Set(facts.removed);
  text.line('# ', sentence('What leaves')).gap();
  text.line(sentence('The other document is the file, byte for byte. Nothing was written or sent yet.'));
  text
    .line(
      sentence(
        'Look through it: what is found by its form, such as a secret in running text, can be missed.',
      ),
    )
    .gap();
  text.fields([
    [sentence('Size'), manyBytes(bytes)],
    [sentence('Events'), { sentence: '{0}', values: [{ count: facts.events }] }],
    [sentence('Bodies beside them'), { sentence: '{0}', values: [{ count: facts.blobs }] }],
  ]);
  text.gap().line('## ', sentence('Removed')).gap();
  const rows = Object.entries(KINDS).flatMap(([kind, words]) => {
    const count = isKind(kind) ? facts.counts[kind] : 0;
    return count === 0 ? [] : [[words, count] as const];
  });
  if (rows.length === 0) text.line(sentence('Nothing'));
  for (const [words, count] of rows) text.line('- ', words, ': ', { sentence: '{0}', values: [{ count }] });
  text.gap().line('## ', sentence('Stays')).gap();
  for (const words of staying(chosen)) text.line('- ', words);
  if (facts.damaged.length > 0 || facts.torn_bytes > 0) {
    text.gap().line('## ', sentence('Missing from the log')).gap();
    for (const { line, reason } of facts.damaged)
      text.line('- ', sentence('Line {0} could not be read: {1}', line, reason));
    if (facts.torn_bytes > 0)
      text.line('- ', sentence('The last line was cut off: {0}', manyBytes(facts.torn_bytes)));
  }
  return text.report.text;
}

function staying(chosen: ReadonlySet<RedactionChoice>): readonly Words[] {
  return [
    sentence(
      'Types, order, times and states of events; counts, durations, token numbers; the version of the program',
    ),
    ...(chosen.has('contents')
      ? [sentence('How long each text was, and which texts were equal')]
      : [sentence('Contents, as they are in the file; images as they are')]),
    ...(chosen.has('secrets') ? [] : [sentence('Secrets, wherever they are')]),
    ...(chosen.has('paths') ? [] : [sentence('Paths, names of the user and the machine')]),
    ...(chosen.has('file_names') ? [] : [sentence('Names of files and folders in the workspace')]),
  ];
}

function isKind(kind: string): kind is RemovedKind {
  return Object.hasOwn(KINDS, kind);
}
