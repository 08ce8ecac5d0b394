import type { PrefixBreak, ReportedItem, RequestReport } from '../runtime/inspection/request-report.ts';
import type { ExclusionReason } from '../runtime/replay/fold.ts';
import type { InputItem } from '../runtime/replay/items.ts';
import { unreachable } from '../runtime/unreachable.ts';
import {
  excerpt,
  grouped,
  lineLink,
  many,
  RAW_LINK,
  ReportText,
  seqLink,
  type Excerpt,
  type Part,
  type Report,
} from './report-text.ts';

const BREAKS = {
  pending_call_decided: 'a call that was pending then has its result now, in the place of the placeholder',
  compaction: 'a checkpoint has taken the place of earlier history',
  model_or_endpoint_changed: 'it goes to another model or endpoint, and reasoning is only sent to its own',
  reasoning_left_out: 'reasoning that was sent then is left out now',
  damaged_log: 'lines of the log are damaged, and what stood there may have been sent',
  unknown: 'the log does not say why',
} as const satisfies Record<PrefixBreak, string>;

const REASONS = {
  audit: 'Audit: evidence of what happened, never sent',
  unknown_type: 'Unknown type: written by a later version, kept and not sent',
  partial_text: 'Partial text: an answer that did not complete is kept, and not sent',
  other_model_or_endpoint: 'Reasoning of another model or endpoint: only its own gets it back',
  reasoning_without_following_item: 'Reasoning that led to nothing: the API wants an item after it',
  reasoning_switched_off: 'Reasoning that the provider rejected: sent once more without it',
  reasoning_not_an_item: 'Reasoning that is no item of the API',
  result_without_call: 'Result of a call that the log does not have',
  second_result_of_call: 'Second result of a call: the first one counts',
  before_checkpoint: 'Before the checkpoint that stands for it',
  empty_message: 'Message without text',
} as const satisfies Record<ExclusionReason, string>;

const SEQS_SHOWN = 60;
const LINES_SHOWN = 60;

const LONG = { head: 1600, tail: 400 };
/** For the shared part of a request of more items than this: what is new is what is looked for. */
const SHORT = { head: 160, tail: 40 };
const MANY_ITEMS = 200;
/** The last of the shared items: an editor is no place for tens of thousands. */
const SHARED_SHOWN = 50;

/** Pure: what a request sends and why, for people. The same report gives the same text. */
export function requestDocument(report: RequestReport, which: 'next' | 'past'): Report {
  const text = new ReportText();
  head(text, report, which);
  damagedLines(text, report);
  newItems(text, report);
  sharedItems(text, report);
  leftOut(text, report);
  problems(text, report);
  return text.report;
}

function head(text: ReportText, report: RequestReport, which: 'next' | 'past'): void {
  const { session_id, at_seq, items } = report;
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
  const tokens = items.reduce((sum, item) => sum + item.tokens_estimate, 0);
  text.line(which === 'next' ? '# Next request' : '# Request').gap();
  const field = (name: string, ...value: readonly Part[]): void => {
    text.line(name.padEnd(18), ...value);
  };
  field('Session', session_id);
  if (at_seq < 0) field('Made of', 'an empty log');
  else field('Made of', 'the log up to ', seqLink(session_id, at_seq));
  field('Model', named(report.model));
  field('Endpoint', named(report.endpoint));
  field('Prompt contract', named(report.prompt_contract_version));
  field('Cache key', named(report.prompt_cache_key));
  field(
    'Input',
    `${many(items.length, 'item')}, ${many(bytes, 'byte')}, about ${grouped(tokens)} tokens (estimate)`,
  );
  field('Shared prefix', sharedWords(report));
  field('Left out', many(report.excluded.length, 'event'));
  field('Problems', report.problems.length === 0 ? 'none' : many(report.problems.length, 'problem'));
  field('Raw JSON', RAW_LINK);
  text.gap();
}

function named(value: string | null): string {
  return value === null || value === '' ? 'not known: no request is on record yet' : value;
}

function sharedWords({ shared_prefix: shared, damage }: RequestReport): string {
  if (shared.of_previous === 0)
    return damage.length === 0
      ? 'none: there is no request before it'
      : 'none: no request before it can be read';
  if (shared.whole) return `all ${many(shared.of_previous, 'item')} of the previous request`;
  return `${grouped(shared.items)} of ${many(shared.of_previous, 'item')} of the previous request`;
}

function sharedItems(text: ReportText, report: RequestReport): void {
  const { shared_prefix: shared, items, session_id } = report;
  if (shared.of_previous === 0) return;
  text.line(`## Shared with the previous request: ${many(shared.items, 'item')}`).gap();
  const how = items.length > MANY_ITEMS ? SHORT : LONG;
  const hidden = Math.max(0, shared.items - SHARED_SHOWN);
  if (hidden > 0) text.line(`Before these, ${many(hidden, 'item')} more: the raw JSON has them.`).gap();
  for (const item of items.slice(hidden, shared.items)) itemSection(text, item, session_id, how);
  text.line(`---- The shared prefix ends here: ${sharedWords(report)}.`);
  if (shared.broken_by !== null) {
    text.line(
      `---- It breaks because ${BREAKS[shared.broken_by]}`,
      ...(shared.broken_at_seq === null ? ['.'] : [': see ', seqLink(session_id, shared.broken_at_seq), '.']),
    );
  }
  text.gap();
}

function newItems(text: ReportText, report: RequestReport): void {
  const { shared_prefix: shared, items, session_id, damage } = report;
  const fresh = items.slice(shared.items);
  const title = shared.of_previous === 0 ? 'Input' : 'New in this request';
  text.line(`## ${title}: ${many(fresh.length, 'item')}`).gap();
  for (const item of fresh) itemSection(text, item, session_id, LONG);
  if (fresh.length === 0 && damage.length === 0)
    text.line('Nothing yet: a new request begins with the next message.').gap();
}

function itemSection(text: ReportText, reported: ReportedItem, sessionId: string, how: Excerpt): void {
  const { index, item, source, placeholder, bytes, tokens_estimate } = reported;
  text.line(`### ${index}. ${kindOf(item)}`);
  text.line(
    'From ',
    seqLink(sessionId, source.seq),
    ` ${source.type}, ${many(bytes, 'byte')}, about ${many(tokens_estimate, 'token')} (estimate)`,
  );
  if (placeholder) text.line('Placeholder: the call has no result yet. The real one will take its place.');
  text.block(excerpt(contentOf(item), how)).gap();
}

function kindOf(item: InputItem): string {
  switch (item.type) {
    case 'message':
      return `${item.role} message${'phase' in item && item.phase !== undefined ? ` (${item.phase})` : ''}`;
    case 'function_call':
      return `function_call ${item.name} (${item.call_id})`;
    case 'function_call_output':
      return `function_call_output (${item.call_id})`;
    case 'reasoning':
      return 'reasoning';
    default:
      return unreachable(item);
  }
}

function contentOf(item: InputItem): string {
  switch (item.type) {
    case 'message':
      return item.content
        .map((part) => (part.type === 'input_image' ? imageWords(part.image_url) : part.text))
        .join('\n\n');
    case 'function_call':
      return item.arguments;
    case 'function_call_output':
      return item.output;
    case 'reasoning':
      return JSON.stringify(item, undefined, 2);
    default:
      return unreachable(item);
  }
}

function imageWords(url: string): string {
  const [kind] = /^data:[\w/+.-]+/.exec(url) ?? ['an image'];
  return `[${kind.replace('data:', '')}, ${many(url.length, 'character')}, not shown]`;
}

/** By reason, then by type: a long session has thousands of them. */
function leftOut(text: ReportText, { excluded, session_id }: RequestReport): void {
  text.line(`## Left out: ${many(excluded.length, 'event')}`).gap();
  for (const [reason, events] of groups(excluded, (event) => event.reason)) {
    text.line(`### ${REASONS[reason]} (${grouped(events.length)})`);
    for (const [type, same] of groups(events, (event) => event.type)) {
      const shown = same.slice(0, SEQS_SHOWN);
      const rest = same.length - shown.length;
      const links = shown.flatMap(({ seq }, index) => [index === 0 ? '' : ', ', seqLink(session_id, seq)]);
      text.line(`- ${type}: `, ...links, rest === 0 ? '' : ` and ${grouped(rest)} more`);
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

function damagedLines(text: ReportText, { damage, session_id }: RequestReport): void {
  if (damage.length === 0) return;
  text.line(`## Damaged: ${many(damage.length, 'line')}`).gap();
  text.line(
    'No request is made of a damaged log: the session opens read-only. What stood on these lines is missing below.',
  );
  for (const { line, reason } of damage.slice(0, LINES_SHOWN))
    text.line('- ', lineLink(session_id, line), `: ${reason}`);
  if (damage.length > LINES_SHOWN) text.line(`- and ${many(damage.length - LINES_SHOWN, 'more line')}`);
  text.gap();
}

function problems(text: ReportText, report: RequestReport): void {
  const broken = report.problems.filter(({ kind }) => kind !== 'damaged_line');
  if (broken.length === 0) return;
  text.line(`## Problems: ${broken.length}`).gap();
  const repaired = ' It is repaired before it leaves, and that is recorded.';
  text.line(`The API would refuse the request as it is.${report.damage.length === 0 ? repaired : ''}`);
  for (const problem of broken) text.line(`- ${JSON.stringify(problem)}`);
  text.gap();
}
