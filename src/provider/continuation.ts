import type { ModelRequest } from '../runtime/ports.ts';
import type { InputItem } from '../runtime/replay/items.ts';

/** Why a request carries its whole input, or why one that did not was of no use. Recorded with every call it is true of. */
export type ResetReason =
  /** Nothing was asked before, or what answered has no name. */
  | 'no_previous_response'
  /** The provider remembers a response as long as its socket is open, and that one is gone. */
  | 'new_connection'
  | 'endpoint_changed'
  | 'model_changed'
  | 'instructions_changed'
  | 'tools_changed'
  /** The reasoning effort, or the form that the answer has to have. */
  | 'settings_changed'
  /** The input is not the last one, what it was answered with, and something new. */
  | 'input_changed'
  /** The last answer held something that is not sent back as it came: an empty message, a refusal, an unknown item. */
  | 'output_not_replayed'
  /** A response that failed or was stopped is forgotten by the provider, and so is the one it continued. */
  | 'previous_response_failed'
  | 'previous_response_not_found'
  /** It went out as a continuation, and ended before the provider had taken it. */
  | 'unanswered'
  /** A response is still under way, and one socket carries one at a time. */
  | 'socket_busy'
  | 'fell_back_to_sse';

/** A response that completed, and what it answered. */
export interface Exchange {
  readonly response_id: string;
  readonly endpoint: string;
  readonly request: ModelRequest;
  /** Null where the next request will not carry all of it. */
  readonly output: readonly InputItem[] | null;
}

export type LastExchange =
  | { readonly kind: 'completed'; readonly exchange: Exchange }
  | {
      readonly kind: 'none';
      readonly reason: 'no_previous_response' | 'previous_response_failed' | 'previous_response_not_found';
    };

export interface NextRequest {
  readonly request: ModelRequest;
  readonly endpoint: string;
  /** Whether the socket of the last exchange can still be used. */
  readonly connected: boolean;
}

export type ContinuationPlan =
  | {
      readonly kind: 'continue';
      readonly previous_response_id: string;
      /** What the provider does not know yet. */
      readonly input: readonly InputItem[];
    }
  | { readonly kind: 'full'; readonly reset_reason: ResetReason };

/** Pure: whether a request can go out as the continuation of the last one, and if not, why not. */
export function continuationOf(last: LastExchange, next: NextRequest): ContinuationPlan {
  if (last.kind === 'none') return { kind: 'full', reset_reason: last.reason };
  const { exchange } = last;
  const changed = changeOf(exchange, next);
  if (changed !== null) return { kind: 'full', reset_reason: changed };
  const { output } = exchange;
  if (output === null) return { kind: 'full', reset_reason: 'output_not_replayed' };
  const { input } = next.request;
  const before = exchange.request.input;
  const known = before.length + output.length;
  const extended =
    input.length > known &&
    before.every((item, index) => same(item, input[index])) &&
    output.every((item, index) => same(item, input[before.length + index]));
  if (!extended) return { kind: 'full', reset_reason: 'input_changed' };
  return { kind: 'continue', previous_response_id: exchange.response_id, input: input.slice(known) };
}

function changeOf(exchange: Exchange, { request, endpoint, connected }: NextRequest): ResetReason | null {
  const before = exchange.request;
  if (endpoint !== exchange.endpoint) return 'endpoint_changed';
  if (!connected) return 'new_connection';
  if (request.model !== before.model) return 'model_changed';
  if (request.instructions !== before.instructions) return 'instructions_changed';
  if (!same(request.tools, before.tools)) return 'tools_changed';
  const effort = request.reasoning_effort === before.reasoning_effort;
  return effort && same(request.text_format, before.text_format) ? null : 'settings_changed';
}

/** By their bytes. A session hands out the same items again and again, so that mostly a glance is enough. */
function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
