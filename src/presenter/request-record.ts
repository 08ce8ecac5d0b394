import { resetWords } from '../runtime/inspection/continuation-words.ts';
import { nameInWords } from '../runtime/inspection/log-names.ts';
import type { RequestLine, RequestRecord, RequestReport } from '../runtime/inspection/request-report.ts';
import { joined, sentence, type Words } from '../runtime/inspection/spoken-words.ts';
import { wholePercent } from '../runtime/whole-percent.ts';
import { manyTokens } from './counted-words.ts';
import { breakWords } from './prefix-words.ts';
import { requestLink, seqLink, type FieldRow, type ReportText } from './report-text.ts';

const UNKNOWN = sentence('unknown');

const TRANSPORTS: ReadonlyMap<string, Words> = new Map([
  ['http_sse', sentence('HTTP, with server-sent events')],
  ['websocket', sentence('WebSocket')],
  ['offline', sentence('none: the offline model')],
]);

const PURPOSES: ReadonlyMap<string, Words> = new Map([['compaction', sentence('compaction')]]);

const TRUNCATIONS: ReadonlyMap<string, Words> = new Map([
  ['not_truncated', sentence('not cut off')],
  ['truncated', sentence('cut off at the output limit')],
]);

export function recordRow({ on_record, session_id }: RequestReport, which: 'next' | 'past'): FieldRow {
  const nothing =
    which === 'next'
      ? sentence('nothing yet: what is counted here is estimated')
      : sentence('nothing: no request left here, and this is what one would have sent');
  return [sentence('On record'), on_record === null ? nothing : seqLink(session_id, on_record.usage_seq)];
}

/** What came of a request, as far as the log says so. */
export function recordSection(text: ReportText, { on_record: record }: RequestReport): void {
  if (record === null) return;
  text.line('## ', sentence('What came of it')).gap();
  text.fields([
    [sentence('Transport'), knownAs(TRANSPORTS, record.transport)],
    [sentence('Attempts'), countOr(record.attempts)],
    [sentence('Continuation'), continuationWords(record)],
    [sentence('Tokens'), tokenWords(record)],
    [sentence('From the cache'), cacheWords(record)],
    [sentence('Context window'), windowWords(record)],
    [sentence('Cache diagnosis'), diagnosisWords(record)],
    [sentence('End of the answer'), knownAs(TRUNCATIONS, record.output_truncation)],
    [sentence('Time'), timeWords(record)],
  ]);
  text.gap();
}

/** A name of a later version without its underscores. */
function knownAs(names: ReadonlyMap<string, Words>, name: string | null): Words {
  return name === null ? UNKNOWN : (names.get(name) ?? nameInWords(name));
}

function countOr(n: number | null): Words {
  return n === null ? UNKNOWN : { count: n };
}

function percent(share: number): Words {
  return sentence('{0} %', wholePercent(share));
}

/** Whether only what is new went out, and if not, why not. */
function continuationWords({ continuation }: RequestRecord): Words {
  if (continuation === null) return UNKNOWN;
  const { attempted, used, reset_reason } = continuation;
  if (used) return sentence('used: only what is new was sent');
  const why = reset_reason === null ? UNKNOWN : resetWords(reset_reason);
  if (attempted) return sentence('tried and not used: everything was sent ({0})', why);
  return reset_reason === null
    ? sentence('none: everything was sent')
    : sentence('none: everything was sent ({0})', why);
}

function tokenWords({ tokens }: RequestRecord): Words {
  const counts = [
    [sentence('input'), tokens.input],
    [sentence('output'), tokens.output],
    [sentence('reasoning'), tokens.reasoning],
    [sentence('total'), tokens.total],
  ] as const;
  if (counts.every(([, n]) => n === null)) return UNKNOWN;
  return joined(counts.map(([name, n]) => joined([name, countOr(n)], ' ')));
}

function cacheWords({ tokens, cache_hit_rate: rate }: RequestRecord): Words {
  if (tokens.cached === null) return UNKNOWN;
  const read = manyTokens(tokens.cached);
  const share = rate === null ? read : sentence('{0} ({1} of the input)', read, percent(rate));
  return tokens.cache_write === null
    ? share
    : joined([share, sentence('{0} written to it', manyTokens(tokens.cache_write))]);
}

function windowWords({ context: { window_tokens: window, ratio, tier }, tokens }: RequestRecord): Words {
  if (window === null) return UNKNOWN;
  const all = { count: window };
  const size =
    tokens.input === null
      ? sentence('{0} tokens', all)
      : sentence('{0} of {1} tokens', { count: tokens.input }, all);
  const share = ratio === null ? [] : [percent(ratio)];
  const state = tier === null || ratio === null ? [] : [sentence('tier {0}', tier)];
  return joined([size, ...share, ...state]);
}

function diagnosisWords({ cache_diagnostics: told }: RequestRecord): Words {
  if (told === null) return sentence('none from the endpoint');
  // In the endpoint's own words: they are its names.
  const missed = told.missed_tokens === null ? [] : [sentence('{0} missed', manyTokens(told.missed_tokens))];
  return joined([told.type, ...(told.reason === null ? [] : [told.reason]), ...missed]);
}

function timeWords({ time_to_first_token_ms: first, total_ms: all }: RequestRecord): Words {
  const total = all === null ? UNKNOWN : { ms: all };
  return first === null
    ? sentence('{0} in all', total)
    : sentence('{0} to the first token, {1} in all', { ms: first }, total);
}

/** The calls of the session, the last first, each a way to its own document. */
export function requestList(text: ReportText, report: RequestReport): void {
  const { requests, request_count: all, session_id, on_record } = report;
  if (all === 0) return;
  text.line('## ', sentence('Requests of this session: {0}', { count: all })).gap();
  if (all > requests.length) text.line(sentence('The last {0} of them:', { count: requests.length })).gap();
  for (const line of requests.toReversed()) {
    const here = line.usage_seq === on_record?.usage_seq ? [sentence('this one')] : [];
    const link =
      line.at_seq === null ? seqLink(session_id, line.usage_seq) : requestLink(session_id, line.at_seq);
    text.line('- ', link, ': ', joined([...here, ...lineWords(line)]));
  }
  text.gap();
}

function lineWords(line: RequestLine): readonly Words[] {
  const { purpose, iteration, model, transport, tokens, shared } = line;
  return [
    ...(purpose === null ? [] : [sentence('beside the conversation: {0}', knownAs(PURPOSES, purpose))]),
    ...(iteration === null || purpose !== null ? [] : [sentence('round {0}', iteration)]),
    model,
    ...(transport === 'websocket' ? [sentence('WebSocket')] : []),
    joined([sentence('input'), countOr(tokens.input)], ' '),
    ...(tokens.cached === null ? [] : [joined([sentence('cached'), countOr(tokens.cached)], ' ')]),
    joined([sentence('output'), countOr(tokens.output)], ' '),
    ...(shared === null ? [] : [prefixWords(shared)]),
  ];
}

function prefixWords({ items, of_previous, whole, broken_by }: NonNullable<RequestLine['shared']>): Words {
  if (whole || broken_by === null) return sentence('prefix whole');
  return sentence('prefix {0} of {1}: {2}', { count: items }, { count: of_previous }, breakWords(broken_by));
}

/** Ways to the requests before and after. */
export function neighbours(report: RequestReport, which: 'next' | 'past'): readonly FieldRow[] {
  const { session_id, shared_prefix, following } = report;
  const { previous } = shared_prefix;
  const before: readonly FieldRow[] =
    previous === null ? [] : [[sentence('Request before'), requestLink(session_id, previous.at_seq)]];
  if (which === 'next') return before;
  return [...before, [sentence('Request after'), requestLink(session_id, following?.at_seq ?? null)]];
}
