import type { ReportedItem, RequestReport } from '../runtime/inspection/request-report.ts';
import { SKILL_INDEX_BYTES } from '../runtime/prompt/skill-index.ts';
import type { ExclusionReason } from '../runtime/replay/fold.ts';
import { joined, sentence, told, type Words } from '../runtime/inspection/spoken-words.ts';
import { manyBytes, manyEvents, manyItems, manyProblems, manyTokens } from './counted-words.ts';
import { breakRow, breaksAhead, prefixEnd, sharedSize, sharedWords } from './prefix-words.ts';
import {
  excerpt,
  HERE,
  lineLink,
  RAW_LINK,
  ReportText,
  seqLink,
  type Excerpt,
  type FieldRow,
  type Report,
} from './report-text.ts';
import { contentOf, kindOf } from './request-item.ts';
import { neighbours, recordRow, recordSection, requestList } from './request-record.ts';
import type { Say } from './speech.ts';

const REASONS = {
  audit: sentence('Audit: evidence of what happened, never sent'),
  unknown_type: sentence('Unknown type: written by a later version, kept and not sent'),
  partial_text: sentence('Partial text: an answer that did not complete is kept, and not sent'),
  other_model_or_endpoint: sentence('Reasoning of another model or endpoint: only its own gets it back'),
  reasoning_without_following_item: sentence('Reasoning that led to nothing: the API wants an item after it'),
  reasoning_switched_off: sentence('Reasoning that the provider rejected: sent once more without it'),
  reasoning_not_an_item: sentence('Reasoning that is no item of the API'),
  result_without_call: sentence('Result of a call that the log does not have'),
  second_result_of_call: sentence('Second result of a call: the first one counts'),
  before_checkpoint: sentence('Before the checkpoint that stands for it'),
  empty_message: sentence('Message without text'),
} as const satisfies Record<ExclusionReason, Words>;

const SEQS_SHOWN = 60;
const LINES_SHOWN = 60;

const LONG = { head: 1600, tail: 400 };
/** For the shared part of a request of more items than this: what is new is what is looked for. */
const SHORT = { head: 160, tail: 40 };
const MANY_ITEMS = 200;
/** The last of the shared items: an editor is no place for tens of thousands. */
const SHARED_SHOWN = 50;

interface Making {
  readonly text: ReportText;
  readonly report: RequestReport;
  readonly say: Say;
}

/** Pure: what a request sends and why, for people. The same report gives the same text. */
export function requestDocument(report: RequestReport, which: 'next' | 'past', say: Say): Report {
  const text = new ReportText(say);
  const making: Making = { text, report, say };
  head(making, which);
  damagedLines(making);
  recordSection(text, report);
  skillSection(making);
  newItems(making);
  sharedItems(making);
  leftOut(making);
  problems(making);
  requestList(text, report);
  return text.report;
}

function head({ text, report }: Making, which: 'next' | 'past'): void {
  const { session_id, at_seq, items, input, shared_prefix: shared } = report;
  text.line('# ', which === 'next' ? sentence('Next request') : sentence('Request')).gap();
  text.fields([
    [sentence('Session'), session_id],
    [
      sentence('Made of'),
      at_seq < 0
        ? sentence('an empty log')
        : { around: sentence('the log up to {0}', HERE), link: seqLink(session_id, at_seq) },
    ],
    recordRow(report, which),
    ...neighbours(report, which),
    [sentence('Model'), named(report.model)],
    [sentence('Endpoint'), named(report.endpoint)],
    [sentence('Prompt contract'), named(report.prompt_contract_version)],
    [sentence('Cache key'), named(report.prompt_cache_key)],
    [
      sentence('Input'),
      sentence(
        '{0}, {1}, about {2} (estimate)',
        manyItems(items.length),
        manyBytes(input.bytes),
        manyTokens(input.tokens_estimate),
      ),
    ],
    ...sizeRows(report, which),
    [
      sentence('Shared prefix'),
      shared.items === 0 ? sharedWords(report) : joined([sharedWords(report), sharedSize(report)]),
    ],
    ...breakRow(report),
    [sentence('Left out'), manyEvents(report.excluded.length)],
    [sentence('Problems'), manyProblems(report.problems.length)],
    [sentence('Raw JSON'), RAW_LINK],
  ]);
  text.gap();
}

function named(value: string | null): Words {
  return value === null || value === '' ? sentence('not known: no request is on record yet') : value;
}

/** What goes before the input is no part of the log: only its size is on record, by our own count. */
function sizeRows({ input }: RequestReport, which: 'next' | 'past'): readonly FieldRow[] {
  const { ahead_tokens_estimate: ahead, window_tokens: window, tokens_estimate, scale } = input;
  if (ahead === null) return [];
  const before: FieldRow = [
    sentence('Before the input'),
    sentence('about {0} of instructions and tools (estimate)', manyTokens(ahead)),
  ];
  if (which === 'past' || window === null) return [before];
  const all = { count: Math.round((ahead + tokens_estimate) * (scale ?? 1)) };
  const full =
    scale === null
      ? sentence('about {0} of {1} tokens (estimate)', all, { count: window })
      : sentence('about {0} of {1} tokens (estimate, scaled by what the provider last counted)', all, {
          count: window,
        });
  return [before, [sentence('Context window'), full]];
}

/** Ahead of the input as well, and on record: which skills the model was told of. */
function skillSection({ text, report: { skill_index: index, session_id }, say }: Making): void {
  if (index === null) return;
  text.line('## ', sentence('Skill index')).gap();
  const from = sentence(
    'From {0} {1}, {2}, about {3} (estimate)',
    HERE,
    index.source.type,
    manyBytes(index.bytes),
    manyTokens(index.tokens_estimate),
  );
  text.line({ around: from, link: seqLink(session_id, index.source.seq) });
  text.block(excerpt(index.text.trim(), { head: SKILL_INDEX_BYTES, tail: 0 }, say)).gap();
}

function sharedItems(making: Making): void {
  const { text, report } = making;
  const { shared_prefix: shared, items } = report;
  if (shared.of_previous === 0) return;
  text.line('## ', sentence('Shared with the previous request: {0}', manyItems(shared.items))).gap();
  breaksAhead(text, report);
  const how = items.length > MANY_ITEMS ? SHORT : LONG;
  const hidden = Math.max(0, shared.items - SHARED_SHOWN);
  if (hidden > 0)
    text.line(sentence('Before these, {0} more: the raw JSON has them.', manyItems(hidden))).gap();
  for (const item of items.slice(hidden, shared.items)) itemSection(making, item, how);
  prefixEnd(text, report);
  text.gap();
}

function newItems(making: Making): void {
  const { text, report } = making;
  const { shared_prefix: shared, items, damage } = report;
  const fresh = items.slice(shared.items);
  text.line('## ', freshTitle(shared, manyItems(fresh.length))).gap();
  for (const item of fresh) itemSection(making, item, LONG);
  if (fresh.length === 0 && damage.length === 0)
    text.line(sentence('Nothing yet: a new request begins with the next message.')).gap();
}

/** Behind a break there are items that were sent before as well: they are not new, and no cache has them there. */
function freshTitle(shared: RequestReport['shared_prefix'], many: Words): Words {
  if (shared.of_previous === 0) return sentence('Input: {0}', many);
  return shared.items < shared.of_previous
    ? sentence('After the shared prefix: {0}', many)
    : sentence('New in this request: {0}', many);
}

function itemSection({ text, report, say }: Making, reported: ReportedItem, how: Excerpt): void {
  const { index, item, source, placeholder, bytes, tokens_estimate } = reported;
  text.line(`### ${index}. `, kindOf(item));
  const from = sentence(
    'From {0} {1}, {2}, about {3} (estimate)',
    HERE,
    source.type,
    manyBytes(bytes),
    manyTokens(tokens_estimate),
  );
  text.line({ around: from, link: seqLink(report.session_id, source.seq) });
  if (placeholder)
    text.line(sentence('Placeholder: the call has no result yet. The real one will take its place.'));
  text.block(excerpt(contentOf(item, say), how, say)).gap();
}

/** By reason, then by type: a long session has thousands of them. */
function leftOut({ text, report: { excluded, session_id } }: Making): void {
  text.line('## ', sentence('Left out: {0}', manyEvents(excluded.length))).gap();
  for (const [reason, events] of groups(excluded, (event) => event.reason)) {
    text.line('### ', REASONS[reason], ' (', { count: events.length }, ')');
    for (const [type, same] of groups(events, (event) => event.type)) {
      const shown = same.slice(0, SEQS_SHOWN);
      const rest = same.length - shown.length;
      const links = shown.flatMap(({ seq }, index) => [index === 0 ? '' : ', ', seqLink(session_id, seq)]);
      const more = rest === 0 ? [] : [' ', sentence('and {0} more', { count: rest })];
      text.line(`- ${type}: `, ...links, ...more);
    }
    text.gap();
  }
}

function groups<T, K>(list: readonly T[], key: (one: T) => K): ReadonlyMap<K, readonly T[]> {
  const found = new Map<K, T[]>();
  for (const one of list) {
    const group = found.get(key(one));
    if (group === undefined) found.set(key(one), [one]);
    else group.push(one);
  }
  return found;
}

function damagedLines({ text, report: { damage, session_id } }: Making): void {
  if (damage.length === 0) return;
  text
    .line(
      '## ',
      damage.length === 1
        ? sentence('Damaged: 1 line')
        : sentence('Damaged: {0} lines', { count: damage.length }),
    )
    .gap();
  text.line(
    sentence(
      'No request is made of a damaged log: the session opens read-only. What stood on these lines is missing below.',
    ),
  );
  for (const { line, reason } of damage.slice(0, LINES_SHOWN))
    text.line('- ', lineLink(session_id, line), ': ', told(reason));
  const rest = damage.length - LINES_SHOWN;
  if (rest > 0) text.line('- ', sentence('and {0} more', { count: rest }));
  text.gap();
}

function problems({ text, report }: Making): void {
  const broken = report.problems.filter(({ kind }) => kind !== 'damaged_line');
  if (broken.length === 0) return;
  text.line('## ', sentence('Problems: {0}', broken.length)).gap();
  text.line(
    report.damage.length === 0
      ? sentence(
          'The API would refuse the request as it is. It is repaired before it leaves, and that is recorded.',
        )
      : sentence('The API would refuse the request as it is.'),
  );
  for (const problem of broken) text.line(`- ${JSON.stringify(problem)}`);
  text.gap();
}
