import type { Stop } from './built-requests.ts';
import { recordOf, type RecordedTokens } from './request-record.ts';
import type { SentRequest } from './sent-requests.ts';
import { compared, type Built, type Comparison } from './request-prefix.ts';

/** One call of a session, among the others. */
export interface RequestLine {
  /** The last event that it was made of. Null where what it sent is no request of the conversation. */
  readonly at_seq: number | null;
  readonly usage_seq: number;
  readonly purpose: string | null;
  readonly turn_id: string | null;
  readonly iteration: number | null;
  readonly model: string;
  readonly transport: string | null;
  readonly tokens: RecordedTokens;
  readonly cache_hit_rate: number | null;
  readonly total_ms: number | null;
  /** What it shares with the one before it; null where there is none. */
  readonly shared: Pick<Comparison, 'items' | 'of_previous' | 'whole' | 'broken_by'> | null;
}

/** The last of them: a long session has thousands. */
const LISTED = 50;

interface Listed {
  readonly call: SentRequest;
  readonly previous: SentRequest | null;
}

/** The last calls, each of the conversation with the one before it. */
export function listed(calls: readonly SentRequest[]): readonly Listed[] {
  let previous: SentRequest | null = null;
  const all = calls.map((call) => {
    const known: Listed = { call, previous: call.in_conversation ? previous : null };
    if (call.in_conversation) previous = call;
    return known;
  });
  return all.slice(-LISTED);
}

/** Of which requests a list has to know what was sent. */
export function stopsOf(list: readonly Listed[]): readonly Stop[] {
  return list.flatMap(({ call, previous }) => (previous === null ? [] : [call, previous]));
}

export function requestLines(
  list: readonly Listed[],
  all: ReadonlyMap<Stop, Built>,
  damagedUpTo: (seq: number) => boolean,
): readonly RequestLine[] {
  return list.map(({ call, previous }) => {
    const { usage_seq, purpose, turn_id, iteration, model, transport, tokens, cache_hit_rate, total_ms } =
      recordOf(call.usage);
    const at_seq = call.in_conversation ? call.at_seq : null;
    const facts = {
      usage_seq,
      purpose,
      turn_id,
      iteration,
      model,
      transport,
      tokens,
      cache_hit_rate,
      total_ms,
    };
    const [before, now] = [previous, call].map((one) => (one === null ? undefined : all.get(one)));
    const log = { damaged: damagedUpTo(call.at_seq) };
    return { at_seq, ...facts, shared: before && now ? sharedOf(compared(before, now, log)) : null };
  });
}

function sharedOf({ items, of_previous, whole, broken_by }: Comparison): RequestLine['shared'] {
  return { items, of_previous, whole, broken_by };
}
