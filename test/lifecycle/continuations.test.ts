import { expect, test } from 'vitest';
import { apiError, bytes, CUT, HANG, stream } from '../support/responses-server/reply.ts';
import type { Answer } from '../support/responses-server/response-events.ts';
import { asks, stage } from './window.ts';

const on = stage();

function named(id: string, answer: Answer): Answer {
  return { id, ...answer };
}

function filled(input: number): Answer {
  return { usage: { input, cached: 0, output: 20, reasoning: 0 } };
}

async function resets(): Promise<unknown> {
  const all = await on.of('provider_usage');
  return all.map(({ continuation: { used, reset_reason } }) => (used ? 'continued' : reset_reason));
}

test('a call that is decided later changes what was sent, so that the next request is whole', async () => {
  const window = await on.turn(
    'Write.',
    [
      named(
        'r1',
        asks(
          ['c1', 'list_files', { path: null, glob: null }],
          ['c2', 'write_file', { path: 'a', content: 'x' }],
        ),
      ),
      named('r2', { text: 'Waiting for you.' }),
      named('r3', { text: 'Written.' }),
      named('r4', { text: 'You are welcome.' }),
    ],
    { transport: 'websocket', permissionMode: 'ask' },
  );
  expect(window.state).toBe('waiting');
  expect(await window.decided('c2', 'resume')).toBe('completed');
  expect(await window.turn('Thanks.')).toBe('completed');
  expect(await resets()).toEqual(['no_previous_response', 'continued', 'input_changed', 'continued']);
  expect(on.sockets).toHaveLength(1);
});

test('another model and another mode are resets of one session, and its socket stays', async () => {
  const window = await on.turn(
    'One.',
    ['r1', 'r2', 'r3', 'r4'].map((id) => named(id, { text: `This is ${id}.` })),
    { transport: 'websocket', permissionMode: 'ask' },
  );
  await window.receive({ type: 'set', model: 'gpt-other' });
  await window.turn('Two.');
  await window.receive({ type: 'set', mode: 'read_only' });
  await window.turn('Three.');
  await window.turn('Four.');
  expect(await resets()).toEqual(['no_previous_response', 'model_changed', 'tools_changed', 'continued']);
  expect(on.sockets).toHaveLength(1);
});

test('a fork is another session: it has a socket of its own', async () => {
  const window = await on.turn('One.', [named('r1', { text: 'One.' }), named('r2', { text: 'Two.' })], {
    transport: 'websocket',
  });
  await window.receive({ type: 'fork' });
  expect(await on.sockets[0]?.closed).toBe(1000);
  await window.turn('Two.');
  expect(on.sockets).toHaveLength(2);
});

test('a socket that breaks while the window is nearly full makes room, and the turn completes', async () => {
  const long = 'A long answer. '.repeat(300);
  const looks = asks(['c1', 'list_files', { path: null, glob: null }]);
  await on.script(
    named('r1', { text: long, ...filled(5_000) }),
    named('r2', { text: long, ...filled(7_000) }),
    named('r3', { ...looks, ...filled(9_500) }),
    stream([CUT]),
    named('r4', { text: 'Here.', ...filled(3_000) }),
  );
  const window = await on.open({ transport: 'websocket', contextWindow: 10_000, permissionMode: 'auto' });
  for (const text of ['One.', 'Two.']) expect(await window.turn(text)).toBe('completed');
  expect(await window.turn('Look.')).toBe('completed');
  const [checkpoint, ...more] = await on.of('history_compaction');
  expect(checkpoint).toMatchObject({
    trigger: 'websocket_critical_recovery',
    strategy: 'deterministic_v1',
  });
  expect(more).toEqual([]);
  const { tokens_before, tokens_after } = checkpoint as { tokens_before: number; tokens_after: number };
  expect(tokens_after).toBeLessThan(tokens_before);
  const codes = (await on.of('diagnostic')).map(({ code }) => code);
  expect(codes).toEqual(['websocket_critical_recovery']);
  expect(await resets()).toEqual([
    'no_previous_response',
    'continued',
    'continued',
    'previous_response_failed',
  ]);
  const [cut, whole] = on.requests.slice(3);
  expect(whole?.input.length).toBeLessThan(cut?.input.length ?? 0);
  expect(on.sockets).toHaveLength(2);
});

test('a socket that is granted and then talks nonsense costs no turn', async () => {
  const window = await on.turn(
    'One.',
    [
      stream([bytes('Request served by nobody'), HANG]),
      named('r1', { text: 'One.' }),
      named('r2', { text: 'Two.' }),
    ],
    { transport: 'websocket' },
  );
  expect(window.state).toBe('completed');
  expect(await window.turn('Two.')).toBe('completed');
  expect((await on.of('diagnostic')).map(({ code }) => code)).toEqual(['transport_fallback']);
  expect(await resets()).toEqual(['fell_back_to_sse', 'fell_back_to_sse']);
  expect(on.sockets).toHaveLength(1);
});

test('a continuation that is refused without a code is asked again whole, in the same turn', async () => {
  const window = await on.turn(
    'One.',
    [
      named('r1', { text: 'One.' }),
      apiError(400, { message: 'Invalid `previous_response_id`.' }),
      named('r2', { text: 'Two.' }),
    ],
    { transport: 'websocket' },
  );
  expect(await window.turn('Two.')).toBe('completed');
  expect((await on.of('diagnostic')).map(({ code }) => code)).toEqual(['continuation_reset']);
  expect(await resets()).toEqual(['no_previous_response', 'previous_response_not_found']);
});
