import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProviderEvent } from '../../src/runtime/ports.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { call, completed, delta, done, fold, message } from './stream-folding.ts';
import { searchRuns } from '../support/search-runs.ts';

function malformed(what: string): ProviderEvent {
  return {
    kind: 'failed',
    failure: { kind: 'malformed_stream', message: `The stream is malformed: ${what}.` },
  };
}

test.each<[string, unknown]>([
  ['a frame is not an object', null],
  ['a frame is not an object', 'text'],
  ['a frame has no type', {}],
  ['a frame has no type', { type: 7 }],
  ['a text delta has no text', delta(7)],
  ['a refusal delta has no text', { type: 'response.refusal.delta' }],
  ['a reasoning delta has no text', { type: 'response.reasoning_text.delta', delta: {} }],
  ['an output item is not an object', done('x')],
  ['an output item has no type', done({})],
  ['a message has no content list', done({ type: 'message' })],
  ['a part of a message has no type', done({ type: 'message', content: [null] })],
  ['a part of type output_text has no text', done({ type: 'message', content: [{ type: 'output_text' }] })],
  ['a function call has no call_id', done(call({ call_id: undefined }))],
  ['a function call has no call_id', done(call({ call_id: '' }))],
  ['a function call has no name', done(call({ name: null }))],
  ['a function call has no arguments', done(call({ arguments: { path: 'x' } }))],
  ['response.completed has no response', { type: 'response.completed' }],
  ['the status of a response is not a text', completed({ status: 1 })],
  ['the response ended with status in_progress', completed({ status: 'in_progress' })],
  ['a function call has no call_id', completed({ output: [call({ call_id: null })] })],
])('%s: the stream is malformed', (what, frame) => {
  expect(fold([frame])).toEqual([malformed(what)]);
});

test('two different calls with one call_id are malformed', () => {
  expect(fold([done(call()), done(call({ arguments: '{"a":1}' }))]).at(-1)).toEqual(
    malformed('two different function calls have the same call_id'),
  );
});

test('no sequence of frames breaks the fold, and it ends with exactly one terminal event', () => {
  const type = fc.constantFrom(
    ...responseEvents({ reasoning: { summary: ['s'] }, text: 'x', calls: [call() as never] }).map(
      (e) => e.type,
    ),
    'error',
    'response.failed',
    'response.incomplete',
    'response.unheard_of',
  );
  const frame = fc.oneof(
    fc.jsonValue(),
    fc.record({ type, delta: fc.jsonValue(), item: fc.jsonValue(), response: fc.jsonValue() }),
    fc.record({ type, delta: fc.string(), item: fc.constantFrom(message('m'), call(), { type: 'odd' }) }),
  );
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 30 }), (frames) => {
      const events = fold(frames);
      const terminal = events.filter(({ kind }) => kind === 'completed' || kind === 'failed');
      expect(terminal).toEqual([events.at(-1)]);
    }),
    { seed: 7, numRuns: searchRuns(500) },
  );
});
