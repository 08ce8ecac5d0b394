import type { CallFact, CompactionFacts } from '../runtime/inspection/compaction-facts.ts';
import { decisionWords } from '../runtime/inspection/compaction-words.ts';
import { joined, sentence, told, type Words } from '../runtime/inspection/spoken-words.ts';
import { numberOrNull } from '../runtime/loose-fields.ts';
import { manyBytes } from './counted-words.ts';
import { seqLink, type Part, type ReportText } from './report-text.ts';

/** What a checkpoint says, below its head: all of it, in the order in which a reader wants it. */
export function compactionSections(
  text: ReportText,
  recorded: { readonly session_id: string; readonly data: Readonly<Record<string, unknown>> },
  facts: CompactionFacts,
): void {
  text.line('## ', sentence('Summary')).gap();
  if (facts.summary === '') text.line(sentence('None.')).gap();
  else text.block(facts.summary).gap();
  bullets(text, sentence('Limitations'), facts.limitations.map(told));
  bullets(text, sentence('Open tasks'), facts.open_tasks);
  bullets(text, sentence('Files touched'), facts.files_touched);
  bullets(text, sentence('Decisions'), facts.decisions.map(decisionWords));
  bullets(text, sentence('Skills dropped'), facts.skills_dropped);
  calls(text, recorded.session_id, facts);
  counts(text, facts);
  filling(text, recorded.data);
  others(text, recorded.data);
}

function bullets(text: ReportText, title: Words, lines: readonly Words[]): void {
  text.line('## ', counted(title, lines.length)).gap();
  for (const line of lines) text.line('- ', line);
  if (lines.length > 0) text.gap();
}

function counted(title: Words, count: number): Words {
  return joined([title, { count }], ': ');
}

function calls(text: ReportText, sessionId: string, { calls: found }: CompactionFacts): void {
  if (found === null) return;
  const { total, failed, by_name, last } = found;
  const many = { count: total };
  const title =
    failed === null || failed === 0
      ? sentence('Tool calls: {0}', many)
      : sentence('Tool calls: {0}, {1} of them failed', many, { count: failed });
  text.line('## ', title).gap();
  for (const [name, count] of by_name) text.line('- ', name, ': ', { count });
  if (by_name.length > 0) text.gap();
  if (last.length === 0) return;
  text.line(sentence('The last of them. Their outputs are not repeated: the log has them.'));
  for (const call of last) text.line('- ', ...callWords(sessionId, call));
  text.gap();
}

function callWords(sessionId: string, call: CallFact): readonly Part[] {
  const { seq, name, subject, ok, output_bytes, blob } = call;
  const facts: readonly Words[] = [
    ok ? sentence('succeeded') : sentence('failed'),
    ...(output_bytes === null ? [] : [sentence('output of {0}', manyBytes(output_bytes))]),
    ...(blob === null ? [] : [sentence('whole in blob {0}', blob)]),
  ];
  const what = subject === '' ? name : `${name} ${subject}`;
  return [...(seq === null ? [] : [seqLink(sessionId, seq), ' ']), what, ': ', joined(facts)];
}

function counts(text: ReportText, { event_counts }: CompactionFacts): void {
  if (event_counts.length === 0) return;
  const total = event_counts.reduce((sum, [, count]) => sum + count, 0);
  text.line('## ', counted(sentence('Events summed up'), total)).gap();
  for (const [name, count] of event_counts) text.line('- ', name, ': ', { count });
  text.gap();
}

const PARTS = [
  ['instructions', sentence('Instructions')],
  ['tools', sentence('Tools')],
  ['skills', sentence('Skills')],
  ['history', sentence('History')],
  ['tool_output', sentence('Tool outputs')],
] as const;

/** What the next request is made of then. Estimates, like all that is known of a request before it left. */
function filling(text: ReportText, data: Readonly<Record<string, unknown>>): void {
  const known = PARTS.flatMap(([key, name]) => {
    const count = numberOrNull(data['parts_after'], key);
    return count === null ? [] : [{ name, count }];
  });
  if (known.length === 0) return;
  text.line('## ', sentence('What fills the next request, in estimated tokens')).gap();
  for (const { name, count } of known) text.line('- ', name, ': ', { count });
  text.gap();
}

/** What this version does not know, or not in this shape: it is recorded, so it is shown. */
function others(text: ReportText, data: Readonly<Record<string, unknown>>): void {
  const unread = Object.entries(data).filter(([key, value]) => EXPECTED.get(key)?.(value) !== true);
  if (unread.length === 0) return;
  text.line('## ', sentence('Other fields')).gap();
  text.block(JSON.stringify(Object.fromEntries(unread), undefined, 2)).gap();
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isList: Check = (value) => Array.isArray(value);
const isTable: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is shown above, when it has the shape that is read there. */
const EXPECTED: ReadonlyMap<string, Check> = new Map([
  ['turn_id', isText],
  ['trigger', isText],
  ['strategy', isText],
  ['fallback', isTable],
  ['range', isTable],
  ['tail_from_seq', isNumber],
  ['keeps', isList],
  ['tokens_before', isNumber],
  ['tokens_after', isNumber],
  ['tokens_basis', isText],
  ['parts_after', isTable],
  ['summary', isText],
  ['limitations', isList],
  ['open_tasks', isList],
  ['files_touched', isList],
  ['decisions', isList],
  ['skills_dropped', isList],
  ['tool_calls', isTable],
  ['event_counts', isTable],
]);
