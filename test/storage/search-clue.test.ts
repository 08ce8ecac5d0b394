import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextClue } from '../../src/storage/search-clue.ts';
import { searchRuns } from '../support/search-runs.ts';

/** Everything that has an upper and a lower case, and what is escaped. */
const CHARACTERS = Array.from('abkißzKİIiıſsSẞäÄÅåÅσςΣЖжĀāǅǆႠ𐐀𐐨日本😀"\\/ \n\t\u001b\u2028é<');

function found(text: string, line: string): boolean {
  return new TextClue([text]).places(Buffer.from(line)).length > 0;
}

describe('a clue', () => {
  it('points at every line that has the text, in any case, at any depth of JSON', () => {
    const word = fc.array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(word, word, word, fc.boolean(), (before, said, after, upper) => {
        const text = [...before, ...said, ...after].join('');
        const sought = upper ? said.join('').toUpperCase() : said.join('');
        fc.pre(text.toLowerCase().includes(sought.toLowerCase()));
        const once = `${JSON.stringify({ text })}\n`;
        const twice = `${JSON.stringify({ args: JSON.stringify({ text }) })}\n`;
        expect([found(sought, once), found(sought, twice)]).toEqual([true, true]);
      }),
      { numRuns: searchRuns(2000), seed: 4 },
    );
  });

  it('knows every character whose lower case is ASCII', () => {
    const some: string[] = [];
    for (let code = 0x80; code < 0x20000; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      if (/\p{ASCII}/u.test(character.toLowerCase())) some.push(character);
    }
    expect(some).toEqual(['\u0130', '\u212a']);
  });

  it('knows every small letter that has a capital of other bytes', () => {
    const missed: string[] = [];
    for (let code = 0x80; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const capital = String.fromCodePoint(code);
      const small = capital.toLowerCase();
      if (small !== capital && !found(small, `${capital}\n`)) missed.push(capital);
    }
    expect(missed).toEqual([]);
  });

  it('points at one place a line, at the very first byte and at the very last one', () => {
    const bytes = Buffer.from('needle needle\nnothing\nthe NEEDLE\nneedle');
    expect(new TextClue(['needle']).places(bytes)).toEqual([0, 26, 33]);
  });

  it('leaves out what has nothing of it, such as most of a log', () => {
    expect(found('zebra', '{"text":"the parser \\u001b[31m keeps a line"}\n')).toBe(false);
    expect(found('grüße', '{"text":"GRUSSE"}\n')).toBe(false);
  });

  it('points at what is in a body elsewhere, and at what others have escaped', () => {
    expect(found('zebra', '{"blob_bodies":[]}\n')).toBe(true);
    expect(found('zebra', String.raw`{"text":"\u007aebra"}` + '\n')).toBe(true);
    expect(found('a/b', String.raw`{"text":"a\/b"}` + '\n')).toBe(true);
  });
});
