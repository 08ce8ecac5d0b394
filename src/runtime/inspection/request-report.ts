import { channelOf } from '../channels.ts';
import type { LogEvent } from '../events.ts';
import type { ExclusionReason, ReplayEntry, ReplayTarget } from '../replay/entries.ts';
import type { InputItem } from '../replay/items.ts';
import { applyToPressure, NO_PRESSURE } from '../pressure.ts';
import { RequestValidator, type RequestProblem } from '../replay/validator.ts';
import { itemTokens } from '../replay/weights.ts';
import { utf8Length } from '../text-size.ts';
import { builtAt, type Stop } from './built-requests.ts';
import { listed, requestLines, stopsOf, type RequestLine } from './request-lines.ts';
import { recordedIndex, type RecordedIndex } from './recorded-index.ts';
import { recordOf, type RequestRecord } from './request-record.ts';
import { isBeside, requestsIn, type SentRequest } from './sent-requests.ts';
import { compared, type Comparison } from './request-prefix.ts';

export type { RequestLine } from './request-lines.ts';
export type { RequestRecord } from './request-record.ts';
export type { NamedCheckpoint, PrefixBreak } from './request-prefix.ts';

export interface ReportedItem {
  readonly index: number;
  readonly item: InputItem;
  readonly source: { readonly seq: number; readonly type: string };
  readonly placeholder: boolean;
  /** The request before has the same in the same place, and all before it. */
  readonly shared: boolean;
  /** As JSON, in UTF-8. */
  readonly bytes: number;
  /** An estimate, and of this item alone. */
  readonly tokens_estimate: number;
}

/** A line that cannot be read, counted from 1. */
export interface DamagedLine {
  readonly line: number;
  readonly reason: string;
}

/** Of such a log no request is made: what is reported is what the lines that can be read come to. */
export type DamageProblem = DamagedLine & { readonly kind: 'damaged_line' };

export interface Measured {
  readonly bytes: number;
  readonly tokens_estimate: number;
}

export interface RequestReport {
  readonly session_id: string;
  /** The request as it follows from the log up to and with this seq. */
  readonly at_seq: number;
  /** Of the last event in the log, whatever was asked for; -1 when there is none. */
  readonly last_seq: number;
  /** Lines up to there that cannot be read. */
  readonly damage: readonly DamagedLine[];
  readonly model: string;
  readonly endpoint: string;
  readonly prompt_contract_version: string | null;
  readonly prompt_cache_key: string | null;
  /** What its instructions tell of skills; null where they tell of none. */
  readonly skill_index: RecordedIndex | null;
  /** What came of it; null where no request is on record that left like this, as of the next one. */
  readonly on_record: RequestRecord | null;
  /** All of the input. What the provider counts is in the record. */
  readonly input: Measured & {
    /** Instructions, with what they tell of skills, and tools: estimated when this request left, or the last one before it. */
    readonly ahead_tokens_estimate: number | null;
    /** Of the model, as it was known then. */
    readonly window_tokens: number | null;
    /** What the provider last counted for each token of our estimates; null until it has counted. */
    readonly scale: number | null;
  };
  readonly items: readonly ReportedItem[];
  readonly excluded: readonly {
    readonly seq: number;
    readonly type: string;
    readonly reason: ExclusionReason;
  }[];
  readonly shared_prefix: Comparison &
    Measured & {
      /** The request that left before this one. */
      readonly previous: RequestPlace | null;
    };
  /** The request that left after this one. */
  readonly following: RequestPlace | null;
  /** The last calls of the session, and how many there are. */
  readonly requests: readonly RequestLine[];
  readonly request_count: number;
  readonly problems: readonly (DamageProblem | RequestProblem)[];
}

export interface RequestPlace {
  readonly at_seq: number;
  readonly usage_seq: number;
}

/** Pure: what a request sends and why, item by item, and what it leaves out and why. The log is folded once. */
export function requestReport(
  sessionId: string,
  log: readonly LogEvent[],
  at: number | null,
  damaged: readonly DamagedLine[] = [],
): RequestReport {
  const calls = requestsIn(log);
  const { at_seq, request, previous, following } = placeOf(log, calls, at);
  const events = at === null ? log : log.filter((event) => event.seq <= at_seq);
  const damage = at === null ? damaged : damageUpTo(damaged, events, at_seq);
  const facts = request ?? nearest(calls, at);
  const target = facts?.target ?? lastThinker(events);
  const looked: Stop = { at_seq, target, usage: request?.usage ?? null };
  const list = listed(calls);
  const { now, all } = builtAt(log, looked, [...(previous === null ? [] : [previous]), ...stopsOf(list)]);
  const before = previous === null ? null : (all.get(previous) ?? null);
  const comparison = compared(before, now, { damaged: damage.length > 0 });
  const types = new Map(events.map((event) => [event.seq, typeOf(event)]));
  const items = now.sent.map((entry, index) =>
    reported(entry, { index, type: types.get(entry.seq) ?? 'unknown', shared: index < comparison.items }),
  );
  const known = facts === null ? null : recordOf(facts.usage);
  const skill_index = recordedIndex(log, facts?.usage ?? null);
  const ahead = known?.context.ahead_of_input ?? null;
  return {
    session_id: sessionId,
    at_seq: events.at(-1)?.seq ?? -1,
    last_seq: log.at(-1)?.seq ?? -1,
    damage,
    model: target.model,
    endpoint: target.endpoint,
    prompt_contract_version: facts?.usage.data.prompt_contract_version ?? null,
    prompt_cache_key: facts?.usage.data.prompt_cache_key ?? null,
    skill_index,
    on_record: request === null ? null : known,
    input: {
      ...measured(items),
      ahead_tokens_estimate: ahead === null ? null : ahead + (skill_index?.tokens_estimate ?? 0),
      window_tokens: known?.context.window_tokens ?? null,
      scale: events.reduce(applyToPressure, NO_PRESSURE).scale,
    },
    items,
    excluded: events.flatMap((event) => {
      const reason = exclusion(event, now.excluded);
      return reason === null ? [] : [{ seq: event.seq, type: typeOf(event), reason }];
    }),
    shared_prefix: {
      ...comparison,
      ...measured(items.slice(0, comparison.items)),
      previous: whereOf(previous),
    },
    following: whereOf(following),
    requests: requestLines(list, all, (seq) => seq >= afterDamage(damaged, log)),
    request_count: calls.length,
    problems: [
      ...damage.map(({ line, reason }) => ({ kind: 'damaged_line' as const, line, reason })),
      ...(items.length === 0 ? [] : new RequestValidator().check(items.map(({ item }) => item))),
    ],
  };
}

interface Place {
  readonly at_seq: number;
  /** The one that left here. */
  readonly request: SentRequest | null;
  readonly previous: SentRequest | null;
  readonly following: SentRequest | null;
}

/**
 * The request that left after an event, or was under way then: as far as nothing that is sent came between the two,
 * it is what the log up to there gives. What came while it was under way is not in it.
 */
function placeOf(log: readonly LogEvent[], calls: readonly SentRequest[], at: number | null): Place {
  const sent = calls.filter((call) => call.in_conversation);
  const at_seq = at ?? log.at(-1)?.seq ?? -1;
  const index = at === null ? -1 : sent.findIndex(({ first_seq }) => first_seq > at);
  const next = sent[index];
  if (next === undefined) return { at_seq, request: null, previous: sent.at(-1) ?? null, following: null };
  const previous = sent[index - 1] ?? null;
  const [from, to] = [Math.min(at_seq, next.at_seq), Math.max(at_seq, next.at_seq)];
  const same = !log.some((event) => event.seq > from && event.seq <= to && channelOf(event) === 'replayed');
  if (same || next.at_seq < at_seq)
    return {
      at_seq: same ? at_seq : next.at_seq,
      request: next,
      previous,
      following: sent[index + 1] ?? null,
    };
  return { at_seq, request: null, previous, following: next };
}

/** Where nothing left, what is known of requests is taken from the next one, or from the last. */
function nearest(calls: readonly SentRequest[], at: number | null): SentRequest | null {
  const own = calls.filter(({ usage }) => !isBeside(usage));
  return (at === null ? undefined : own.find(({ usage }) => usage.seq > at)) ?? own.at(-1) ?? null;
}

/** Of a fork that has asked nobody yet: who made the last reasoning, the one thing that depends on it. */
function lastThinker(events: readonly LogEvent[]): ReplayTarget {
  const last = events.findLast((event) => event.type === 'reasoning');
  return { model: last?.data.model ?? '', endpoint: last?.data.endpoint ?? '' };
}

function whereOf(request: SentRequest | null): RequestPlace | null {
  return request && { at_seq: request.at_seq, usage_seq: request.usage.seq };
}

function reported(
  { seq, item, placeholder }: ReplayEntry,
  { index, type, shared }: { readonly index: number; readonly type: string; readonly shared: boolean },
): ReportedItem {
  const bytes = utf8Length(JSON.stringify(item));
  const source = { seq, type };
  const tokens_estimate = Math.ceil(itemTokens(item));
  return { index, item, source, placeholder: placeholder === true, shared, bytes, tokens_estimate };
}

function measured(items: readonly ReportedItem[]): Measured {
  return {
    bytes: items.reduce((sum, item) => sum + item.bytes, 0),
    tokens_estimate: items.reduce((sum, item) => sum + item.tokens_estimate, 0),
  };
}

/** Those before the last of the events, or in the place of the one that was asked for. */
function damageUpTo(
  damaged: readonly DamagedLine[],
  events: readonly LogEvent[],
  at: number,
): readonly DamagedLine[] {
  const reached = (events.at(-1)?.seq ?? -1) === at ? events.length : events.length + 1;
  return damaged.filter(({ line }, index) => {
    const eventsBefore = line - 1 - index;
    return eventsBefore < reached;
  });
}

/** The first event behind a line that cannot be read. */
function afterDamage([first]: readonly DamagedLine[], log: readonly LogEvent[]): number {
  return first === undefined ? Infinity : (log[first.line - 1]?.seq ?? Infinity);
}

function typeOf(event: LogEvent): string {
  return event.type === 'unknown' ? event.data.original_type : event.type;
}

function exclusion(event: LogEvent, excluded: ReadonlyMap<number, ExclusionReason>): ExclusionReason | null {
  if (channelOf(event) === 'replayed') return excluded.get(event.seq) ?? null;
  if (event.type === 'unknown') return 'unknown_type';
  return event.type === 'assistant_message' ? 'partial_text' : 'audit';
}
