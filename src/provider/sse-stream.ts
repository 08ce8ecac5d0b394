import type { ProviderEvent } from '../runtime/ports.ts';
import { eventStreamFetch, type Fetch } from './event-stream.ts';
import { foldedFrames, stepOf } from './folded-frames.ts';
import type { RequestBody } from './request-body.ts';
import { sdkClient } from './sdk-client.ts';

/** How long a server may take to end an answer that is complete, so that its connection can be used again. */
const GRACE_MS = 100;

export interface SseCall {
  readonly url: string;
  readonly apiKey: string;
  readonly body: RequestBody;
  readonly fetch?: Fetch | undefined;
  readonly now: () => number;
  readonly maxFrame: number;
  readonly errorBodyMs: number;
}

/** One request as a POST, answered by server-sent events. */
export async function* overSse(
  call: SseCall,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const closing = new AbortController();
  const close = (): void => closing.abort();
  signal.addEventListener('abort', close, { once: true });
  const seen: { request_id?: string } = {};
  const opened = (headers: Headers): void => {
    const request_id = headers.get('x-request-id');
    if (request_id !== null) seen.request_id = request_id;
  };
  const frames = framesOf(call, { signal: closing.signal, opened });
  try {
    const atEnd = (): Promise<unknown> => Promise.race([stepOf(frames), grace()]);
    for await (const event of foldedFrames(frames, { signal, atEnd })) yield withRequestId(event, seen);
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

/** The parsed frames of one request. Nothing happens before the first is asked for. */
async function* framesOf(
  call: SseCall,
  { signal, opened }: { readonly signal: AbortSignal; readonly opened: (headers: Headers) => void },
): AsyncGenerator<unknown, void, undefined> {
  const { APIError } = await import('openai');
  const { url, body, fetch, ...reading } = call;
  const given = fetch === undefined ? {} : { fetch };
  const client = await sdkClient({
    apiKey: call.apiKey,
    baseURL: url,
    fetch: eventStreamFetch({ ...reading, ...given, signal, opened }),
  });
  try {
    // The typed `responses.create` wants items in its own mutable types; this is the call it makes.
    yield* await client.post<AsyncIterable<unknown>>('/responses', { body, stream: true, signal });
  } catch (error) {
    // The SDK turns frames that hold an error into exceptions; here they are frames again.
    if (!(error instanceof APIError) || error.status !== undefined || error.error === undefined) throw error;
    yield { type: 'error', error: error.error };
  }
}

function grace(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, GRACE_MS).unref();
  });
}

function withRequestId(event: ProviderEvent, seen: { readonly request_id?: string }): ProviderEvent {
  return event.kind === 'failed' ? { ...event, failure: { ...seen, ...event.failure } } : event;
}
