import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test, vi } from 'vitest';
import { requestBody } from '../../src/provider/request-body.ts';
import type { ProviderEvent } from '../../src/runtime/ports.ts';
import { bytes, events, HANG, stream, wait } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { encodeEvents, inPieces } from '../support/responses-server/sse-encoding.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { collect, KEY, providerAt, REQUEST, spoken } from './requests.ts';
import { serve } from './serving.ts';

const TOKENS = { input: 100, cached: 40, output: 20, reasoning: 8, total: 120 };

test('a whole response arrives as deltas and then as items in order', async () => {
  const reasoning = { id: 'rs_9', summary: ['First.', 'Second.'], encrypted_content: 'gAAAA==' };
  const answer = {
    id: 'resp_7',
    reasoning,
    text: ['Grüße ', '', '🦊'],
    phase: 'commentary' as const,
    calls: [
      { call_id: 'call_1', name: 'read_file', args: '{"path": "a.ts"}' },
      { call_id: 'call_2', name: 'read_file', args: { path: 'b.ts' } },
    ],
  };
  const server = await serve({ script: [responds(answer)] });
  const all = await collect(providerAt(server.url));
  expect(spoken(all)).toEqual([
    { kind: 'reasoning_delta', text: 'First.' },
    { kind: 'reasoning_delta', text: '\n\n' },
    { kind: 'reasoning_delta', text: 'Second.' },
    { kind: 'text_delta', text: 'Grüße ' },
    { kind: 'text_delta', text: '🦊' },
    {
      kind: 'completed',
      response_id: 'resp_7',
      items: [
        {
          kind: 'reasoning',
          item: {
            id: 'rs_9',
            type: 'reasoning',
            summary: [
              { type: 'summary_text', text: 'First.' },
              { type: 'summary_text', text: 'Second.' },
            ],
            encrypted_content: 'gAAAA==',
          },
        },
        { kind: 'message', text: 'Grüße 🦊', phase: 'commentary' },
        { kind: 'call', call_id: 'call_1', name: 'read_file', args: '{"path": "a.ts"}' },
        { kind: 'call', call_id: 'call_2', name: 'read_file', args: '{"path":"b.ts"}' },
      ],
      tokens: TOKENS,
      unknown_events: [],
    },
  ]);
  expect(all.slice(0, 3)).toEqual([
    { kind: 'activity', output: false },
    { kind: 'activity', output: false },
    { kind: 'activity', output: true },
  ]);
});

test('the request holds exactly the body, the key and no trace of the machine', async () => {
  const server = await serve({ script: [responds({ text: 'ok' })] });
  await collect(providerAt(server.url));
  const [request] = server.requests;
  expect(request?.raw).toBe(JSON.stringify(requestBody(REQUEST)));
  expect({ ...request?.headers, host: '', 'content-length': '' }).toEqual({
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    authorization: `Bearer ${KEY}`,
    connection: 'keep-alive',
    'content-length': '',
    'content-type': 'application/json',
    host: '',
    'user-agent': 'ledgerline',
  });
});

test('variables of the environment change neither the endpoint nor the headers', async () => {
  for (const name of ['OPENAI_BASE_URL', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'OPENAI_CUSTOM_HEADERS']) {
    vi.stubEnv(name, 'x-evil: 1\nauthorization: Bearer another-key');
  }
  const server = await serve({ script: [responds({ text: 'ok' })] });
  expect((await collect(providerAt(server.url))).at(-1)).toMatchObject({ kind: 'completed' });
  vi.unstubAllEnvs();
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(Object.keys(server.requests[0]?.headers ?? {}).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
  ]);
});

test('the SDK prints nothing, whatever it is told and whatever goes wrong', async () => {
  const names = ['log', 'debug', 'info', 'warn', 'error'] as const;
  const spies = names.map((name) => vi.spyOn(console, name));
  vi.stubEnv('OPENAI_LOG', 'debug');
  const server = await serve({ script: [stream([bytes('data: {broken\n\n')]), { kind: 'drop' }] });
  expect((await collect(providerAt(server.url))).at(-1)).toMatchObject({
    failure: { kind: 'malformed_stream' },
  });
  expect((await collect(providerAt(server.url))).at(-1)).toMatchObject({ failure: { kind: 'connection' } });
  expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([]);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test.each([
  ['openai-provider.ts', ['node_modules/openai/index.mjs']],
  [
    'session-connection.ts',
    ['node_modules/openai/index.mjs', 'node_modules/openai/resources/responses/ws.mjs'],
  ],
])('%s loads packages only once a stream needs them', async (name, packages) => {
  const entry = fileURLToPath(new URL(`../../src/provider/${name}`, import.meta.url));
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: 'unused',
    write: false,
    metafile: true,
  });
  const first = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint?.endsWith(name));
  const loaded = Object.keys(first?.inputs ?? {});
  expect(loaded.filter((path) => path.includes('node_modules'))).toEqual([]);
  const later = first?.imports.flatMap(({ kind, path }) => (kind === 'dynamic-import' ? [path] : [])) ?? [];
  expect([...new Set(later)].map((path) => metafile.outputs[path]?.entryPoint ?? '').toSorted()).toEqual(
    packages,
  );
});

test('a query in the base URL is sent but is no part of the endpoint', async () => {
  const server = await serve({ script: [responds({ text: 'ok' })] });
  const provider = providerAt(`${server.url}/?api-version=1`);
  expect(provider.endpoint).toBe(server.url);
  await collect(provider);
  expect(server.requests[0]?.path).toBe('/v1/responses?api-version=1');
});

const ODD = responseEvents({ text: ['Grüße 🦊\n\nzwei: ', 'data: {"x":1}', '\u2028ende'] });
const ODD_TEXT = 'Grüße 🦊\n\nzwei: data: {"x":1}\u2028ende';

test.each([
  ['bytes one by one', inPieces(encodeEvents(ODD), 1)],
  ['pieces of three bytes with CRLF', inPieces(encodeEvents(ODD, { newline: '\r\n' }), 3)],
  ['lone carriage returns', inPieces(encodeEvents(ODD, { newline: '\r' }), 7)],
  ['no space after the colon', inPieces(encodeEvents(ODD, { noSpace: true, noNames: true }), 1000)],
  ['several data lines an event', inPieces(encodeEvents(ODD, { multiline: true }), 11)],
  ['comments between events', inPieces(encodeEvents(ODD, { comments: true }), 50)],
  ['no blank line at the end', inPieces(encodeEvents(ODD, { unterminated: true }), 50)],
  ['a byte order mark', inPieces(`\uFEFF${encodeEvents(ODD)}`, 50)],
])('the answer is the same with %s', async (_name, pieces) => {
  const server = await serve({ script: [stream(pieces.map((piece) => bytes(piece)))] });
  const all = spoken(await collect(providerAt(server.url)));
  expect(all.at(-1)).toEqual({
    kind: 'completed',
    response_id: 'resp_1',
    items: [{ kind: 'message', text: ODD_TEXT }],
    tokens: TOKENS,
    unknown_events: [],
  });
});

test('a frame of five megabytes arrives whole', async () => {
  const encrypted_content = 'x'.repeat(5 * 1024 * 1024);
  const answer = { reasoning: { encrypted_content }, text: 'done' };
  const server = await serve({ script: [responds(answer)] });
  const last = (await collect(providerAt(server.url))).at(-1);
  expect(last?.kind === 'completed' && last.items[0]).toEqual({
    kind: 'reasoning',
    item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content },
  });
});

test('a frame without end is given up at the size limit', async () => {
  const endless = [bytes('data: "'), ...Array.from({ length: 40 }, () => bytes('x'.repeat(1000))), HANG];
  const server = await serve({ script: [stream(endless)] });
  expect(await collect(providerAt(server.url, { maxFrame: 20_000 }))).toEqual([
    {
      kind: 'failed',
      failure: {
        kind: 'malformed_stream',
        message: 'The stream is malformed: a frame is larger than 20000.',
      },
    },
  ]);
  expect(await server.requests[0]?.closed).toBe('client_closed');
});

test('comments and empty events of a silent server are signs of life', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = await serve({
    script: [
      stream([
        bytes(': PROCESSING\n\n'),
        bytes('event: ping\n\n'),
        bytes('data:\n\n'),
        wait(promise),
        events(responseEvents({ text: 'ok' })),
      ]),
    ],
  });
  const life = providerAt(server.url).stream(REQUEST, new AbortController().signal);
  const iterator = life[Symbol.asyncIterator]();
  for (let index = 0; index < 3; index += 1) {
    expect(await iterator.next()).toEqual({ done: false, value: { kind: 'activity', output: false } });
  }
  resolve();
  const rest: ProviderEvent[] = [];
  for (let step = await iterator.next(); step.done !== true; step = await iterator.next())
    rest.push(step.value);
  expect(spoken(rest).map(({ kind }) => kind)).toEqual(['text_delta', 'completed']);
});
