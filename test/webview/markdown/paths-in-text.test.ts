import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathInCode, pathsInText } from '../../../src/presenter/markdown/paths-in-text.ts';
import { blocksOf } from './markdown-texts.ts';

function linked(text: string, before = ''): readonly string[] {
  return pathsInText(text, before).flatMap((part) =>
    typeof part === 'string' ? [] : [`${part.words} = ${part.place.path}:${part.place.line ?? ''}`],
  );
}

const PATHS = [
  ['src/a.ts:9', 'src/a.ts', 9],
  ['src/$lib/a.ts:9', 'src/$lib/a.ts', 9],
  ['app/[id]/page.tsx:1', 'app/[id]/page.tsx', 1],
  ['app/[[...slug]]/page.tsx:1', 'app/[[...slug]]/page.tsx', 1],
  ['app/(auth)/page.tsx:1', 'app/(auth)/page.tsx', 1],
  ['src/@types/a+b~1.d.ts:3', 'src/@types/a+b~1.d.ts', 3],
  ['src/c/index.ts:12-20', 'src/c/index.ts', 12],
  ['src/c/index.ts#L12-L20', 'src/c/index.ts', 12],
  ['src\\a\\index.ts:1', 'src/a/index.ts', 1],
  ['C:\\w\\a.ts:4', 'C:/w/a.ts', 4],
  ['Makefile:3', 'Makefile', 3],
  ['docker/Dockerfile:3', 'docker/Dockerfile', 3],
  ['.gitignore:3', '.gitignore', 3],
  ['./.env.example:2', './.env.example', 2],
] as const;

describe.each(PATHS)('%s', (words, path, line) => {
  test('is linked in text, and in brackets or quotes', () => {
    const whole = [`${words} = ${path}:${line}`];
    for (const text of [words, `See ${words}.`, `(${words})`, `at fn (${words}), then`, `"${words}"`])
      expect([text, linked(text)]).toEqual([text, whole]);
  });

  test('is linked in code', () => {
    expect(pathInCode(words)).toMatchObject({ path, line });
  });
});

describe('no tail of a path is linked', () => {
  test.each([
    'src/my notes.txt:1',
    'src/my dir/notes.txt:1',
    'C:\\Program Files\\a.ts:1',
    'src/a*b.ts:1',
    'src/*.ts:1',
    'src/a,b.ts:1',
    'src/{a,b}/c.ts:1',
    'app/[a b]/page.tsx:1',
    'app/(a/page.tsx:1',
    '~/a.ts:1',
    'https://example.org/a.ts:1',
    "it's/a.ts:1",
    'x=src/a.ts:1',
  ])('%s', (text) => {
    expect(linked(text)).toEqual([]);
  });

  test('nor where emphasis cuts a path into pieces', () => {
    for (const text of ['src/__tests__/a.ts:3', 'src/**a.ts:3**', 'src/\\_a.ts:3', '`src`/a.ts:3'])
      expect([text, JSON.stringify(blocksOf(text)).includes('"place":{')]).toEqual([text, false]);
    expect(JSON.stringify(blocksOf('See **src/a.ts:3**'))).toContain('"place":{');
  });

  test('and a path after a path is one of its own', () => {
    expect(linked('src/a.ts:1 src/b.ts:2, and/or: c.ts:3')).toHaveLength(3);
  });
});

test('words with a number are no files', () => {
  expect(['Chapter:3', 'localhost:8080', '12:30', 'e.g. 3:4'].flatMap((text) => linked(text))).toEqual([]);
});

test('splitting loses nothing of the text', () => {
  const piece = fc.constantFrom(
    ...PATHS.map(([words]) => words),
    ' ',
    '(',
    ')',
    'word',
    '/',
    '\\',
    '.',
    ':1',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.array(piece, { maxLength: 5 }), (text, before) => {
      const parts = pathsInText(text.join(''), before.join(''));
      expect(parts.map((part) => (typeof part === 'string' ? part : part.words)).join('')).toBe(
        text.join(''),
      );
    }),
    { seed: 20261117 },
  );
});

test('time grows with the text and no faster', () => {
  const began = process.cpuUsage();
  for (const piece of ['a/', '[a', '(a)', 'a.', ' a/b ', '\\a', 'a b/', '[[a]]/', '.a', 'C:\\a '])
    pathsInText(piece.repeat(100_000));
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000).toBeLessThan(3_000);
});
