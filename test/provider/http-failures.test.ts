import { expect, test } from 'vitest';
import type { ProviderEvent } from '../../src/runtime/ports.ts';
import { answer, apiError, bytes, type Reply, stream } from '../support/responses-server/reply.ts';
import { endsEarly, failsWith } from '../support/responses-server/whole-replies.ts';
import { collect, KEY, providerAt } from './requests.ts';
import { serve } from './serving.ts';

async function lastEvent(reply: Reply): Promise<ProviderEvent | undefined> {
  const server = await serve({ script: [reply] });
  return (await collect(providerAt(server.url, { now: () => Date.UTC(2026, 0, 1) }))).at(-1);
}

const HTML = { 'content-type': 'text/html' };

test.each<[string, Reply, unknown]>([
  [
    'a wrong key',
    apiError(401, { message: `Incorrect API key provided: ${KEY}.`, code: 'invalid_api_key' }),
    {
      kind: 'auth',
      message: 'HTTP 401: Incorrect API key provided: [hidden].',
      status: 401,
      code: 'invalid_api_key',
    },
  ],
  [
    'a key without rights',
    apiError(403, { message: 'No access.', code: 'model_not_found' }),
    { kind: 'forbidden', message: 'HTTP 403: No access.', status: 403, code: 'model_not_found' },
  ],
  [
    'an unknown model',
    apiError(404, { message: 'Not there.', code: 'model_not_found' }),
    { kind: 'model_not_found', message: 'HTTP 404: Not there.', status: 404, code: 'model_not_found' },
  ],
  [
    'an unknown model in the words of another server',
    answer(404, '{"error":"model \\"x\\" not found, try pulling it first"}'),
    { kind: 'model_not_found', message: 'HTTP 404: model "x" not found, try pulling it first', status: 404 },
  ],
  [
    'a wrong path',
    answer(404, '<html><head><title>Not Found</title></head></html>', HTML),
    {
      kind: 'invalid_request',
      message: 'HTTP 404: a page of HTML titled "Not Found" (check the base URL)',
      status: 404,
    },
  ],
  [
    'a rate limit with seconds',
    apiError(
      429,
      { message: 'Slow down.', code: 'rate_limit_exceeded' },
      { 'retry-after': '7', 'x-request-id': 'req_1' },
    ),
    {
      kind: 'rate_limited',
      message: 'HTTP 429: Slow down.',
      status: 429,
      code: 'rate_limit_exceeded',
      retry_after_ms: 7000,
      request_id: 'req_1',
    },
  ],
  [
    'a rate limit with milliseconds',
    answer(429, '', { 'retry-after-ms': '250', 'retry-after': '9' }),
    { kind: 'rate_limited', message: 'HTTP 429: an empty body', status: 429, retry_after_ms: 250 },
  ],
  [
    'a rate limit with a date',
    answer(429, 'later', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }),
    { kind: 'rate_limited', message: 'HTTP 429: later', status: 429, retry_after_ms: 30_000 },
  ],
  [
    'a rate limit with nonsense',
    answer(429, 'later', { 'retry-after': 'soon' }),
    { kind: 'rate_limited', message: 'HTTP 429: later', status: 429 },
  ],
  [
    'an empty account',
    apiError(
      429,
      { message: 'Pay.', type: 'insufficient_quota', code: 'insufficient_quota' },
      { 'retry-after': '1' },
    ),
    {
      kind: 'quota_exceeded',
      message: 'HTTP 429: Pay.',
      status: 429,
      code: 'insufficient_quota',
      retry_after_ms: 1000,
    },
  ],
  [
    'a conversation that is too long',
    apiError(400, { message: 'Too long.', code: 'context_length_exceeded' }),
    {
      kind: 'context_overflow',
      message: 'HTTP 400: Too long.',
      status: 400,
      code: 'context_length_exceeded',
    },
  ],
  [
    'a body that is too large',
    answer(413, '<html>', HTML),
    { kind: 'context_overflow', message: 'HTTP 413: a page of HTML', status: 413 },
  ],
  [
    'an image by its code',
    apiError(400, { message: 'No.', type: 'invalid_request_error', code: 'image_parse_error' }),
    { kind: 'image_rejected', message: 'HTTP 400: No.', status: 400, code: 'image_parse_error' },
  ],
  [
    'an image by the words for it',
    apiError(400, { message: 'Invalid content type. image_url is only supported by certain models.' }),
    {
      kind: 'image_rejected',
      message: 'HTTP 400: Invalid content type. image_url is only supported by certain models.',
      status: 400,
      code: 'invalid_request_error',
    },
  ],
  [
    'stale reasoning by its code',
    apiError(400, { message: 'No.', code: 'invalid_encrypted_content' }),
    { kind: 'reasoning_rejected', message: 'HTTP 400: No.', status: 400, code: 'invalid_encrypted_content' },
  ],
  [
    'stale reasoning by its words',
    apiError(400, { message: 'The encrypted content gAAA...== could not be verified.' }),
    {
      kind: 'reasoning_rejected',
      message: 'HTTP 400: The encrypted content gAAA...== could not be verified.',
      status: 400,
      code: 'invalid_request_error',
    },
  ],
  [
    'a model that knows no encrypted reasoning',
    apiError(400, { message: 'Encrypted content is not supported with this model.', param: 'include' }),
    {
      kind: 'invalid_request',
      message: 'HTTP 400: Encrypted content is not supported with this model.',
      status: 400,
      code: 'invalid_request_error',
    },
  ],
  [
    'any other refusal',
    apiError(422, { message: 'Nope.', code: 'unknown_parameter' }),
    { kind: 'invalid_request', message: 'HTTP 422: Nope.', status: 422, code: 'unknown_parameter' },
  ],
  [
    'a timeout of the server',
    answer(408, 'slow'),
    { kind: 'connection', message: 'HTTP 408: slow', status: 408 },
  ],
  ['a lock timeout', answer(409, 'busy'), { kind: 'server_error', message: 'HTTP 409: busy', status: 409 }],
  [
    'a broken gateway',
    answer(502, '<!doctype html><title> Bad gateway </title>', HTML),
    { kind: 'server_error', message: 'HTTP 502: a page of HTML titled "Bad gateway"', status: 502 },
  ],
  [
    'a server that echoes the header',
    answer(500, `you sent Bearer ${KEY} and sk-other-key-12345678`),
    { kind: 'server_error', message: 'HTTP 500: you sent Bearer [hidden] and [hidden]', status: 500 },
  ],
  [
    'a redirect',
    answer(307, '', { location: 'https://user:pass@elsewhere.test/v2/responses?token=1' }),
    {
      kind: 'invalid_request',
      message:
        'HTTP 307: the base URL redirects to https://elsewhere.test/v2/responses, which is not followed. Set the base URL to where the API is.',
      status: 307,
    },
  ],
  [
    'a portal that answers everything',
    answer(200, '<html><title>Log in to the hotel</title></html>', HTML),
    {
      kind: 'malformed_stream',
      message:
        'HTTP 200 with content type text/html instead of an event stream: a page of HTML titled "Log in to the hotel"',
      status: 200,
    },
  ],
  [
    'an answer that is not streamed',
    answer(200, '{"object":"response"}'),
    {
      kind: 'malformed_stream',
      message:
        'HTTP 200 with content type application/json instead of an event stream: {"object":"response"}',
      status: 200,
    },
  ],
  [
    'an answer without content',
    answer(204, '', {}),
    {
      kind: 'malformed_stream',
      message: 'HTTP 204 with content type none instead of an event stream: an empty body',
      status: 204,
    },
  ],
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
    {
      kind: 'output_limit',
      message: 'The response is incomplete: max_output_tokens.',
      code: 'max_output_tokens',
    },
  ],
  [
    'the content filter',
    endsEarly({ text: 'half' }, 'content_filter'),
    {
      kind: 'content_filter',
      message: 'The response is incomplete: content_filter.',
      code: 'content_filter',
    },
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
