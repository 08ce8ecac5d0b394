import { expect, test } from 'vitest';
import type { ProviderEvent, ProviderFailure } from '../../src/runtime/ports.ts';
import { answer, apiError, bytes, type Reply, stream } from '../support/responses-server/reply.ts';
import { endsEarly, failsWith } from '../support/responses-server/whole-replies.ts';
import { collect, KEY, providerAt } from './requests.ts';
import { serve } from './serving.ts';

async function lastEvent(reply: Reply): Promise<ProviderEvent | undefined> {
  const server = await serve({ script: [reply] });
  return (await collect(providerAt(server.url, { now: () => Date.UTC(2026, 0, 1) }))).at(-1);
}

/** A failure whose words begin with the status of the answer. */
function refused(status: number, kind: string, words: string, more: Partial<ProviderFailure> = {}): unknown {
  return { kind, message: `HTTP ${status}: ${words}`, status, ...more };
}

/** A row in which the API says why, and its own words are told; without a code, its type stands for one. */
function toldByApi(
  name: string,
  status: number,
  kind: string,
  error: {
    readonly message: string;
    readonly code?: string;
    readonly type?: string;
    readonly param?: string;
  },
): [string, Reply, unknown] {
  const { message, code = 'invalid_request_error' } = error;
  return [name, apiError(status, error), refused(status, kind, message, { code })];
}

/** A failure of an answer that is no event stream. */
function unstreamed(status: number, type: string, words: string): unknown {
  const message = `HTTP ${status} with content type ${type} instead of an event stream: ${words}`;
  return { kind: 'malformed_stream', message, status };
}

/** A failure that a response of the model ended with for want of room or for its content. */
function incomplete(kind: 'output_limit' | 'content_filter', code: string): unknown {
  return { kind, message: `The response is incomplete: ${code}.`, code };
}

const HTML = { 'content-type': 'text/html' };

test.each<[string, Reply, unknown]>([
  [
    'a wrong key',
    apiError(401, { message: `Incorrect API key provided: ${KEY}.`, code: 'invalid_api_key' }),
    refused(401, 'auth', 'Incorrect API key provided: [hidden].', { code: 'invalid_api_key' }),
  ],
  toldByApi('a key without rights', 403, 'forbidden', { message: 'No access.', code: 'model_not_found' }),
  toldByApi('an unknown model', 404, 'model_not_found', { message: 'Not there.', code: 'model_not_found' }),
  [
    'an unknown model in the words of another server',
    answer(404, '{"error":"model \\"x\\" not found, try pulling it first"}'),
    refused(404, 'model_not_found', 'model "x" not found, try pulling it first'),
  ],
  [
    'a wrong path',
    answer(404, '<html><head><title>Not Found</title></head></html>', HTML),
    refused(404, 'invalid_request', 'a page of HTML titled "Not Found" (check the base URL)'),
  ],
  [
    'a rate limit with seconds',
    apiError(
      429,
      { message: 'Slow down.', code: 'rate_limit_exceeded' },
      { 'retry-after': '7', 'x-request-id': 'req_1' },
    ),
    refused(429, 'rate_limited', 'Slow down.', {
      code: 'rate_limit_exceeded',
      retry_after_ms: 7000,
      request_id: 'req_1',
    }),
  ],
  [
    'a rate limit with milliseconds',
    answer(429, '', { 'retry-after-ms': '250', 'retry-after': '9' }),
    refused(429, 'rate_limited', 'an empty body', { retry_after_ms: 250 }),
  ],
  [
    'a rate limit with a date',
    answer(429, 'later', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }),
    refused(429, 'rate_limited', 'later', { retry_after_ms: 30_000 }),
  ],
  [
    'a rate limit with nonsense',
    answer(429, 'later', { 'retry-after': 'soon' }),
    refused(429, 'rate_limited', 'later'),
  ],
  [
    'an empty account',
    apiError(
      429,
      { message: 'Pay.', type: 'insufficient_quota', code: 'insufficient_quota' },
      { 'retry-after': '1' },
    ),
    refused(429, 'quota_exceeded', 'Pay.', { code: 'insufficient_quota', retry_after_ms: 1000 }),
  ],
  toldByApi('a conversation that is too long', 400, 'context_overflow', {
    message: 'Too long.',
    code: 'context_length_exceeded',
  }),
  [
    'a body that is too large',
    answer(413, '<html>', HTML),
    refused(413, 'context_overflow', 'a page of HTML'),
  ],
  toldByApi('an image by its code', 400, 'image_rejected', {
    message: 'No.',
    type: 'invalid_request_error',
    code: 'image_parse_error',
  }),
  toldByApi('an image by the words for it', 400, 'image_rejected', {
    message: 'Invalid content type. image_url is only supported by certain models.',
  }),
  toldByApi('stale reasoning by its code', 400, 'reasoning_rejected', {
    message: 'No.',
    code: 'invalid_encrypted_content',
  }),
  toldByApi('stale reasoning by its words', 400, 'reasoning_rejected', {
    message: 'The encrypted content gAAA...== could not be verified.',
  }),
  toldByApi('a model that knows no encrypted reasoning', 400, 'invalid_request', {
    message: 'Encrypted content is not supported with this model.',
    param: 'include',
  }),
  toldByApi('any other refusal', 422, 'invalid_request', { message: 'Nope.', code: 'unknown_parameter' }),
  ['a timeout of the server', answer(408, 'slow'), refused(408, 'connection', 'slow')],
  ['a lock timeout', answer(409, 'busy'), refused(409, 'server_error', 'busy')],
  [
    'a broken gateway',
    answer(502, '<!doctype html><title> Bad gateway </title>', HTML),
    refused(502, 'server_error', 'a page of HTML titled "Bad gateway"'),
  ],
  [
    'a server that echoes the header',
    answer(500, `you sent Bearer ${KEY} and sk-other-key-12345678`),
    refused(500, 'server_error', 'you sent Bearer [hidden] and [hidden]'),
  ],
  [
    'a redirect',
    answer(307, '', { location: 'https://user:pass@elsewhere.test/v2/responses?token=1' }),
    refused(
      307,
      'invalid_request',
      'the base URL redirects to https://elsewhere.test/v2/responses, which is not followed. Set the base URL to where the API is.',
    ),
  ],
  [
    'a portal that answers everything',
    answer(200, '<html><title>Log in to the hotel</title></html>', HTML),
    unstreamed(200, 'text/html', 'a page of HTML titled "Log in to the hotel"'),
  ],
  [
    'an answer that is not streamed',
    answer(200, '{"object":"response"}'),
    unstreamed(200, 'application/json', '{"object":"response"}'),
  ],
  ['an answer without content', answer(204, '', {}), unstreamed(204, 'none', 'an empty body')],
  [
    'a frame that is not JSON',
    stream([bytes('data: {"type": oops}\n\n')]),
    { kind: 'malformed_stream', message: 'The stream is malformed: a frame is not JSON.' },
  ],
  [
    'a frame that is not an object',
    stream([bytes('data: [1]\n\n')]),
    { kind: 'malformed_stream', message: 'The stream is malformed: a frame is not an object.' },
  ],
  [
    'bytes that are no event stream at all',
    stream([bytes(new Uint8Array([0, 255, 254, 10, 10, 13, 200, 10]))]),
    { kind: 'stream_cut', message: 'The stream ended without response.completed.' },
  ],
  [
    'an error event',
    stream([bytes('event: error\ndata: {"type":"error","code":"rate_limit_exceeded","message":"Slow"}\n\n')]),
    { kind: 'rate_limited', message: 'Slow', code: 'rate_limit_exceeded' },
  ],
  [
    'an error event with a nested error',
    stream([
      bytes('event: error\ndata: {"type":"error","error":{"type":"server_error","message":"Oops"}}\n\n'),
    ]),
    { kind: 'server_error', message: 'Oops', code: 'server_error' },
  ],
  [
    'a bare error',
    stream([bytes('data: {"error":{"code":"context_length_exceeded","message":"Long"}}\n\n')], {
      'content-type': 'text/event-stream',
      'x-request-id': 'req_2',
    }),
    { kind: 'context_overflow', message: 'Long', code: 'context_length_exceeded', request_id: 'req_2' },
  ],
])('%s is told apart', async (_name, reply, failure) => {
  expect(await lastEvent(reply)).toEqual({ kind: 'failed', failure });
});

const TOKENS = { input: 100, cached: 40, output: 20, reasoning: 8, total: 120 };

test.each<[string, Reply, unknown]>([
  [
    'the output limit',
    endsEarly({ text: 'half' }, 'max_output_tokens'),
    incomplete('output_limit', 'max_output_tokens'),
  ],
  [
    'the content filter',
    endsEarly({ text: 'half' }, 'content_filter'),
    incomplete('content_filter', 'content_filter'),
  ],
  [
    'a failed response',
    failsWith('server_error', 'Oops'),
    { kind: 'server_error', message: 'Oops', code: 'server_error' },
  ],
  [
    'stale reasoning in a failed response',
    failsWith('invalid_encrypted_content', 'Stale'),
    { kind: 'reasoning_rejected', message: 'Stale', code: 'invalid_encrypted_content' },
  ],
  [
    'a failure nobody knows',
    failsWith('gremlins', 'Gremlins'),
    { kind: 'response_failed', message: 'Gremlins', code: 'gremlins' },
  ],
])('%s ends the stream with its usage', async (_name, reply, failure) => {
  expect(await lastEvent(reply)).toEqual({ kind: 'failed', failure, tokens: TOKENS });
});
