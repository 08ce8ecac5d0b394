import { headOf } from './error-body.ts';
import { connectionFailure, describeBody, httpFailure, TransportFailed } from './failures.ts';
import { fetchOverHttp } from './http-transport.ts';
import { FrameTooLarge, SseFrames } from './sse-frames.ts';

/** One request, and its answer as a clean event stream. Whatever else comes back is a `TransportFailed`. */

export type Fetch = typeof globalThis.fetch;

export interface EventStreamOptions {
  readonly apiKey: string;
  /** Only for hosts that must bring their own; it then brings its own timeouts too. */
  readonly fetch?: Fetch;
  readonly now: () => number;
  readonly maxFrame: number;
  /** How long the body of an error is waited for. Its status says enough without it. */
  readonly errorBodyMs: number;
  /** Closes the connection. Not the SDK's signal, which it links to the caller's through weak references. */
  readonly signal: AbortSignal;
  /** Told once the answer turned out to be a stream. */
  readonly opened: (headers: Headers) => void;
}

/** The `fetch` that the SDK is given: it can send one thing, and its answers are checked before the SDK sees them. */
export function eventStreamFetch(options: EventStreamOptions): Fetch {
  return async (input, init) => {
    const { signal } = options;
    const body = init?.body;
    if (typeof input !== 'string' || typeof body !== 'string') {
      throw new TypeError('the SDK is expected to send text to a URL');
    }
    const request = { headers: requestHeaders(options.apiKey), body, signal };
    const response = await send(options.fetch, input, request);
    if (!response.ok) throw await refused(response, options);
    const type = response.headers.get('content-type') ?? 'none';
    if (!/^text\/event-stream\b/iu.test(type.trim()) || response.body === null) {
      throw await notAStream(response, type, options);
    }
    options.opened(response.headers);
    const frames = normalised(response.body, options.maxFrame);
    return new Response(frames, { status: response.status, headers: response.headers });
  };
}

/**
 * Not the SDK's headers: it adds some that describe the machine, and any that an environment variable asks
 * for, another key included. A request holds what the settings say and nothing else.
 */
function requestHeaders(apiKey: string): Readonly<Record<string, string>> {
  return {
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'user-agent': 'ledgerline',
  };
}

async function send(
  fetch: Fetch | undefined,
  url: string,
  request: Parameters<typeof fetchOverHttp>[1],
): Promise<Response> {
  try {
    return fetch === undefined
      ? await fetchOverHttp(url, request)
      : await fetch(url, { ...request, method: 'POST', redirect: 'manual' });
  } catch (error) {
    if (error instanceof TransportFailed) throw error;
    throw new TransportFailed(connectionFailure(error), { cause: error });
  }
}

async function refused(response: Response, options: EventStreamOptions): Promise<TransportFailed> {
  const { status, headers } = response;
  const body = await headOf(response.body, options.errorBodyMs);
  return new TransportFailed(httpFailure({ status, headers, body, now: options.now() }));
}

async function notAStream(
  response: Response,
  type: string,
  options: EventStreamOptions,
): Promise<TransportFailed> {
  const { status } = response;
  const seen = describeBody(await headOf(response.body, options.errorBodyMs));
  const message = `HTTP ${status} with content type ${type} instead of an event stream: ${seen}`;
  return new TransportFailed({ kind: 'malformed_stream', message, status });
}

function normalised(body: ReadableStream<Uint8Array>, maxFrame: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const frames = new SseFrames({ maxFrame });
  const encoder = new TextEncoder();
  let hasBytes = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            throw brokenOff(error, hasBytes);
          });
          hasBytes ||= !done;
          const text = done ? frames.end() : pushed(frames, value);
          if (text !== '') controller.enqueue(encoder.encode(text));
          if (done) controller.close();
          if (done || text !== '') return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function pushed(frames: SseFrames, bytes: Uint8Array): string {
  try {
    return frames.push(bytes);
  } catch (error) {
    if (!(error instanceof FrameTooLarge)) throw error;
    throw new TransportFailed({
      kind: 'malformed_stream',
      message: `The stream is malformed: ${error.message}.`,
    });
  }
}

function brokenOff(error: unknown, hasBytes: boolean): TransportFailed {
  const failure = connectionFailure(error);
  return new TransportFailed(hasBytes ? { ...failure, kind: 'stream_cut' } : failure, { cause: error });
}
