import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  continuationOf,
  type Exchange,
  type LastExchange,
  type NextRequest,
} from '../../src/provider/continuation.ts';
import type { ModelRequest } from '../../src/runtime/ports.ts';
import type { InputItem } from '../../src/runtime/replay/items.ts';
import { REQUEST } from './requests.ts';
import { searchRuns } from '../support/search-runs.ts';

const ENDPOINT = 'https://models.test/v1';
const SAID: InputItem = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Yes.' }],
};
const CALL: InputItem = { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{}' };
const RESULT: InputItem = { type: 'function_call_output', call_id: 'c1', output: 'x' };
const ASKED: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And?' }] };

const EXCHANGE: Exchange = {
  response_id: 'resp_1',
  endpoint: ENDPOINT,
  request: REQUEST,
  output: [SAID, CALL],
};

function after(exchange: Partial<Exchange> = {}): LastExchange {
  return { kind: 'completed', exchange: { ...EXCHANGE, ...exchange } };
}

function next(request: Partial<ModelRequest> = {}, how: Partial<NextRequest> = {}): NextRequest {
  const input = [...REQUEST.input, SAID, CALL, RESULT, ASKED];
  return { request: { ...REQUEST, input, ...request }, endpoint: ENDPOINT, connected: true, ...how };
}

test('a request that begins with the last one and its answer goes out with what is new', () => {
  expect(continuationOf(after(), next())).toEqual({
    kind: 'continue',
    previous_response_id: 'resp_1',
    input: [RESULT, ASKED],
  });
});

test('items and tools count by their bytes, not by who made them', () => {
  expect(continuationOf(after(), structuredClone(next()))).toMatchObject({ input: [RESULT, ASKED] });
});

const NONE = (reason: Extract<LastExchange, { kind: 'none' }>['reason']): LastExchange => ({
  kind: 'none',
  reason,
});
const [TOOL] = REQUEST.tools;
if (TOOL === undefined) throw new Error('a tool');

test.each<[string, LastExchange, NextRequest, string]>([
  ['nothing came before', NONE('no_previous_response'), next(), 'no_previous_response'],
  ['the last response failed', NONE('previous_response_failed'), next(), 'previous_response_failed'],
  [
    'the last response was not found',
    NONE('previous_response_not_found'),
    next(),
    'previous_response_not_found',
  ],
  ['the socket is another', after(), next({}, { connected: false }), 'new_connection'],
  [
    'the endpoint is another',
    after(),
    next({}, { endpoint: `${ENDPOINT}/2`, connected: false }),
    'endpoint_changed',
  ],
  ['the model is another', after(), next({ model: 'test-model-2' }), 'model_changed'],
  ['the instructions are others', after(), next({ instructions: 'Be long.' }), 'instructions_changed'],
  ['a tool is gone', after(), next({ tools: [] }), 'tools_changed'],
  [
    'a tool is described otherwise',
    after(),
    next({ tools: [{ ...TOOL, description: 'Reads.' }] }),
    'tools_changed',
  ],
  ['the effort is another', after(), next({ reasoning_effort: 'high' }), 'settings_changed'],
  [
    'the answer has to be JSON',
    after(),
    next({ text_format: { name: 'x', schema: {} } }),
    'settings_changed',
  ],
  ['the answer is not in it', after(), next({ input: [...REQUEST.input, ASKED] }), 'input_changed'],
  [
    'only a part of the answer is in it',
    after(),
    next({ input: [...REQUEST.input, SAID, RESULT] }),
    'input_changed',
  ],
  ['nothing is new', after(), next({ input: [...REQUEST.input, SAID, CALL] }), 'input_changed'],
  [
    'an earlier item is another',
    after(),
    next({ input: [ASKED, ...next().request.input.slice(1)] }),
    'input_changed',
  ],
  ['the answer is never sent back whole', after({ output: null }), next(), 'output_not_replayed'],
])('the whole input goes out when %s', (_name, last, request, reset_reason) => {
  expect(continuationOf(last, request)).toEqual({ kind: 'full', reset_reason });
});

const item = fc
  .tuple(fc.constantFrom<'user' | 'developer'>('user', 'developer'), fc.string({ maxLength: 3 }))
  .map(([role, text]): InputItem => ({ type: 'message', role, content: [{ type: 'input_text', text }] }));
const items = fc.array(item, { maxLength: 4 });

test('what the provider remembers and what it is sent are together the whole input, or it is sent whole', () => {
  fc.assert(
    fc.property(items, items, items, (before, output, input) => {
      const last = after({ request: { ...REQUEST, input: before }, output });
      const plan = continuationOf(last, next({ input }));
      if (plan.kind === 'full') expect(plan.reset_reason).toBe('input_changed');
      else {
        expect(plan.input.length).toBeGreaterThan(0);
        expect([...before, ...output, ...plan.input]).toEqual(input);
      }
    }),
    { numRuns: searchRuns(100), seed: 20261118 },
  );
});

test('whatever extends the last exchange by at least one item is a continuation', () => {
  const more = fc.array(item, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(items, items, more, (before, output, added) => {
      const last = after({ request: { ...REQUEST, input: before }, output });
      const request = structuredClone(next({ input: [...before, ...output, ...added] }));
      expect(continuationOf(last, request)).toEqual({
        kind: 'continue',
        previous_response_id: 'resp_1',
        input: added,
      });
    }),
    { numRuns: searchRuns(100), seed: 20261118 },
  );
});
