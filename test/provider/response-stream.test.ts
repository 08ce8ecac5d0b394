import { expect, test } from 'vitest';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { call, completed, delta, done, fold, message } from './stream-folding.ts';

const UNKNOWN_TOKENS = { input: null, cached: null, output: null, reasoning: null, total: null };

function answered(items: readonly unknown[], unknown_events: readonly string[] = []): unknown {
  return { kind: 'completed', response_id: 'resp_1', items, tokens: UNKNOWN_TOKENS, unknown_events };
}

test('without item events the output of the completed response counts', () => {
  const output = [{ type: 'reasoning', id: 'rs_1', summary: [] }, message('hi'), call()];
  expect(fold([completed({ output })])).toEqual([
    answered([
      { kind: 'reasoning', item: output[0] },
      { kind: 'message', text: 'hi' },
      { kind: 'call', call_id: 'call_1', name: 'read_file', args: '{}' },
    ]),
  ]);
});

test('items of events are not doubled by the output of the completed response', () => {
  const last = fold([done(message('hi')), completed({ output: [message('hi, edited')] })]).at(-1);
  expect(last).toEqual(answered([{ kind: 'message', text: 'hi' }]));
});

test('a call that only the completed response lists is not lost', () => {
  const last = fold([done(message('hi')), completed({ output: [message('hi'), call()] })]).at(-1);
  expect(last).toEqual(
    answered([
      { kind: 'message', text: 'hi' },
      { kind: 'call', call_id: 'call_1', name: 'read_file', args: '{}' },
    ]),
  );
});

test('text that no item repeats becomes a message in its place', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
  const last = fold([done(reasoning), delta('so'), delta('far'), done(call()), completed()]).at(-1);
  expect(last).toEqual(
    answered([
      { kind: 'reasoning', item: reasoning },
      { kind: 'message', text: 'sofar', reshaped: true },
      { kind: 'call', call_id: 'call_1', name: 'read_file', args: '{}' },
    ]),
  );
});

test('text fills a message that arrived empty', () => {
  const empty = message('', { phase: 'final_answer' });
  const last = fold([delta('words'), done(empty), completed()]).at(-1);
  expect(last).toEqual(answered([{ kind: 'message', text: 'words', phase: 'final_answer', reshaped: true }]));
});

test('several parts of one message are joined, and unknown parts are noted', () => {
  const content = [
    { type: 'output_text', text: 'a' },
    { type: 'hologram', beams: 3 },
    { type: 'output_text', text: 'b' },
    { type: 'refusal', refusal: 'no c' },
  ];
  const last = fold([done({ type: 'message', content }), completed()]).at(-1);
  expect(last).toEqual(
    answered([{ kind: 'message', text: 'ab', refusal: 'no c', reshaped: true }], ['part:hologram']),
  );
});

test('a second message does not run into the first on screen', () => {
  const events = fold([
    delta('one', 0),
    delta(' more', 0),
    done(message('one more')),
    delta('two', 1),
    done(message('two')),
    completed(),
  ]);
  expect(events.filter(({ kind }) => kind !== 'activity')).toEqual([
    { kind: 'text_delta', text: 'one' },
    { kind: 'text_delta', text: ' more' },
    { kind: 'text_delta', text: '\n\ntwo' },
    answered([
      { kind: 'message', text: 'one more' },
      { kind: 'message', text: 'two' },
    ]),
  ]);
});

test('a refusal is kept, from its part or else from its deltas', () => {
  expect(fold(responseEvents({ refusal: 'I will not.' })).at(-1)).toMatchObject({
    items: [{ kind: 'message', text: '', refusal: 'I will not.' }],
  });
  expect(fold([{ type: 'response.refusal.delta', delta: 'No.' }, completed()])).toEqual([
    { kind: 'activity', output: true },
    answered([{ kind: 'message', text: '', refusal: 'No.', reshaped: true }]),
  ]);
});

test('reasoning items stay as they came, to the order of their keys', () => {
  const text = '{"zeta":1,"type":"reasoning","id":"rs_1","alpha":{"b":[],"a":null},"encrypted_content":"x"}';
  const last = fold([done(JSON.parse(text)), completed()]).at(-1);
  expect(last?.kind === 'completed' && JSON.stringify(last.items)).toBe(
    `[{"kind":"reasoning","item":${text}}]`,
  );
});

test('unknown items and events are noted once and never fatal', () => {
  const last = fold([
    { type: 'response.output_item.added', item: { type: 'web_search_call' } },
    { type: 'response.web_search_call.searching' },
    { type: 'response.web_search_call.searching' },
    done({ type: 'web_search_call' }),
    { type: 'codex.rate_limits', plan: 'x' },
    { type: 'response.done', response: { status: 'completed' } },
    completed(),
  ]).at(-1);
  expect(last).toEqual(
    answered(
      [],
      ['item:web_search_call', 'response.web_search_call.searching', 'codex.rate_limits', 'response.done'],
    ),
  );
});

test('names of unknown events are bounded in number and length', () => {
  const frames = Array.from({ length: 500 }, (_, index) => ({ type: `${index}${'x'.repeat(1000)}` }));
  const last = fold([...frames, completed()]).at(-1);
  const names = last?.kind === 'completed' ? last.unknown_events : [];
  expect([names.length, Math.max(...names.map(({ length }) => length))]).toEqual([50, 100]);
});

test('only the model makes output begin', () => {
  const kinds = [
    { type: 'response.queued' },
    { type: 'response.created' },
    { type: 'response.rate_limits' },
    { type: 'response.in_progress' },
    { type: 'response.output_item.added', item: { type: 'reasoning' } },
    { type: 'ledgerline.keep_alive' },
    { type: 'response.function_call_arguments.delta', delta: '{' },
  ];
  expect(fold(kinds).slice(0, -1)).toEqual(
    [false, false, false, false, true, true, true].map((output) => ({ kind: 'activity', output })),
  );
});

test('an empty delta is a sign of life, not text', () => {
  const empty = { type: 'response.reasoning_summary_text.delta', delta: '' };
  expect(fold([delta(''), empty]).slice(0, -1)).toEqual([
    { kind: 'activity', output: true },
    { kind: 'activity', output: true },
  ]);
});

test('an item that is sent twice counts once, also without ids', () => {
  const twice = [
    done(call()),
    done(call()),
    done(message('a', { id: 'm' })),
    done(message('a', { id: 'm' })),
  ];
  expect(fold([...twice, completed()]).at(-1)).toMatchObject({
    items: [{ kind: 'call' }, { kind: 'message' }],
  });
  const nameless = [done(message('a')), done(message('a', { id: '' })), completed()];
  expect(fold(nameless).at(-1)).toMatchObject({ items: [{ text: 'a' }, { text: 'a' }] });
});

test('a completed event whose response is not completed is not an answer', () => {
  const usage = { input_tokens: 3 };
  expect(
    fold([completed({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } })]),
  ).toEqual([
    {
      kind: 'failed',
      failure: {
        kind: 'content_filter',
        message: 'The response is incomplete: content_filter.',
        code: 'content_filter',
      },
    },
  ]);
  expect(fold([completed({ status: 'cancelled', usage })])).toEqual([
    {
      kind: 'failed',
      failure: { kind: 'response_cancelled', message: 'The response was cancelled by the provider.' },
      tokens: { ...UNKNOWN_TOKENS, input: 3 },
    },
  ]);
  expect(fold([completed({ status: 'failed', error: null })])).toEqual([
    {
      kind: 'failed',
      failure: { kind: 'response_failed', message: 'The response failed; the provider gave no reason.' },
    },
  ]);
});

test('usage that was not given, or cannot be a count, is unknown', () => {
  const usage = {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: -1,
    output_tokens_details: { reasoning_tokens: '5' },
    total_tokens: 1.5,
  };
  expect(fold([completed({ usage })])).toMatchObject([
    { tokens: { input: 12, cached: 0, output: null, reasoning: null, total: null } },
  ]);
});
