import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLine, toLine } from '../../src/runtime/event-line.ts';
import { made, oneOfEach } from '../support/made-events.ts';
import { legalLog } from './replay/legal-log.ts';
import { story } from './replay/legal-story.ts';
import { searchRuns } from '../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

function lineWith(change: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...oneOfEach().user_message, ...change });
}

function resultWith(more: object): string {
  const event = oneOfEach().tool_result;
  return JSON.stringify({ ...event, data: { ...event.data, error: {}, ...more } });
}

function bodyOf(field: string): object {
  return { blob_bodies: [null, { field, encoding: 'json' }] };
}

describe('a line of the log', GENERATED, () => {
  it('gives the event it was made of, for every type there is', () => {
    for (const event of Object.values(oneOfEach())) {
      expect(parseLine(toLine(event))).toEqual({ ok: true, event });
    }
  });

  it('is the same bytes when it is written again', () => {
    const property = fc.property(story, (told) => {
      for (const event of legalLog(told).events) {
        const line = toLine(event);
        const parsed = parseLine(line);
        expect(parsed.ok ? toLine(parsed.event) : parsed.reason).toBe(line);
      }
    });
    fc.assert(property, { numRuns: searchRuns(20), seed: 20260108 });
  });

  it('keeps fields that this version does not know', () => {
    const event = made('diagnostic', 0, { ...oneOfEach().diagnostic.data, mood: 'curious' } as never);
    expect(parseLine(toLine(event))).toEqual({ ok: true, event });
  });

  it.each([
    ['a type of a later version', { type: 'telepathy', data: { b: 1, a: [2] } }],
    ['a type of a later version without data', { type: 'telepathy', data: null }],
    ['a known type in a later format', { v: 7, data: { text: 9 } }],
  ])('with %s is kept as unknown, and written as it was read', (_, change) => {
    const line = lineWith(change);
    const parsed = parseLine(line);
    if (!parsed.ok) throw new Error(parsed.reason);
    const { type, data } = JSON.parse(line) as { readonly type: string; readonly data: unknown };
    expect([parsed.event.type, parsed.event.data]).toEqual([
      'unknown',
      { original_type: type, original: data },
    ]);
    expect(toLine(parsed.event)).toBe(line);
  });

  it('of version 0 is brought up to date', () => {
    const ts = Date.UTC(2026, 0, 1);
    expect(parseLine(lineWith({ v: 0, ts }))).toEqual({ ok: true, event: oneOfEach().user_message });
  });

  it('may have {} for an object only where it says that the body is elsewhere', () => {
    const lines = [{}, bodyOf('output'), bodyOf('error'), { error: 7, ...bodyOf('error') }];
    expect(lines.map((more) => parseLine(resultWith(more)).ok)).toEqual([false, false, true, false]);
  });

  it.each([
    ['{"v":1', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    [lineWith({ v: 'one' }), 'no version'],
    [lineWith({ v: -1 }), 'version -1 is not known'],
    [lineWith({ seq: -1 }), 'no seq'],
    [lineWith({ seq: 1.5 }), 'no seq'],
    [lineWith({ id: 7 }), 'id, session_id or ts is missing'],
    [lineWith({ ts: null }), 'id, session_id or ts is missing'],
    [lineWith({ type: 7 }), 'no type'],
    [lineWith({ data: 'text' }), 'user_message has no data'],
    [lineWith({ data: { turn_id: 't', text: 7 } }), 'user_message.text is not a string'],
    [
      lineWith({ data: { turn_id: 't', text: '', client_turn_id: 'k', attachments: {} } }),
      'user_message.attachments is not a list, each of it an object with kind (a string), label (a string), path (a string), text (a string), mime (a string), data (a string), start_line (a number), end_line (a number), sha256 (a string), bytes (a number), width (a number), height (a number)',
    ],
    [
      lineWith({ type: 'reasoning', data: { turn_id: 't', stream_run_id: 'r' } }),
      'reasoning.item is not there',
    ],
  ])('that is damaged is refused with a reason: %s', (line, reason) => {
    expect(parseLine(line)).toEqual({ ok: false, reason });
  });
});
