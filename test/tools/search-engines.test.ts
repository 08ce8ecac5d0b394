import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { both, engines } from './search-engines-fixture.ts';
import { searchRuns } from '../support/search-runs.ts';

const TEXT = [
  'function alpha(x) { return x; }',
  'const été = 12;  // 34',
  'FOO_BAR foo-bar foo.bar',
  'a/b\\c [d] {e} (f) $g ^h',
  '\tindented\twith tabs',
  '٣ arabic digit',
  'end$',
  '',
  'x',
].join('\n');

test.each([
  'alp.a\\(',
  '^\\s+\\w+',
  '\\bfoo\\b',
  '\\Bar',
  '[A-Z_]{3,}',
  '[^a-z ]+$',
  '\\d+',
  '\\d+;$',
  '\\w+té',
  '(?i)foo_bar',
  '(?P<n>a|b)/',
  '(?:foo|end)\\$?$',
  '[[:upper:]]+_',
  '[]d]',
  '[\\w-]+bar',
  '\\x41|\\x{46}OO',
  '\\p{L}+\\(',
  '^$',
  '^x$',
  'foo.bar',
  'foo\\.bar',
  'a/b\\\\c',
  '\\t',
  '\\S\\tw',
  '\\A.*alpha',
  'x\\z',
  'e{1,2}d',
  '\\[d\\]',
  '\\#|\\-',
])('the regular expression %j finds the same lines with both engines', async (pattern) => {
  await both({ 'a.txt': TEXT, 'crlf.txt': TEXT.replaceAll('\n', '\r\n') }, { pattern, regex: true });
});

test.each(['(', 'a{2', '[a', '\\', '\\q', 'a(?=b)', '(a)\\1', 'a\\nb', '*a'])(
  'the pattern %j is refused with a reason by both engines',
  async (pattern) => {
    for (const [, fixture] of engines()) {
      using disposed = fixture;
      disposed.write('a.txt', 'a\n');
      const said = await disposed.say('search_text', { pattern, regex: true });
      expect(said).toMatch(
        /^search_failed: The pattern was not accepted: .+\nCorrect it or set regex to false\.$/s,
      );
    }
  },
);

test(
  'generated trees and patterns give the same answer with both engines',
  async () => {
    const [withRipgrep, plain] = engines().map(([, fixture]) => fixture);
    if (withRipgrep === undefined || plain === undefined) throw new Error('two engines');
    using first = withRipgrep;
    using second = plain;
    const word = fc.constantFrom('ab', 'a', 'b', 'é', '😀', '.', ' ', '\n', '\r\n', '\t', 'AB', '_', '1');
    const content = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));
    const name = fc.constantFrom(
      'a.ts',
      'b.js',
      'a/c.ts',
      'a/b/d.ts',
      'a-b.ts',
      'Z.ts',
      '.h/x.ts',
      'é.ts',
      '😀.ts',
      '\uFF5E.ts',
    );
    const pattern = fc.constantFrom(
      'a',
      'ab',
      'b.',
      'é',
      '^a',
      'b$',
      '\\w+',
      '\\W',
      '[^a]b',
      '\\d',
      '\\s$',
      'a|1',
      '😀',
      '.',
      '\\bab',
      'A',
    );
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, content, { maxKeys: 6 }),
        pattern,
        fc.boolean(),
        fc.constantFrom(undefined, '*.ts', 'a/**', '[a-z].ts', '{a,b}*'),
        async (files, wanted, regex, glob) => {
          round += 1;
          for (const fixture of [first, second]) {
            fixture.write(`r${round}/keep`, '');
            for (const [file, text] of Object.entries(files)) fixture.write(`r${round}/${file}`, text);
          }
          const args = { pattern: wanted, regex, glob, path: `r${round}` };
          expect(await second.say('search_text', args)).toBe(await first.say('search_text', args));
        },
      ),
      { numRuns: searchRuns(20), seed: 7 },
    );
  },
  searchRuns(60_000),
);
