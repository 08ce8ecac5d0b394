import type { OutputItem, ProviderEvent, ProviderFailure } from '../runtime/ports.ts';
import type { ProviderErrorKind } from '../runtime/provider-errors.ts';
import { type ApiError, apiErrorIn, kindOfCode } from './error-kinds.ts';
import { isArray, isObject, type JsonObject, objectAt, stringAt } from './json-values.ts';
import { readItem } from './output-items.ts';
import { KEEP_ALIVE } from './sse-frames.ts';
import { cacheDiagnostics, tokenCounts } from './token-counts.ts';

/** What a stream has said so far. Deltas are kept only as a last resort: finished items are the truth. */
export interface StreamState {
  readonly kind: 'open';
  /** Model output has begun. */
  readonly output: boolean;
  readonly items: readonly OutputItem[];
  readonly keys: readonly string[];
  readonly text: string;
  readonly refusal: string;
  /** How many items were finished when the first text came, and which message it belongs to. */
  readonly text_at: number;
  readonly text_of: string;
  readonly has_reasoning: boolean;
  readonly unknown: readonly string[];
}

export interface Reduction {
  /** `ended` after the one terminal event: whatever comes later is not read. */
  readonly state: StreamState | { readonly kind: 'ended' };
  readonly events: readonly ProviderEvent[];
}

export const START: StreamState = {
  kind: 'open',
  output: false,
  items: [],
  keys: [],
  text: '',
  refusal: '',
  text_at: 0,
  text_of: '',
  has_reasoning: false,
  unknown: [],
};

/** Of these, no more are noted: what would follow is not known. */
export const MAX_UNKNOWN = 50;
const MAX_UNKNOWN_NAME = 100;

/** Folds one parsed frame of a Responses stream. Pure; a frame can be anything that JSON can be. */
export function reduceFrame(state: StreamState, frame: unknown): Reduction {
  if (!isObject(frame)) return ended(malformed('a frame is not an object'));
  const type = stringAt(frame, 'type');
  switch (type) {
    case KEEP_ALIVE:
    case 'response.created':
    case 'response.in_progress':
    case 'response.queued':
      return alive(state);
    case 'response.output_item.added':
      return alive(noted({ ...state, output: true }, unknownItem(frame.item)));
    case 'response.content_part.added':
    case 'response.content_part.done':
    case 'response.output_text.done':
    case 'response.output_text.annotation.added':
    case 'response.refusal.done':
    case 'response.function_call_arguments.delta':
    case 'response.function_call_arguments.done':
    case 'response.reasoning_summary_text.done':
    case 'response.reasoning_summary_part.done':
    case 'response.reasoning_text.done':
      return alive({ ...state, output: true });
    case 'response.output_text.delta':
      return textDelta(state, frame);
    case 'response.refusal.delta': {
      const delta = stringAt(frame, 'delta');
      if (delta === null) return ended(malformed('a refusal delta has no text'));
      return alive({ ...state, output: true, refusal: state.refusal + delta });
    }
    case 'response.reasoning_summary_part.added':
      return state.has_reasoning ? reasoningDelta(state, '\n\n') : alive({ ...state, output: true });
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return reasoningDelta(state, stringAt(frame, 'delta'));
    case 'response.output_item.done':
      return itemDone(state, frame);
    case 'response.completed':
      return completed(state, frame);
    case 'response.incomplete':
    case 'response.failed':
    case 'response.cancelled':
      return ended(unfinished(type.slice('response.'.length), frame.response));
    case 'error':
      return ended(streamError(frame));
    case null:
      return ended(frame.error === undefined ? malformed('a frame has no type') : streamError(frame));
    default:
      return alive(noted(state, [type]));
  }
}

/** The stream is over. Without a terminal event the answer is cut off, whatever arrived before. */
export function reduceEnd(): ProviderEvent {
  return failed({ kind: 'stream_cut', message: 'The stream ended without response.completed.' });
}

function textDelta(state: StreamState, frame: JsonObject): Reduction {
  const delta = stringAt(frame, 'delta');
  if (delta === null) return ended(malformed('a text delta has no text'));
  if (delta === '') return alive({ ...state, output: true });
  const text_of = `${stringAt(frame, 'item_id') ?? ''}/${String(frame.output_index)}`;
  const isFirst = state.text === '';
  // A second message must not run into the first on screen; parts of one message do belong together.
  const text = isFirst || text_of === state.text_of ? delta : `\n\n${delta}`;
  const text_at = isFirst ? state.items.length : state.text_at;
  return {
    state: { ...state, output: true, text: state.text + text, text_at, text_of },
    events: [{ kind: 'text_delta', text }],
  };
}

function reasoningDelta(state: StreamState, delta: string | null): Reduction {
  if (delta === null) return ended(malformed('a reasoning delta has no text'));
  if (delta === '') return alive({ ...state, output: true });
  return {
    state: { ...state, output: true, has_reasoning: true },
    events: [{ kind: 'reasoning_delta', text: delta }],
  };
}

function itemDone(state: StreamState, frame: JsonObject): Reduction {
  const read = readItem(frame.item);
  if (read.kind === 'malformed') return ended(malformed(read.message));
  const begun = { ...state, output: true };
  if (read.kind === 'unknown') return alive(noted(begun, [read.name]));
  const key = keyOf(read.item, frame);
  if (key !== null && state.keys.includes(key)) return alive(begun);
  const { item } = read;
  if (
    item.kind === 'call' &&
    state.items.some((one) => one.kind === 'call' && one.call_id === item.call_id)
  ) {
    return ended(malformed('two different function calls have the same call_id'));
  }
  const keys = key === null ? state.keys : [...state.keys, key];
  return alive(noted({ ...begun, items: [...state.items, item], keys }, read.unknown));
}

/** Tells a repeated item from another one. Items without an id are never taken for the same. */
function keyOf(item: OutputItem, frame: JsonObject): string | null {
  if (item.kind === 'call') return JSON.stringify([item.call_id, item.name, item.args]);
  const id = stringAt(frame.item, 'id');
  return id === null || id === '' ? null : JSON.stringify([item.kind, id, frame.output_index]);
}

function completed(state: StreamState, frame: JsonObject): Reduction {
  const { response } = frame;
  if (!isObject(response)) return ended(malformed('response.completed has no response'));
  const status = response.status ?? 'completed';
  if (typeof status !== 'string') return ended(malformed('the status of a response is not a text'));
  if (status !== 'completed') return ended(unfinished(status, response));
  let listed = START;
  if (isArray(response.output)) {
    for (const [output_index, item] of response.output.entries()) {
      const { state: next, events } = itemDone(listed, { item, output_index });
      if (next.kind === 'ended') return { state: next, events };
      listed = next;
    }
  }
  // The events are the truth; a list that holds more than they told is a server that sends no such events.
  const items = listed.items.length > state.items.length ? listed.items : state.items;
  const noticed = noted(state, listed.unknown);
  const cache_diagnostics = cacheDiagnostics(response.prompt_cache_diagnostics);
  return ended({
    kind: 'completed',
    // An empty name is none: nothing can be continued by it.
    response_id: stringAt(response, 'id') || null,
    items: withDeltas(items, state),
    tokens: tokenCounts(response.usage),
    unknown_events: noticed.unknown,
    ...(cache_diagnostics === null ? {} : { cache_diagnostics }),
  });
}

/** Text that was streamed and shown is never lost because no item repeats it. */
function withDeltas(items: readonly OutputItem[], state: StreamState): readonly OutputItem[] {
  const { text, refusal } = state;
  if (text === '' && refusal === '') return items;
  const hasWords = items.some(
    (item) => item.kind === 'message' && (item.text !== '' || item.refusal !== undefined),
  );
  if (hasWords) return items;
  const spoken = { text, ...(refusal === '' ? {} : { refusal }), reshaped: true as const };
  const empty = items.find((item) => item.kind === 'message');
  if (empty !== undefined) return items.map((item) => (item === empty ? { ...item, ...spoken } : item));
  return items.toSpliced(state.text_at, 0, { kind: 'message', ...spoken });
}

/** A response that ended, but not well: by its status, which an event of another name can also carry. */
function unfinished(status: string, response: unknown): ProviderEvent {
  const usage = objectAt(response, 'usage');
  const tokens = usage === null ? {} : { tokens: tokenCounts(usage) };
  switch (status) {
    case 'incomplete': {
      const reason = stringAt(objectAt(response, 'incomplete_details'), 'reason') ?? 'unknown';
      return { ...failed(incompleteFailure(reason)), ...tokens };
    }
    case 'failed': {
      const error = apiErrorIn(objectAt(response, 'error'));
      const failure = error === null ? NO_DETAILS : apiFailure(error);
      return { ...failed(failure), ...tokens };
    }
    case 'cancelled':
      return {
        ...failed({ kind: 'response_cancelled', message: 'The response was cancelled by the provider.' }),
        ...tokens,
      };
    default:
      return { ...malformed(`the response ended with status ${status.slice(0, 50)}`), ...tokens };
  }
}

const NO_DETAILS: ProviderFailure = {
  kind: 'response_failed',
  message: 'The response failed; the provider gave no reason.',
};

function incompleteFailure(reason: string): ProviderFailure {
  const kinds: Readonly<Record<string, ProviderErrorKind>> = {
    max_output_tokens: 'output_limit',
    content_filter: 'content_filter',
  };
  const kind = Object.hasOwn(kinds, reason) ? (kinds[reason] ?? 'response_failed') : 'response_failed';
  return { kind, message: `The response is incomplete: ${reason}.`, code: reason };
}

function streamError(frame: JsonObject): ProviderEvent {
  const error = apiErrorIn(frame);
  return failed(error === null ? NO_DETAILS : apiFailure(error));
}

function apiFailure(error: ApiError): ProviderFailure {
  const kind = kindOfCode(error) ?? 'response_failed';
  const code = error.code ?? error.type;
  return { kind, message: error.message, ...(code === null ? {} : { code }) };
}

function unknownItem(item: unknown): readonly string[] {
  const type = stringAt(item, 'type');
  const known = type === null || type === 'message' || type === 'function_call' || type === 'reasoning';
  return known ? [] : [`item:${type}`];
}

function noted(state: StreamState, names: readonly string[]): StreamState {
  const added = names.map((name) => name.slice(0, MAX_UNKNOWN_NAME));
  const unknown = [...new Set([...state.unknown, ...added])].slice(0, MAX_UNKNOWN);
  return { ...state, unknown };
}

function alive(state: StreamState): Reduction {
  return { state, events: [{ kind: 'activity', output: state.output }] };
}

function ended(event: ProviderEvent): Reduction {
  return { state: { kind: 'ended' }, events: [event] };
}

function malformed(what: string): ProviderEvent & { readonly kind: 'failed' } {
  return failed({ kind: 'malformed_stream', message: `The stream is malformed: ${what}.` });
}

function failed(failure: ProviderFailure): ProviderEvent & { readonly kind: 'failed' } {
  return { kind: 'failed', failure };
}
