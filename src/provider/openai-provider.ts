import type { ModelRequest, Provider, ProviderEvent, ProviderFailure } from '../runtime/ports.ts';
import { type Endpoint, endpointOf, secretsIn } from './endpoint.ts';
import type { Fetch } from './event-stream.ts';
import { requestBody } from './request-body.ts';
import { scrubEvent } from './secret-scrubber.ts';
import type { Route, SessionConnection } from './session-connection.ts';
import { overSocket } from './socket-stream.ts';
import { overSse } from './sse-stream.ts';
import { type TransportSetting, wantsSocket } from './transport-choice.ts';

export interface OpenAiProviderOptions {
  /** Empty or missing is not an error here: each stream then says so. */
  readonly apiKey: string | null;
  readonly baseUrl: string;
  /** What is remembered from request to request. Without it, each is by itself and over server-sent events. */
  readonly connection?: SessionConnection;
  /** Counts only where there is a connection. */
  readonly transport?: TransportSetting;
  readonly fetch?: Fetch;
  /** For dates in `retry-after`. */
  readonly now?: () => number;
  readonly maxFrame?: number;
  readonly errorBodyMs?: number;
}

const MAX_FRAME = 64 * 1024 * 1024;
const ERROR_BODY_MS = 5_000;

/** The Responses API, through OpenAI's SDK, which is loaded by the first stream. */
export function createOpenAiProvider(options: OpenAiProviderOptions): Provider {
  const endpoint = endpointOf(options.baseUrl);
  const apiKey = options.apiKey?.trim() ?? '';
  const secrets = [apiKey, ...secretsIn(endpoint)];
  return {
    endpoint: endpoint.name,
    transport: 'http_sse',
    async *stream(request, signal) {
      for await (const event of attempt({ ...options, apiKey, endpoint }, request, signal)) {
        yield scrubEvent(event, secrets);
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
  const { endpoint, apiKey, fetch } = settings;
  if (endpoint.kind === 'invalid') {
    yield failed({ kind: 'invalid_request', message: endpoint.message, unsent: true });
    return;
  }
  const badKey = keyFailure(apiKey);
  if (badKey !== null) {
    yield failed(badKey);
    return;
  }
  const { now = Date.now, maxFrame = MAX_FRAME, errorBodyMs = ERROR_BODY_MS } = settings;
  const reading = { now, maxFrame, errorBodyMs };
  const peer = { url: endpoint.url, apiKey };
  // A call beside the conversation neither continues its requests nor is continued.
  const connection = request.purpose === undefined ? settings.connection : undefined;
  if (connection === undefined) {
    yield* overSse({ ...peer, ...reading, fetch, body: requestBody(request) }, signal);
    return;
  }
  const comparison = connection.comparison(request, peer);
  const body = requestBody(request, comparison);
  const route: Route | null = wantsSocket(settings.transport ?? 'auto', peer.url)
    ? connection.route(request, peer)
    : null;
  const events =
    route?.kind === 'socket'
      ? overSocket({ ...reading, peer, request, body, connection, route }, signal)
      : overSse({ ...peer, ...reading, fetch, body }, signal);
  if (route?.kind === 'sse') yield { kind: 'sent', transport: 'http_sse', continuation: route.continuation };
  let beforeOutput = true;
  for await (const event of events) {
    if (event.kind === 'completed' || event.kind === 'failed') {
      if (route?.kind !== 'socket') connection.endedOverSse(event, peer);
    } else {
      beforeOutput &&= event.kind === 'sent' || (event.kind === 'activity' && !event.output);
    }
    const isRefused =
      event.kind === 'failed' && comparison !== null && beforeOutput && namesCacheOptions(event.failure);
    if (isRefused) connection.cacheOptionsRefused(peer);
    yield isRefused ? failed({ ...event.failure, again: 'without_cache_options' }) : event;
  }
}

/** The parameter is ours: whoever names it in a refusal, in whatever words, does not know it, or what it names. */
function namesCacheOptions({ kind, message }: ProviderFailure): boolean {
  return kind === 'invalid_request' && /prompt_cache_options|comparison_response_id/u.test(message);
}

function keyFailure(apiKey: string): ProviderFailure | null {
  if (apiKey === '') return { kind: 'missing_key', message: 'No API key is set.', unsent: true };
  if (/^[\x21-\x7e]+$/u.test(apiKey)) return null;
  return {
    kind: 'auth',
    message: 'The API key has characters that no key has, such as spaces or line breaks.',
    unsent: true,
  };
}

function failed(failure: ProviderFailure): ProviderEvent {
  return { kind: 'failed', failure };
}
