import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameTooLarge, SseFrames } from '../../src/provider/sse-frames.ts';
import { encodeEvents } from '../support/responses-server/sse-encoding.ts';
import { searchRuns } from '../support/search-runs.ts';

const LIFE = 'data: {"type":"ledgerline.keep_alive"}\n\n';

function read(pieces: readonly (Uint8Array | string)[], maxFrame = 1_000_000): string {
  const frames = new SseFrames({ maxFrame });
  const encoder = new TextEncoder();
  const out = pieces.map((piece) => frames.push(typeof piece === 'string' ? encoder.encode(piece) : piece));
  return out.join('') + frames.end();
}

test.each([
  ['a plain frame', 'event: a\ndata: {}\n\n', 'event: a\ndata: {}\n\n'],
  ['fields we have no use for', 'id: 1\nretry: 5\nodd\ndata: {}\n\n', 'data: {}\n\n'],
  ['only the first space after the colon', 'data:  {} \n\n', 'data:  {} \n\n'],
  ['a comment inside a frame', 'event: a\n: x\ndata: {}\n\n', `${LIFE}event: a\ndata: {}\n\n`],
  ['a comment alone', ': x\n\n:\n\n', LIFE + LIFE],
  ['an event without data', 'event: ping\n\n', LIFE],
  ['data without content', 'data\n\ndata: \ndata:\n\n', LIFE + LIFE],
  ['more blank lines than needed', '\n\n\r\n\rdata: {}\n\n\n\n', 'data: {}\n\n'],
  ['an end without a blank line', 'data: {"a":1}', 'data: {"a":1}\n\n'],
  ['an end inside a frame', 'data: {}\n\ndata: {"a":', 'data: {}\n\n'],
  ['an end inside a field name', 'data: {}\n\ndat', 'data: {}\n\n'],
  ['nothing', '', ''],
])('%s', (_name, given, expected) => {
  expect(read([given])).toBe(expected);
});

test('the pieces in which bytes arrive make no difference', () => {
  const event = fc.record({ type: fc.string(), text: fc.string({ unit: 'binary' }) });
  const style = fc.record(
    {
      newline: fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const),
      noSpace: fc.boolean(),
      noNames: fc.constant(true),
      multiline: fc.boolean(),
      comments: fc.boolean(),
    },
    { requiredKeys: ['noNames'] },
  );
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), style, cuts, (events, chosen, at) => {
      const all = new TextEncoder().encode(encodeEvents(events, chosen));
      const borders = [0, ...at.toSorted((a, b) => a - b), all.length];
      const pieces = borders.slice(1).map((to, index) => all.subarray(borders[index], to));
      const data = read(pieces)
        .split('\n\n')
        .filter((frame) => frame !== '' && `${frame}\n\n` !== LIFE)
        .map((frame) => JSON.parse(frame.replaceAll(/^data: /gmu, '')) as unknown);
      expect(data).toEqual(events);
    }),
    { seed: 11, numRuns: searchRuns(500) },
  );
});

test('a frame that grows past the limit is refused, in one line or in many', () => {
  const long = 'x'.repeat(60);
  expect(() => read([`data: ${long}`, long], 100)).toThrow(FrameTooLarge);
  expect(() => read([`data: ${long}\n`, `data: ${long}\n`], 100)).toThrow(FrameTooLarge);
  expect(read([`data: "${long}"\n\n`, `data: "${long}"\n\n`, `data: "${long}"\n\n`], 100)).toBe(
    `data: "${long}"\n\n`.repeat(3),
  );
});
