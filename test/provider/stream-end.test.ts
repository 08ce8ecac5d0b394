import { expect, test } from 'vitest';
import type { ProviderEvent } from '../../src/runtime/ports.ts';
import { bytes, CUT, events, HANG, stream, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { encodeEvents } from '../support/responses-server/sse-encoding.ts';
import { breaksOff, hangs, responds } from '../support/responses-server/whole-replies.ts';
import { collect, providerAt, REQUEST, spoken } from './requests.ts';
import { serve } from './serving.ts';

const TOKENS = { input: 100, cached: 40, output: 20, reasoning: 8, total: 120 };

test('what follows the completed response is not read, and the connection is closed', async () => {
  const all = responseEvents({ text: 'once' });
  const server = await serve({
    script: [stream([events([...all, ...all]), bytes('garbage \u0000 {{{\n\ndata: nonsense\n\n'), HANG])],
  });
  expect(spoken(await collect(providerAt(server.url)))).toEqual([
    { kind: 'text_delta', text: 'once' },
    {
      kind: 'completed',
      response_id: 'resp_1',
      items: [{ kind: 'message', text: 'once' }],
      tokens: TOKENS,
      unknown_events: [],
    },
  ]);
  expect(await server.requests[0]?.closed).toBe('client_closed');
});

test('one connection serves several requests when their answers end properly', async () => {
  const server = await serve({ handler: () => responds({ text: 'ok' }) });
  for (let index = 0; index < 3; index += 1) {
    expect((await collect(providerAt(server.url))).at(-1)?.kind).toBe('completed');
    expect(await server.requests[index]?.closed).toBe('answered');
  }
  expect(server.connections()).toBe(1);
});

test('aborting ends the stream without a terminal event and closes the connection', async () => {
  const server = await serve({ script: [hangs('half')] });
  const controller = new AbortController();
  const seen: ProviderEvent[] = [];
  for await (const event of providerAt(server.url).stream(REQUEST, controller.signal)) {
    seen.push(event);
    if (event.kind === 'text_delta') controller.abort();
  }
  expect(spoken(seen)).toEqual([{ kind: 'text_delta', text: 'half' }]);
  expect(await server.requests[0]?.closed).toBe('client_closed');
});

test('aborting while no answer has come closes the connection', async () => {
  const server = await serve({ script: [{ kind: 'silence' }] });
  const controller = new AbortController();
  const all = collect(providerAt(server.url), REQUEST, controller.signal);
  const request = await server.request(0);
  controller.abort();
  expect(await all).toEqual([]);
  expect(await request.closed).toBe('client_closed');
});

test('aborting while the body of an error hangs ends the stream', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hanging = { kind: 'answer', status: 500, headers: {}, steps: [bytes('{'), HANG] } as const;
  const server = await serve({ script: [() => (resolve(), hanging)] });
  const controller = new AbortController();
  const all = collect(providerAt(server.url), REQUEST, controller.signal);
  await promise;
  controller.abort();
  expect(await all).toEqual([]);
  expect(await server.requests[0]?.closed).toBe('client_closed');
});

test('a stream that was aborted before it began sends nothing', async () => {
  const server = await serve({ script: [] });
  expect(await collect(providerAt(server.url), REQUEST, AbortSignal.abort())).toEqual([]);
  expect(server.requests).toEqual([]);
});

test('a consumer that stops reading closes the connection', async () => {
  const server = await serve({ script: [hangs('half')] });
  for await (const event of providerAt(server.url).stream(REQUEST, new AbortController().signal)) {
    if (event.kind === 'text_delta') break;
  }
  expect(await server.requests[0]?.closed).toBe('client_closed');
});

test('a connection cut after the first byte is a cut stream, before it a failed connection', async () => {
  const server = await serve({
    script: [
      breaksOff('half'),
      stream([CUT]),
      { kind: 'drop' },
      streamOf(unfinishedEvents({ text: 'half' })),
      stream([bytes(encodeEvents(unfinishedEvents({ text: 'half' })).slice(0, -40))]),
      stream([]),
    ],
  });
  const kinds: (string | undefined)[] = [];
  for (let index = 0; index < 6; index += 1) {
    const last = (await collect(providerAt(server.url))).at(-1);
    kinds.push(last?.kind === 'failed' ? last.failure.kind : last?.kind);
  }
  expect(kinds).toEqual(['stream_cut', 'connection', 'connection', 'stream_cut', 'stream_cut', 'stream_cut']);
});
