import http from 'node:http';
import https from 'node:https';
import { pipeline, type Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { TransportFailed } from './failures.ts';

/**
 * `fetch` over `node:http`, for one kind of request: a POST of a text body whose answer may be silent for
 * a long time. The global `fetch` gives up after 300 seconds without headers or without a byte of the body,
 * on Node 20 and 24 alike, and its limits can only be changed with an undici of one's own, which VS Code's
 * proxy support replaces. `node:http` has no such limits, and VS Code patches it for proxies and
 * certificates too. The modules are used through their default export, because that is what it patches.
 *
 * Redirects are not followed: a conversation and a key go to the configured endpoint or nowhere.
 */
export async function fetchOverHttp(url: string, init: HttpRequest): Promise<Response> {
  const target = new URL(url);
  const { request } = target.protocol === 'https:' ? https : http;
  const { signal } = init;
  signal.throwIfAborted();
  const outgoing = request(target, { method: 'POST', headers: init.headers });
  const state: { incoming: http.IncomingMessage | null } = { incoming: null };
  const abort = (): void => {
    // A response that has wholly arrived leaves its connection usable; any other takes it down.
    if (state.incoming?.complete === true) state.incoming.resume();
    else outgoing.destroy(new DOMException('The request was aborted.', 'AbortError'));
  };
  signal.addEventListener('abort', abort, { once: true });
  outgoing.once('close', () => signal.removeEventListener('abort', abort));
  const incoming = await new Promise<http.IncomingMessage>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end(init.body);
  });
  state.incoming = incoming;
  const status = incoming.statusCode ?? 0;
  if (status < 200 || status > 599) {
    outgoing.destroy();
    throw new Error(`the server answered with the impossible status ${status}`);
  }
  const headers = headersOf(incoming);
  const isBodyless = status === 204 || status === 205 || status === 304;
  if (isBodyless) incoming.resume();
  const body = isBodyless ? null : webStream(decoded(incoming), abort);
  return new Response(body, { status, headers });
}

export function headersOf(incoming: http.IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** We ask for no compression, but some gateways compress anyway. */
function decoded(incoming: http.IncomingMessage): Readable {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return incoming;
  const decoder = decoderFor(encoding);
  if (decoder === null) {
    incoming.destroy();
    const message = `The answer is compressed as ${encoding}, which was not asked for and is not known.`;
    throw new TransportFailed({ kind: 'malformed_stream', message });
  }
  // Errors, the aborted connection among them, reach the reader through the decoder.
  return pipeline(incoming, decoder, () => undefined);
}

function decoderFor(encoding: string): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    default:
      return null;
  }
}

/** Reads only on demand, so that what has been read is known exactly. */
export function webStream(source: Readable, abort: () => void): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<unknown> = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else if (value instanceof Uint8Array) controller.enqueue(value);
        else throw new TypeError('a response body is made of bytes');
      },
      cancel: abort,
    },
    { highWaterMark: 0 },
  );
}
