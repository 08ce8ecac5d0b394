import { expect, test } from 'vitest';
import { requestBody, responseCreate } from '../../src/provider/request-body.ts';
import { checkRequest } from '../support/responses-server/request-check.ts';
import { REQUEST } from './requests.ts';

test('the bytes of a request are stable', () => {
  expect(JSON.stringify(requestBody(REQUEST))).toBe(
    '{"model":"test-model","instructions":"Be brief.",' +
      '"input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"Workspace root: \\"/w\\""}]},' +
      '{"type":"message","role":"user","content":[{"type":"input_text","text":"Grüße, Ärger, 🦊"}]}],' +
      '"tools":[{"type":"function","name":"read_file","description":"Reads a file.",' +
      '"parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false},' +
      '"strict":true}],"tool_choice":"auto","parallel_tool_calls":true,"store":false,' +
      '"include":["reasoning.encrypted_content"],"stream":true,"prompt_cache_key":"ll1:m_x:r_ask:s_y:t_z:k_w",' +
      '"reasoning":{"effort":"medium","summary":"auto"}}',
  );
});

test('without tools none is chosen, and without an effort no reasoning is asked for', () => {
  expect(JSON.stringify(requestBody({ ...REQUEST, input: [], tools: [], reasoning_effort: null }))).toBe(
    '{"model":"test-model","instructions":"Be brief.","input":[],"tools":[],"parallel_tool_calls":true,' +
      '"store":false,"include":["reasoning.encrypted_content"],"stream":true,' +
      '"prompt_cache_key":"ll1:m_x:r_ask:s_y:t_z:k_w"}',
  );
});

test('an answer that has to be JSON says of which schema, and a comparison with which response', () => {
  const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const body = requestBody({ ...REQUEST, text_format: { name: 'checkpoint', schema } }, 'resp_7');
  expect(Object.entries(body).slice(-2)).toEqual([
    ['text', { format: { type: 'json_schema', name: 'checkpoint', schema, strict: true } }],
    ['prompt_cache_options', { comparison_response_id: 'resp_7' }],
  ]);
});

test('over a socket the same body has a type instead of a stream, and of a continuation only what is new', () => {
  const body = requestBody(REQUEST);
  const { stream: _implied, ...same } = body;
  expect(JSON.stringify(responseCreate(body, null))).toBe(
    JSON.stringify({ type: 'response.create', ...same }),
  );
  const input = REQUEST.input.slice(1);
  expect(responseCreate(body, { previous_response_id: 'resp_7', input })).toEqual({
    type: 'response.create',
    ...same,
    previous_response_id: 'resp_7',
    input,
  });
});

test('a tool whose arguments have a part of any shape is sent as not strict', () => {
  const [strict] = REQUEST.tools;
  if (strict === undefined) throw new Error('a tool');
  const loose = { ...strict, name: 'ask_user', strict: false } as const;
  expect(requestBody({ ...REQUEST, tools: [strict, loose] }).tools.map((tool) => tool.strict)).toEqual([
    true,
    false,
  ]);
});

test('the input is sent as it is, opaque reasoning included', () => {
  const reasoning = { zeta: 1, type: 'reasoning', id: 'rs_1', summary: [], alpha: { b: 1, a: 2 } } as const;
  const body = requestBody({ ...REQUEST, input: [reasoning] });
  expect(JSON.stringify(body.input)).toBe(JSON.stringify([reasoning]));
});

const BODY = requestBody(REQUEST);
const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] };
const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] };
const called = { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{}' };
const result = { type: 'function_call_output', call_id: 'c1', output: 'x' };
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };

test.each([
  ['a plain question', [user]],
  ['a round of a call', [user, thought, called, result]],
  ['reasoning before text', [user, thought, { ...thought, id: 'rs_2' }, said, user]],
])('the scripted server accepts %s', (_name, input) => {
  expect(checkRequest({ ...BODY, input })).toBeNull();
});

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['a call without output', { input: [called] }, 'No tool output found for function call c1.'],
  [
    'an output without call',
    { input: [result] },
    'No tool call found for function call output with call_id c1.',
  ],
  [
    'an output before its call',
    { input: [result, called] },
    'No tool call found for function call output with call_id c1.',
  ],
  [
    'two calls with one id',
    { input: [called, result, called, result] },
    'Duplicate function call with call_id c1.',
  ],
  ['two outputs of one call', { input: [called, result, result] }, 'Duplicate tool output for call_id c1.'],
  [
    'one thought twice',
    { input: [thought, said, thought, said] },
    'Duplicate item found with id rs_1. Remove duplicate items from your input and try again.',
  ],
  [
    'reasoning at the end',
    { input: [user, thought] },
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    'reasoning before a user message',
    { input: [thought, user] },
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    'reasoning without its content',
    { input: [{ ...thought, encrypted_content: undefined }, said] },
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
  ],
  [
    'a user who speaks output',
    { input: [{ ...user, content: said.content }] },
    "Invalid value at 'input[0].content[0].type'.",
  ],
  ['words instead of an item', { input: ['x'] }, "Invalid type for 'input[0]'."],
  ['an item of no type', { input: [{ ...user, type: undefined }] }, "Invalid value at 'input[0].type'."],
  ['an item of another type', { input: [user, { type: 'thought' }] }, "Invalid value at 'input[1].type'."],
  ['a role that nobody has', { input: [{ ...user, role: 'tool' }] }, "Invalid value at 'input[0].role'."],
  [
    'a message without content',
    { input: [{ ...user, content: undefined }] },
    "Missing required parameter: 'input[0].content'.",
  ],
  [
    'content that is one text',
    { input: [{ ...user, content: 'x' }] },
    "Invalid type for 'input[0].content'.",
  ],
  [
    'a part without a text',
    { input: [{ ...user, content: [{ type: 'input_text' }] }] },
    "Missing required parameter: 'input[0].content[0].text'.",
  ],
  [
    'an image without its detail',
    { input: [{ ...user, content: [{ type: 'input_image', image_url: 'https://x.test/a.png' }] }] },
    "Missing required parameter: 'input[0].content[0].detail'.",
  ],
  [
    'an image from a folder',
    { input: [{ ...user, content: [{ type: 'input_image', detail: 'auto', image_url: '/a.png' }] }] },
    "Invalid value at 'input[0].content[0].image_url'.",
  ],
  ['a user who is in a phase', { input: [{ ...user, phase: null }] }, "Unknown parameter: 'input[0].phase'."],
  ['a phase that nobody knows', { input: [{ ...said, phase: 'x' }] }, "Invalid value at 'input[0].phase'."],
  [
    'a call whose arguments are an object',
    { input: [{ ...called, arguments: {} }, result] },
    "Invalid type for 'input[0].arguments'.",
  ],
  [
    'a call without a name',
    { input: [{ ...called, name: '' }, result] },
    "Invalid value at 'input[0].name'.",
  ],
  [
    'a call with a field of ours',
    { input: [{ ...called, turn_id: 't1' }, result] },
    "Unknown parameter: 'input[0].turn_id'.",
  ],
  [
    'an output without a call_id',
    { input: [called, { ...result, call_id: undefined }] },
    "Missing required parameter: 'input[1].call_id'.",
  ],
  [
    'an output that is a number',
    { input: [called, { ...result, output: 1 }] },
    "Invalid type for 'input[1].output'.",
  ],
  [
    'reasoning without its summary',
    { input: [{ ...thought, summary: undefined }, said] },
    "Missing required parameter: 'input[0].summary'.",
  ],
  [
    'reasoning without a name',
    { input: [{ ...thought, id: undefined }, said] },
    "Missing required parameter: 'input[0].id'.",
  ],
  [
    'a summary of words alone',
    { input: [{ ...thought, summary: ['x'] }, said] },
    "Invalid type for 'input[0].summary[0]'.",
  ],
  ['a stored response', { store: true }, 'store must be false'],
  ['no encrypted reasoning', { include: [] }, 'include must ask for reasoning.encrypted_content'],
  [
    'a long cache key',
    { prompt_cache_key: 'x'.repeat(65) },
    "Invalid 'prompt_cache_key': string too long. Expected at most 64.",
  ],
  [
    'an open schema',
    { tools: [{ ...BODY.tools[0], parameters: { type: 'object', properties: {}, required: [] } }] },
    "Invalid schema for function 'read_file': In context=(), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    'an optional property',
    {
      tools: [
        {
          ...BODY.tools[0],
          parameters: { type: 'object', properties: { a: {} }, required: [], additionalProperties: false },
        },
      ],
    },
    "Invalid schema for function 'read_file': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'a'.",
  ],
])('the scripted server refuses %s', (_name, change, message) => {
  expect(checkRequest({ ...BODY, input: [user], ...change })?.error.message).toBe(message);
});
