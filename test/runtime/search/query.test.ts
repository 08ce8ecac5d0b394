import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasFilters,
  NO_QUERY,
  parseQuery,
  typed,
  type ParsedQuery,
} from '../../../src/runtime/search/query.ts';
import type { LocalDays } from '../../../src/runtime/search/query-dates.ts';

const HOUR = 3_600_000;

/** Somewhere two hours east of Greenwich, on the afternoon of 17 November 2026. */
const DAYS: LocalDays = {
  now: Date.UTC(2026, 10, 17, 13, 30),
  today: { year: 2026, month: 11, day: 17 },
  at: (year, month, day, hour = 0, minute = 0) => Date.UTC(year, month - 1, day, hour, minute) - 2 * HOUR,
};

function parse(line: string): ParsedQuery {
  return parseQuery(line, DAYS);
}

function local(text: string): number {
  return Date.parse(`${text}+02:00`);
}

describe('a line of a search', () => {
  it('is words and filters, in any order', () => {
    const { query, problems } = parse(
      'state:failed tool:run_command file:src/** after:2026-11-01 "exact words" words',
    );
    expect({ query, problems }).toEqual({
      query: {
        terms: ['exact words', 'words'],
        states: ['failed'],
        tools: ['run_command'],
        files: ['src/**'],
        from_ms: local('2026-11-01T00:00'),
        to_ms: null,
      },
      problems: [],
    });
  });

  it('takes any of several values of a filter, and their names in any case', () => {
    const { query } = parse('STATE:Failed,timed-out state:failed Tool:read_file,run_* file:a,b.ts file:c');
    expect(query).toEqual({
      ...NO_QUERY,
      states: ['failed', 'timed_out'],
      tools: ['read_file', 'run_*'],
      files: ['a,b.ts', 'c'],
    });
  });

  it.each([
    ['http://host:80/x error: foo:bar', ['http://host:80/x', 'error:', 'foo:bar']],
    ['"state:failed"', ['state:failed']],
    ['say "half done', ['say', 'half done']],
    [String.raw`"a \"quoted\" word" C:\new \"x`, ['a "quoted" word', String.raw`C:\new`, '"x']],
    ['it"s 5"', ['it"s', '5"']],
    ['  日本語\u3000😀  ', ['日本語', '😀']],
    ['"" x "y"z', ['x', 'y', 'z']],
  ])('reads %s as text', (line, terms) => {
    expect(parse(line)).toMatchObject({ query: { ...NO_QUERY, terms }, problems: [] });
  });

  it('may be filters alone', () => {
    expect(parse('state:waiting')).toMatchObject({
      query: { ...NO_QUERY, states: ['waiting'] },
      problems: [],
    });
    expect(parse('file:"my file.ts" x')).toMatchObject({
      query: { ...NO_QUERY, files: ['my file.ts'], terms: ['x'] },
      problems: [],
    });
  });

  it('takes a folder of Windows as it is written, also where a backslash stands before the last quote', () => {
    expect(parse(String.raw`"D:\x y\z" \\host\share file:"C:\my work\"`).query).toEqual({
      ...NO_QUERY,
      files: ['C:\\my work\\'],
      terms: [String.raw`D:\x y\z`, String.raw`\\host\share`],
    });
    expect(parse(String.raw`"C:\my work\"`).query.terms).toEqual(['C:\\my work\\']);
    expect(parse(String.raw`"C:\my work\" failed`).query.terms).toEqual(['C:\\my work\\', 'failed']);
    expect(parse(String.raw`"say \"hi\" to" me`).query.terms).toEqual(['say "hi" to', 'me']);
  });

  it.each(['猫', '😀', 'ß', '"\u00fc"'])('can be %s alone: it is a word, or as good as one', (line) => {
    expect(parse(line).problems).toEqual([]);
  });

  it.each([
    ['state:', { kind: 'no_value', filter: 'state' }],
    ['before: the test', { kind: 'no_value', filter: 'before' }],
    ['file:""', { kind: 'no_value', filter: 'file' }],
    ['words state:,', { kind: 'no_value', filter: 'state' }],
    ['tool:,, words', { kind: 'no_value', filter: 'tool' }],
    ['file:./ words', { kind: 'no_value', filter: 'file' }],
    ['state:failed,faild', { kind: 'unknown_state', value: 'faild' }],
    ['after:2026-02-30', { kind: 'bad_date', filter: 'after', value: '2026-02-30' }],
    ['after:0099', { kind: 'bad_date', filter: 'after', value: '0099' }],
    ['on:soon', { kind: 'bad_date', filter: 'on', value: 'soon' }],
    ['before:2026-11-01T25:00', { kind: 'bad_date', filter: 'before', value: '2026-11-01T25:00' }],
    ['after:2026-11-02 before:2026-11-01', { kind: 'no_time' }],
    ['x', { kind: 'too_short' }],
    ['   ', { kind: 'too_short' }],
    ['x'.repeat(1001), { kind: 'too_long' }],
  ])('says what is wrong with %s', (line, problem) => {
    expect(parse(line).problems).toEqual([problem]);
  });

  it.each([
    ['after:2026-11-01', '2026-11-01T00:00', null],
    ['before:2026-11-01', null, '2026-11-01T00:00'],
    ['on:2026-11-01', '2026-11-01T00:00', '2026-11-02T00:00'],
    ['on:2026-11', '2026-11-01T00:00', '2026-12-01T00:00'],
    ['on:2026-12', '2026-12-01T00:00', '2027-01-01T00:00'],
    ['on:2025', '2025-01-01T00:00', '2026-01-01T00:00'],
    ['on:today', '2026-11-17T00:00', '2026-11-18T00:00'],
    ['after:Yesterday', '2026-11-16T00:00', null],
    ['after:7d', '2026-11-10T00:00', null],
    ['before:2w', null, '2026-11-03T00:00'],
    ['after:3h', '2026-11-17T12:30', null],
    ['after:2026-11-01T14:30', '2026-11-01T14:30', null],
    ['after:2026-11-01T14:30:00Z', '2026-11-01T16:30', null],
    ['after:2026-11-01 after:2026-11-05 before:2026-11-09', '2026-11-05T00:00', '2026-11-09T00:00'],
  ])('knows the days of the person in %s', (line, from, to) => {
    const { query, problems } = parse(line);
    expect({ query, problems }).toEqual({
      query: {
        ...NO_QUERY,
        from_ms: from === null ? null : local(from),
        to_ms: to === null ? null : local(to),
      },
      problems: [],
    });
  });

  it('loses nothing: what stands between its words is space, and each word is where it says', () => {
    const piece = fc.constantFrom(
      'state:failed',
      'tool:',
      '"',
      '\\"',
      'a b',
      ' ',
      'x:y',
      'on:1d',
      '\t',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const line = pieces.join('');
        let at = 0;
        for (const { start, end } of parse(line).words) {
          expect(line.slice(at, start).trim()).toBe('');
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(line.slice(at).trim()).toBe('');
      }),
      { seed: 3 },
    );
  });

  it('reads a value that was put in for a person as that value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
        const wanted = value.toWellFormed();
        fc.pre(wanted.length < 900 && !wanted.startsWith('\\"'));
        const { query } = parse(`file:${typed(wanted)} rest`);
        expect(query).toEqual({ ...NO_QUERY, files: [wanted], terms: ['rest'] });
        expect(hasFilters(query)).toBe(true);
      }),
      { seed: 5 },
    );
  });
});
