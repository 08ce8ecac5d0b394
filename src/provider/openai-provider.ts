import type { ModelRequest, Provider, ProviderEvent, ProviderFailure } from '../runtime/ports.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { eventStreamFetch, type Fetch } from './event-stream.ts';
import { TransportFailed } from './failures.ts';
import { requestBody } from './request-body.ts';
import { reduceEnd, reduceFrame, START, type StreamState } from './response-stream.ts';
import { scrubFailure } from './secret-scrubber.ts';

export interface OpenAiProviderOptions {
  /** Empty or missing is not an error here: each stream then says so. */
  readonly apiKey: string | null;
  readonly baseUrl: string;
  readonly fetch?: Fetch;
  /** For dates in `retry-after`. */
  readonly now?: () => number;
  readonly maxFrame?: number;
  readonly errorBodyMs?: number;
}

/** The longest a timer can wait (24 days): the runtime's idle timer decides, not the SDK's. */
const NO_TIMEOUT = 2 ** 31 - 1;
const MAX_FRAME = 64 * 1024 * 1024;
const ERROR_BODY_MS = 5_000;
/** How long a server may take to end an answer that is complete, so that its connection can be used again. */
const GRACE_MS = 100;
/** How long it takes to hand words on, from program to program. */
const BREATH_MS = 6;

/** The Responses API over HTTP server-sent events, through OpenAI's SDK, which is loaded by the first stream. */
export function createOpenAiProvider(options: OpenAiProviderOptions): Provider {
  const endpoint = endpointOf(options.baseUrl);
  const apiKey = options.apiKey?.trim() ?? '';
  return {
    endpoint: endpoint.name,
    transport: 'http_sse',
    async *stream(request, signal) {
      for await (const event of attempt({ ...options, apiKey, endpoint }, request, signal)) {
        yield event.kind === 'failed' ? { ...event, failure: scrubFailure(event.failure, apiKey) } : event;
      }
    },
  };
}

interface Settings extends OpenAiProviderOptions {
  readonly apiKey: string;
  readonly endpoint: Endpoint;
}

async function* attempt(
  settings: Settings,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void, undefined> {
  if (signal.aborted) return;
  const { endpoint } = settings;
  if (endpoint.kind === 'invalid') {
    yield failed({ kind: 'invalid_request', message: endpoint.message });
    return;
  }
  const badKey = keyFailure(settings.apiKey);
  if (badKey !== null) {
    yield failed(badKey);
    return;
  }
  const closing = new AbortController();
  const close = (): void => closing.abort();
  signal.addEventListener('abort', close, { once: true });
  const seen: { request_id?: string } = {};
  const opened = (headers: Headers): void => {
    const request_id = headers.get('x-request-id');
    if (request_id !== null) seen.request_id = request_id;
  };
  const { url } = endpoint;
  const frames = framesOf({ settings, url, request, signal: closing.signal, opened });
  try {
    let state: StreamState = START;
    let wasFlowing = false;
    for (;;) {
      // Closing ends whatever the step waits for: no race with the signal, which would pile up promises.
      const step = await stepOf(frames);
      if (signal.aborted) return;
      if (step.kind !== 'frame') {
        yield withRequestId(step.kind === 'end' ? reduceEnd() : failed(step.failure), seen);
        return;
      }
      const reduction = reduceFrame(state, step.frame);
      if (reduction.state.kind === 'ended') {
        await Promise.race([stepOf(frames), grace()]);
        if (signal.aborted) return;
      }
      for (const event of reduction.events) yield withRequestId(event, seen);
      if (reduction.state.kind === 'ended') return;
      state = reduction.state;
      const isFlowing = reduction.events.some(isDelta);
      if (wasFlowing && !isFlowing) await breath();
      wasFlowing = isFlowing;
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

type Step =
  | { readonly kind: 'frame'; readonly frame: unknown }
  | { readonly kind: 'end' }
  | { readonly kind: 'threw'; readonly failure: ProviderFailure };

async function stepOf(frames: AsyncGenerator<unknown, void, undefined>): Promise<Step> {
  try {
    const { done, value } = await frames.next();
    return done === true ? { kind: 'end' } : { kind: 'frame', frame: value };
  } catch (error) {
    return { kind: 'threw', failure: failureOf(error) };
  }
}

function isDelta({ kind }: ProviderEvent): boolean {
  return kind === 'text_delta' || kind === 'reasoning_delta';
}

/**
 * What follows the last words says all of them again, several times, and reading it takes the thread. Whoever shows
 * the words hands them on in a turn of the event loop of its own, and gets it here, before.
 */
function breath(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, BREATH_MS);
  });
}

function grace(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, GRACE_MS).unref();
  });
}

/** The parsed frames of one request. Nothing happens before the first is asked for. */
async function* framesOf(call: {
  readonly settings: Settings;
  readonly url: string;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly opened: (headers: Headers) => void;
}): AsyncGenerator<unknown, void, undefined> {
  const { OpenAI, APIError } = await import('openai');
  const { settings, url, request, signal, opened } = call;
  const { apiKey, fetch, now = Date.now, maxFrame = MAX_FRAME, errorBodyMs = ERROR_BODY_MS } = settings;
  const given = fetch === undefined ? {} : { fetch };
  const client = new OpenAI({
    apiKey,
    baseURL: url,
    // Null, not absent: the SDK would else take these from the environment.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: NO_TIMEOUT,
    logLevel: 'off',
    fetch: eventStreamFetch({ apiKey, now, maxFrame, errorBodyMs, signal, opened, ...given }),
  });
  try {
    // The typed `responses.create` wants items in its own mutable types; this is the call it makes.
    const body = requestBody(request);
    yield* await client.post<AsyncIterable<unknown>>('/responses', { body, stream: true, signal });
  } catch (error) {
    // The SDK turns frames that hold an error into exceptions; here they are frames again.
    if (!(error instanceof APIError) || error.status !== undefined || error.error === undefined) throw error;
    yield { type: 'error', error: error.error };
  }
}

function failureOf(error: unknown): ProviderFailure {
  for (let one = error, depth = 0; one instanceof Error && depth < 10; one = one.cause, depth += 1) {
    if (one instanceof TransportFailed) return one.failure;
    if (one instanceof SyntaxError) {
      return { kind: 'malformed_stream', message: 'The stream is malformed: a frame is not JSON.' };
    }
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { kind: 'internal', message };
}

function keyFailure(apiKey: string): ProviderFailure | null {
  if (apiKey === '') return { kind: 'missing_key', message: 'No API key is set.' };
  if (/^[\x21-\x7e]+$/u.test(apiKey)) return null;
  return {
    kind: 'auth',
    message: 'The API key has characters that no key has, such as spaces or line breaks.',
  };
}

function failed(failure: ProviderFailure): ProviderEvent {
  return { kind: 'failed', failure };
}

function withRequestId(event: ProviderEvent, seen: { readonly request_id?: string }): ProviderEvent {
  return event.kind === 'failed' ? { ...event, failure: { ...seen, ...event.failure } } : event;
}
