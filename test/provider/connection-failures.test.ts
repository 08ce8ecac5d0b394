import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ProviderEvent } from '../../src/runtime/ports.ts';
import { answer, bytes, CUT, HANG, type Reply, stream } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { SELF_SIGNED } from '../support/responses-server/self-signed-certificate.ts';
import { encodeEvents } from '../support/responses-server/sse-encoding.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { collect, providerAt, REQUEST } from './requests.ts';
import { freePort, serve } from './serving.ts';

test('a request the API would refuse is refused with its words', async () => {
  const server = await serve({ script: [] });
  const input = [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }] as const;
  expect(await collect(providerAt(server.url), { ...REQUEST, input })).toEqual([
    {
      kind: 'failed',
      failure: {
        kind: 'invalid_request',
        message: 'HTTP 400: No tool call found for function call output with call_id call_1.',
        status: 400,
        code: 'invalid_request_error',
      },
    },
  ]);
});

test.each([null, '', '  \n'])('without a key (%j) nothing is sent', async (apiKey) => {
  const server = await serve({ script: [] });
  expect(await collect(providerAt(server.url, { apiKey }))).toEqual([
    { kind: 'failed', failure: { kind: 'missing_key', message: 'No API key is set.', unsent: true } },
  ]);
  expect(server.requests).toEqual([]);
});

test('a key that no header can hold is refused without repeating it', async () => {
  const server = await serve({ script: [] });
  expect(await collect(providerAt(server.url, { apiKey: 'sk-line\nbreak' }))).toEqual([
    {
      kind: 'failed',
      failure: {
        kind: 'auth',
        message: 'The API key has characters that no key has, such as spaces or line breaks.',
        unsent: true,
      },
    },
  ]);
  expect(server.requests).toEqual([]);
});

test.each([
  ['not a url', 'The base URL is not a valid URL.'],
  ['ftp://host/v1', 'The base URL must start with https:// or http://, not ftp:'],
])('the base URL %j is refused without a request', async (baseUrl, message) => {
  const provider = providerAt(baseUrl);
  expect(provider.endpoint).toBe('invalid base URL');
  expect(await collect(provider)).toEqual([
    { kind: 'failed', failure: { kind: 'invalid_request', message, unsent: true } },
  ]);
});

test('a refused connection is a connection failure, and nothing is printed', async () => {
  const port = await freePort();
  expect(await collect(providerAt(`http://127.0.0.1:${port}/v1`))).toEqual([
    {
      kind: 'failed',
      failure: {
        kind: 'connection',
        message: `connect ECONNREFUSED 127.0.0.1:${port}`,
        code: 'ECONNREFUSED',
      },
    },
  ]);
});

test('a host that does not exist is a connection failure', async () => {
  // Too long for any resolver to be asked about it: the answer comes from this machine, at once.
  const [event] = await collect(providerAt(`http://${'nobody'.repeat(11)}.invalid/v1`));
  expect(event).toMatchObject({ kind: 'failed', failure: { kind: 'connection' } });
});

test('a certificate that nobody vouches for is a TLS failure', async () => {
  const server = await serve({ script: [], tls: SELF_SIGNED });
  expect(await collect(providerAt(server.url))).toEqual([
    {
      kind: 'failed',
      failure: {
        kind: 'tls',
        message: expect.stringMatching(/^self-signed certificate/u),
        code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      },
    },
  ]);
  expect(server.requests).toEqual([]);
});

test('a server that speaks no TLS is a TLS failure', async () => {
  const server = await serve({ script: [] });
  const [event] = await collect(providerAt(server.url.replace('http:', 'https:')));
  expect(event).toMatchObject({ kind: 'failed', failure: { kind: 'tls' } });
});

async function only(reply: Reply): Promise<ProviderEvent | undefined> {
  const server = await serve({ script: [reply] });
  return (await collect(providerAt(server.url))).at(-1);
}

test('a compressed stream is read although none was asked for', async () => {
  const packed = gzipSync(encodeEvents(responseEvents({ text: 'packed' })));
  const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
  expect(await only(stream([bytes(packed)], headers))).toMatchObject({
    kind: 'completed',
    items: [{ kind: 'message', text: 'packed' }],
  });
  expect(await only(stream([bytes(packed.subarray(0, -20))], headers))).toMatchObject({
    kind: 'failed',
    failure: { kind: 'stream_cut' },
  });
});

test('an injected fetch meets the same rules', async () => {
  const server = await serve({
    script: [responds({ text: 'ok' }), answer(302, '', { location: '/elsewhere' })],
  });
  const provider = providerAt(server.url, { fetch: globalThis.fetch });
  expect((await collect(provider)).at(-1)).toMatchObject({ items: [{ kind: 'message', text: 'ok' }] });
  expect(await collect(provider)).toMatchObject([{ failure: { kind: 'invalid_request', status: 302 } }]);
  expect(await collect(providerAt('http://127.0.0.1:1/v1', { fetch: globalThis.fetch }))).toMatchObject([
    { failure: { kind: 'connection' } },
  ]);
});

test('a compression that nobody asked for and nobody knows is named', async () => {
  const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'zstd' };
  expect(await only(stream([bytes('x'), HANG], headers))).toEqual({
    kind: 'failed',
    failure: {
      kind: 'malformed_stream',
      message: 'The answer is compressed as zstd, which was not asked for and is not known.',
    },
  });
});

test('an error whose body hangs or breaks off is told by its status', async () => {
  const hanging: Reply = { kind: 'answer', status: 429, headers: {}, steps: [bytes('{"error'), HANG] };
  const broken: Reply = { kind: 'answer', status: 503, headers: {}, steps: [bytes('sorry'), CUT] };
  const server = await serve({ script: [hanging, broken] });
  const provider = providerAt(server.url, { errorBodyMs: 20 });
  expect(await collect(provider)).toEqual([
    { kind: 'failed', failure: { kind: 'rate_limited', message: 'HTTP 429: {"error', status: 429 } },
  ]);
  expect(await server.requests[0]?.closed).toBe('client_closed');
  expect(await collect(provider)).toMatchObject([{ failure: { kind: 'server_error', status: 503 } }]);
});
