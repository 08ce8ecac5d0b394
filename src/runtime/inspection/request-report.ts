import { channelOf } from '../channels.ts';
import type { KnownEvent, LogEvent } from '../events.ts';
import { ReplayFold, type ExclusionReason, type ReplayEntry, type ReplayTarget } from '../replay/fold.ts';
import type { InputItem } from '../replay/items.ts';
import { RequestValidator, type RequestProblem } from '../replay/validator.ts';

export interface ReportedItem {
  readonly index: number;
  readonly item: InputItem;
  readonly source: { readonly seq: number; readonly type: string };
  readonly placeholder: boolean;
  /** As JSON, in UTF-8. */
  readonly bytes: number;
  /** Four bytes a token is a rule of thumb: an estimate, and of this item alone. */
  readonly tokens_estimate: number;
}

/** Why a request does not begin with the whole one before it. */
export type PrefixBreak =
  | 'pending_call_decided'
  | 'compaction'
  | 'model_or_endpoint_changed'
  | 'reasoning_left_out'
  /** What stood on a line that cannot be read may have been sent before. */
  | 'damaged_log'
  | 'unknown';

/** A line that cannot be read, counted from 1. */
export interface DamagedLine {
  readonly line: number;
  readonly reason: string;
}

/** Of such a log no request is made: what is reported is what the lines that can be read come to. */
export type DamageProblem = DamagedLine & { readonly kind: 'damaged_line' };

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
  readonly items: readonly ReportedItem[];
  readonly excluded: readonly {
    readonly seq: number;
    readonly type: string;
    readonly reason: ExclusionReason;
  }[];
  readonly shared_prefix: {
    readonly items: number;
    readonly of_previous: number;
    readonly whole: boolean;
    /** Null when it is whole, or when there was none before. */
    readonly broken_by: PrefixBreak | null;
    /** The event behind the first item that is another. */
    readonly broken_at_seq: number | null;
  };
  readonly problems: readonly (DamageProblem | RequestProblem)[];
}

/** Pure: what a request sends and why, item by item, and what it leaves out and why. */
export function requestReport(
  sessionId: string,
  log: readonly LogEvent[],
  at: number | null,
  damaged: readonly DamagedLine[] = [],
): RequestReport {
  const events = at === null ? log : log.filter((event) => event.seq <= at);
  const damage = at === null ? damaged : damageUpTo(damaged, events, at);
  const facts = factsOf(log, usageFor(log, at));
  const target: ReplayTarget = { model: facts.model, endpoint: facts.endpoint };
  const types = new Map(
    events.map((event) => [event.seq, event.type === 'unknown' ? event.data.original_type : event.type]),
  );
  const fold = new ReplayFold();
  for (const event of events) fold.push(event);
  const { sent, excluded } = fold.explain(target);
  const items = sent.map((entry, index) => {
    const bytes = utf8Length(JSON.stringify(entry.item));
    return {
      index,
      item: entry.item,
      source: { seq: entry.seq, type: types.get(entry.seq) ?? 'unknown' },
      placeholder: entry.placeholder === true,
      bytes,
      tokens_estimate: Math.ceil(bytes / 4),
    };
  });
  const input = items.map(({ item }) => item);
  return {
    session_id: sessionId,
    at_seq: events.at(-1)?.seq ?? -1,
    last_seq: log.at(-1)?.seq ?? -1,
    damage,
    ...facts,
    items,
    excluded: events.flatMap((event) => {
      const reason = exclusion(event, excluded);
      return reason === null ? [] : [{ seq: event.seq, type: types.get(event.seq) ?? 'unknown', reason }];
    }),
    shared_prefix: sharedPrefix(
      previousRequest(events),
      { target, sent, checkpoint: checkpointBefore(events, Infinity) },
      damage,
    ),
    problems: [
      ...damage.map(({ line, reason }) => ({ kind: 'damaged_line' as const, line, reason })),
      ...(input.length === 0 ? [] : new RequestValidator().check(input)),
    ],
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

function exclusion(event: LogEvent, excluded: ReadonlyMap<number, ExclusionReason>): ExclusionReason | null {
  if (channelOf(event) === 'replayed') return excluded.get(event.seq) ?? null;
  if (event.type === 'unknown') return 'unknown_type';
  return event.type === 'assistant_message' ? 'partial_text' : 'audit';
}

type Usage = KnownEvent<'provider_usage'>;

/** The request that left at this point of the log, as far as it is known; else the last one that did. */
function usageFor(log: readonly LogEvent[], at: number | null): Usage | undefined {
  const usages = log.filter((event) => event.type === 'provider_usage');
  return (at === null ? undefined : usages.find((event) => event.seq > at)) ?? usages.at(-1);
}

/** Where a request went. */
function factsOf(
  log: readonly LogEvent[],
  usage: Usage | undefined,
): Pick<RequestReport, 'model' | 'endpoint' | 'prompt_contract_version' | 'prompt_cache_key'> {
  return {
    model: usage?.data.model ?? '',
    endpoint: usage === undefined ? '' : (usage.data.endpoint ?? guessedEndpoint(log, usage)),
    prompt_contract_version: usage?.data.prompt_contract_version ?? null,
    prompt_cache_key: usage?.data.prompt_cache_key ?? null,
  };
}

/** For the first logs, which do not name it: that of the last reasoning, the one thing that depends on it. */
function guessedEndpoint(log: readonly LogEvent[], usage: Usage): string {
  const reasoning = log.findLast(
    (event): event is KnownEvent<'reasoning'> =>
      event.type === 'reasoning' && event.seq < usage.seq && event.data.model === usage.data.model,
  );
  return reasoning?.data.endpoint ?? '';
}

interface Built {
  readonly target: ReplayTarget;
  readonly sent: readonly ReplayEntry[];
  /** The last checkpoint that it was made with. */
  readonly checkpoint: number | null;
}

/** The last request that was sent: what the log held before the first event of its stream. */
function previousRequest(events: readonly LogEvent[]): Built | null {
  const usage = usageFor(events, null);
  if (usage === undefined) return null;
  const stream = usage.data.stream_run_id;
  const first = events.find((event) => 'stream_run_id' in event.data && event.data.stream_run_id === stream);
  const fold = new ReplayFold();
  for (const event of events) {
    if (event.seq >= (first?.seq ?? usage.seq)) break;
    fold.push(event);
  }
  const { model, endpoint } = factsOf(events, usage);
  const { sent } = fold.explain({ model, endpoint });
  return { target: { model, endpoint }, sent, checkpoint: checkpointBefore(events, first?.seq ?? usage.seq) };
}

function checkpointBefore(events: readonly LogEvent[], seq: number): number | null {
  const found = events.findLast((event) => event.type === 'history_compaction' && event.seq < seq);
  return found?.seq ?? null;
}

function sharedPrefix(
  before: Built | null,
  now: Built,
  damage: readonly DamagedLine[],
): RequestReport['shared_prefix'] {
  const previous = before?.sent ?? [];
  const shared = sharedItems(previous, now.sent);
  const same = shared === previous.length;
  const counts = { items: shared, of_previous: previous.length, whole: same && damage.length === 0 };
  const broken_at_seq = same ? null : (now.sent[shared]?.seq ?? null);
  if (damage.length > 0) return { ...counts, broken_by: 'damaged_log', broken_at_seq };
  const broken_by = before === null || same ? null : breakOf(before, now, shared);
  return { ...counts, broken_by, broken_at_seq };
}

function breakOf(before: Built, now: Built, at: number): PrefixBreak {
  const old = before.sent[at];
  const next = now.sent[at];
  const { target, checkpoint } = now;
  if (target.model !== before.target.model || target.endpoint !== before.target.endpoint)
    return 'model_or_endpoint_changed';
  if (checkpoint !== before.checkpoint) return 'compaction';
  if (old?.placeholder === true && next?.item.type === 'function_call_output') return 'pending_call_decided';
  return old?.item.type === 'reasoning' ? 'reasoning_left_out' : 'unknown';
}

function sharedItems(a: readonly ReplayEntry[], b: readonly ReplayEntry[]): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && isSame(a[shared], b[shared])) shared += 1;
  return shared;
}

function isSame(one: ReplayEntry | undefined, other: ReplayEntry | undefined): boolean {
  return JSON.stringify(one?.item) === JSON.stringify(other?.item);
}

/** Without a platform's encoder: the runtime has none. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}
