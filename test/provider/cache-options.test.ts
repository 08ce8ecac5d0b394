import { expect, test } from 'vitest';
import { apiError, type Reply } from '../support/responses-server/reply.ts';
import { type Answer } from '../support/responses-server/response-events.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { REQUEST } from './requests.ts';
import { failureIn, followedBy, sentAs, socketBench } from './socket-serving.ts';

const FIRST = { ...REQUEST, model: 'gpt-5.6-sol' };
const SECOND = followedBy(FIRST, 'Hello.', 'And?');

function hello(id: string, more: Answer = {}): Reply {
  return responds({ id, text: 'Hello.', ...more });
}

test.each(['sse', 'websocket'] as const)(
  'over %s, a model that can compare prompts is told which response came before, and what it says is kept',
  async (transport) => {
    const cache_diagnostics = {
      type: 'cache_miss',
      reason: 'tools_changed',
      cache_missed_tokens: 700,
      comparison_reusable_tokens: 900,
    } as const;
    const usage = { input: 2_000, cached: 1_024, output: 5, reasoning: 0, cache_write: 900 };
    const script = [hello('resp_a'), hello('resp_b', { cache_diagnostics, usage }), hello('resp_c')];
    const bench = await socketBench({ script }, { transport });
    await bench.ask(FIRST);
    expect((await bench.ask(SECOND)).at(-1)).toMatchObject({
      kind: 'completed',
      tokens: { input: 2_000, cached: 1_024, output: 5, reasoning: 0, total: 2_005, cache_write: 900 },
      cache_diagnostics: { type: 'cache_miss', reason: 'tools_changed', missed_tokens: 700 },
    });
    await bench.ask(followedBy(SECOND, 'Hello.', 'More?'));
    const options = bench.server.requests.map(
      ({ body }) => (body as Record<string, unknown>)['prompt_cache_options'],
    );
    expect(options).toEqual([
      undefined,
      { comparison_response_id: 'resp_a' },
      { comparison_response_id: 'resp_b' },
    ]);
  },
);

test('a hit says no more than that, and words of any length are cut', async () => {
  const odd = { type: 'x'.repeat(200), reason: 'y'.repeat(200), cache_missed_tokens: -1 };
  const bench = await socketBench({
    script: [
      hello('resp_a', { cache_diagnostics: { type: 'cache_hit' } }),
      hello('resp_b', { cache_diagnostics: odd as never }),
    ],
  });
  expect((await bench.ask(FIRST)).at(-1)).toMatchObject({ cache_diagnostics: { type: 'cache_hit' } });
  expect((await bench.ask(SECOND)).at(-1)).toMatchObject({
    cache_diagnostics: { type: 'x'.repeat(100), reason: 'y'.repeat(100) },
  });
});

test.each([
  ['a model that cannot', { ...SECOND, model: 'gpt-5.4' }],
  ['a model that nobody knows', { ...SECOND, model: 'local' }],
  ['a call beside the conversation', { ...SECOND, purpose: 'compaction' as const }],
])('%s is not asked to compare', async (_name, request) => {
  const bench = await socketBench({ script: [hello('resp_a'), hello('resp_b')] });
  await bench.ask(FIRST);
  await bench.ask(request);
  expect(bench.server.requests[1]?.body).not.toHaveProperty('prompt_cache_options');
});

test('another endpoint does not know the response', async () => {
  const bench = await socketBench({ script: [hello('resp_a'), hello('resp_b')] });
  await bench.ask(FIRST);
  await bench.ask(SECOND, bench.again({ baseUrl: `${bench.server.url}?v=2` }));
  expect(bench.server.requests[1]?.body).not.toHaveProperty('prompt_cache_options');
});

test('another key may be of somebody who does not know it either', async () => {
  const bench = await socketBench({ script: [hello('resp_a'), hello('resp_b')] });
  await bench.ask(FIRST);
  await bench.ask(SECOND, bench.again({ apiKey: 'sk-test-of-somebody-else' }));
  expect(bench.server.requests[1]?.body).not.toHaveProperty('prompt_cache_options');
});

test('a response that cannot be compared with is not named again', async () => {
  const refusal = apiError(400, { message: "Invalid 'comparison_response_id': resp_a." });
  const bench = await socketBench({ script: [hello('resp_a'), refusal, hello('resp_b')] });
  await bench.ask(FIRST);
  expect(failureIn(await bench.ask(SECOND))).toMatchObject({ again: 'without_cache_options' });
  expect((await bench.ask(SECOND)).at(-1)).toMatchObject({ kind: 'completed' });
});

test.each(['sse', 'websocket'] as const)(
  'over %s, an endpoint that refuses the options is asked without them from then on',
  async (transport) => {
    const refusal = apiError(400, {
      message: "Unknown parameter: 'prompt_cache_options'.",
      param: 'prompt_cache_options',
      code: 'unknown_parameter',
    });
    const script = [hello('resp_a'), refusal, hello('resp_b'), hello('resp_c')];
    const bench = await socketBench({ script }, { transport });
    await bench.ask(FIRST);
    const refused = await bench.ask(SECOND);
    expect(failureIn(refused)).toEqual({
      kind: 'invalid_request',
      message: "HTTP 400: Unknown parameter: 'prompt_cache_options'.",
      status: 400,
      code: 'unknown_parameter',
      again: 'without_cache_options',
    });
    expect((await bench.ask(SECOND)).at(-1)).toMatchObject({ kind: 'completed' });
    await bench.ask(followedBy(SECOND, 'Hello.', 'More?'));
    const had = bench.server.requests.map(({ body }) =>
      Object.hasOwn(body as object, 'prompt_cache_options'),
    );
    expect(had).toEqual([false, true, false, false]);
  },
);

test('a refusal of anything else is nothing but that', async () => {
  const script = [
    hello('resp_a'),
    apiError(400, { message: "Unknown parameter: 'tools'." }),
    hello('resp_b'),
  ];
  const bench = await socketBench({ script });
  await bench.ask(FIRST);
  expect(failureIn(await bench.ask(SECOND))).not.toHaveProperty('again');
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'whole', 'previous_response_failed']);
  expect(bench.server.requests[2]?.body).toHaveProperty('prompt_cache_options');
});
