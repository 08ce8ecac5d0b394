import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hunksOf, isTakenBack } from '../../src/runtime/line-hunks.ts';
import { searchRuns } from '../support/search-runs.ts';

const text = (...lines: readonly string[]): string => lines.join('\n');

const many = (words: string): string => text(...Array.from({ length: 3000 }, (_, at) => `${words} ${at}`));

describe('lines that differ', () => {
  it('are found exactly, with what stays between them', () => {
    expect(hunksOf(text('a', 'b', 'c', 'd'), text('a', 'X', 'c', 'Y', 'd'))).toEqual([
      { from: 1, to: 2 },
      { from: 3, to: 3 },
    ]);
    expect(hunksOf(text('a', 'b'), text('a', 'b'))).toEqual([]);
    expect(hunksOf('', 'a')).toEqual([{ from: 0, to: 1 }]);
  });

  it('are none of those that both texts have in the same order', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const hunks = hunksOf(one.join('\n'), other.join('\n')) ?? [];
        const left = one.join('\n').split('\n');
        const kept = left.filter((_, at) => !hunks.some(({ from, to }) => from <= at && at < to));
        let next = 0;
        for (const line of other.join('\n').split('\n')) if (line === kept[next]) next += 1;
        expect(next).toBe(kept.length);
        expect(hunks.every(({ from, to }, at) => from <= to && from >= (hunks[at - 1]?.to ?? 0))).toBe(true);
      }),
      { numRuns: searchRuns(300), seed: 1 },
    );
  });

  it('are not looked for in texts that are too large', () => {
    expect(hunksOf(many('one'), many('other'))).toBeNull();
    expect(isTakenBack({ made: many('one'), before: many('other'), now: many('third') })).toBeNull();
  });
});

describe('a change', () => {
  const before = text('1', 'old', '3', '4', '5');
  const made = text('1', 'new', '3', '4', '5', 'added');

  it('is taken back where the text is what it was, also beside later lines of somebody', () => {
    expect(isTakenBack({ made, before, now: before })).toBe(true);
    expect(isTakenBack({ made, before, now: text('mine', '1', 'old', '3', '4', '5') })).toBe(true);
  });

  it('is taken back where somebody wrote something third in its place', () => {
    expect(isTakenBack({ made, before, now: text('1', 'third', '3', '4', '5') })).toBe(true);
  });

  it('is not where a part of it stands', () => {
    expect(isTakenBack({ made, before, now: text('1', 'old', '3', '4', '5', 'added') })).toBe(false);
    expect(isTakenBack({ made, before, now: text('1', 'new', '3', 'mine', '5') })).toBe(false);
    expect(isTakenBack({ made, before, now: made })).toBe(false);
  });

  it('is not where only some of the lines that it wrote in a row are others', () => {
    const lines = { before: text('1', 'a', 'b', 'c', '5'), made: text('1', 'A', 'B', 'C', '5') };
    expect(isTakenBack({ ...lines, now: text('1', 'A', 'mine', 'C', '5') })).toBe(false);
    expect(isTakenBack({ ...lines, now: text('1', 'a', 'mine', 'c', '5') })).toBe(true);
  });

  it('is not where its lines stand elsewhere, further in or with other line ends', () => {
    expect(isTakenBack({ made, before, now: text('1', '3', '4', '5', 'new') })).toBe(false);
    expect(isTakenBack({ made, before, now: text('1', '  new', '3', '4', '5') })).toBe(false);
    const windows = { before: text('1\r', 'old\r', '3'), made: text('1\r', 'new\r', '3') };
    expect(isTakenBack({ ...windows, now: text('1', 'new', '3', 'mine') })).toBe(false);
    expect(isTakenBack({ ...windows, now: text('1', 'old', '3', 'mine') })).toBe(true);
  });

  it('that wrote a line as there was one before is taken back where that one stands', () => {
    const again = { before: text('{', '}', 'x'), made: text('{', '}', '{', '}', 'x') };
    expect(isTakenBack({ ...again, now: text('{', '}', 'mine') })).toBe(true);
  });

  it('that only changed line ends is taken back where they are as they were', () => {
    const ends = { before: text('1\r', '2\r', ''), made: text('1', '2', '') };
    expect(isTakenBack({ ...ends, now: text('1\r', '2\r', 'mine\r', '') })).toBe(true);
    expect(isTakenBack({ ...ends, now: text('1', '2', 'mine', '') })).toBe(false);
  });

  it('that only removed lines is not taken back by another line beside them', () => {
    const removed = { before: text('1', '2', '3'), made: text('1', '3') };
    expect(isTakenBack({ ...removed, now: text('1', 'THREE') })).toBe(false);
    expect(isTakenBack({ ...removed, now: text('1', '2', 'THREE') })).toBe(true);
  });

  it('that only removed lines is taken back where there are lines again', () => {
    const removed = text('1', '3');
    expect(isTakenBack({ made: removed, before: text('1', '2', '3'), now: text('1', '2', '3', '4') })).toBe(
      true,
    );
    expect(isTakenBack({ made: removed, before: text('1', '2', '3'), now: text('1', '3', '4') })).toBe(false);
  });
});
