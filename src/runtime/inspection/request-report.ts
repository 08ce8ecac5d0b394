import { channelOf } from '../channels.ts';
import type { KnownEvent, LogEvent } from '../events.ts';
import { ReplayFold, type ExclusionReason, type ReplayTarget } from '../replay/fold.ts';
import type { InputItem } from '../replay/items.ts';
import { RequestValidator } from '../replay/validator.ts';

export interface ReportedItem {
  readonly index: number;
  readonly item: InputItem;
  readonly source: { readonly seq: number; readonly type: string };
  readonly placeholder: boolean;
}

export interface RequestReport {
  readonly session_id: string;
  /** The request as it follows from the log up to and with this seq. */
  readonly at_seq: number;
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
  readonly shared_prefix: { readonly items: number; readonly of_previous: number; readonly whole: boolean };
  readonly problems: readonly unknown[];
}

/** Pure: what a request sends and why, item by item, and what it leaves out and why. */
export function requestReport(sessionId: string, log: readonly LogEvent[], at: number | null): RequestReport {
  const events = at === null ? log : log.filter((event) => event.seq <= at);
  const facts = factsOf(log, usageFor(log, at));
  const target: ReplayTarget = { model: facts.model, endpoint: facts.endpoint };
  const types = new Map(
    events.map((event) => [event.seq, event.type === 'unknown' ? event.data.original_type : event.type]),
  );
  const fold = new ReplayFold();
  for (const event of events) fold.push(event);
  const { sent, excluded } = fold.explain(target);
  const items = sent.map((entry, index) => ({
    index,
    item: entry.item,
    source: { seq: entry.seq, type: types.get(entry.seq) ?? 'unknown' },
    placeholder: entry.placeholder === true,
  }));
  const input = items.map(({ item }) => item);
  const previous = previousInput(events);
  const shared = sharedItems(previous, input);
  return {
    session_id: sessionId,
    at_seq: events.at(-1)?.seq ?? -1,
    ...facts,
    items,
    excluded: events.flatMap((event) => {
      const reason = exclusion(event, excluded);
      return reason === null ? [] : [{ seq: event.seq, type: types.get(event.seq) ?? 'unknown', reason }];
    }),
    shared_prefix: { items: shared, of_previous: previous.length, whole: shared === previous.length },
    problems: input.length === 0 ? [] : new RequestValidator().check(input),
  };
}

function exclusion(event: LogEvent, excluded: ReadonlyMap<number, ExclusionReason>): ExclusionReason | null {
  if (channelOf(event) === 'replayed') return excluded.get(event.seq) ?? null;
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

/** The input of the last request that was sent: what the log held before the first event of its stream. */
function previousInput(events: readonly LogEvent[]): readonly InputItem[] {
  const usage = usageFor(events, null);
  if (usage === undefined) return [];
  const stream = usage.data.stream_run_id;
  const first = events.find((event) => 'stream_run_id' in event.data && event.data.stream_run_id === stream);
  const fold = new ReplayFold();
  for (const event of events) {
    if (event.seq >= (first?.seq ?? usage.seq)) break;
    fold.push(event);
  }
  return fold.input(factsOf(events, usage));
}

function sharedItems(a: readonly InputItem[], b: readonly InputItem[]): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && JSON.stringify(a[shared]) === JSON.stringify(b[shared]))
    shared += 1;
  return shared;
}
