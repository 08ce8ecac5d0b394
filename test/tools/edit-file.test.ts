import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Fixture } from './tool-fixture.ts';

test('an edit replaces the one place that matches', async () => {
  using fixture = new Fixture();
  fixture.write('a.ts', 'const a = 1;\nconst b = 2;\n');
  expect(await fixture.say('edit_file', { path: 'a.ts', old_text: 'b = 2', new_text: 'b = $& $1' })).toBe(
    'Changed a.ts: 1 replacement, +1 -1 lines.\n@@ line 1 @@\n const a = 1;\n-const b = 2;\n+const b = $& $1;',
  );
  expect(fixture.read('a.ts')).toBe('const a = 1;\nconst b = $& $1;\n');
});

test('an edit that matches several places needs more context or replace_all', async () => {
  using fixture = new Fixture();
  fixture.write('a.ts', 'x\ny\nx\nx\n');
  expect(await fixture.run('edit_file', { path: 'a.ts', old_text: 'x', new_text: 'z' })).toEqual({
    kind: 'failure',
    error: {
      kind: 'many_matches',
      message:
        'old_text was found 3 times in a.ts, at lines 1, 3, 4. Add context to old_text, or set replace_all.',
      details: { count: 3, lines: [1, 3, 4] },
    },
    changes: [],
  });
  expect(
    await fixture.say('edit_file', { path: 'a.ts', old_text: 'x', new_text: 'z', replace_all: true }),
  ).toBe(
    'Changed a.ts: 3 replacements, +3 -3 lines.\n@@ line 1 @@\n-x\n+z\n y\n z\n@@ line 1 @@\n z\n y\n-x\n-x\n+z\n+z',
  );
  expect(fixture.read('a.ts')).toBe('z\ny\nz\nz\n');
});

test('an edit that matches nothing names the closest line', async () => {
  using fixture = new Fixture();
  fixture.write('a.ts', 'import x;\n\nfunction  alpha(a) {\n}\n');
  expect(
    await fixture.say('edit_file', { path: 'a.ts', old_text: 'function alpha(a) {', new_text: 'y' }),
  ).toBe(
    'no_match: old_text was not found in a.ts; the closest line is 3: function  alpha(a) {\n' +
      'Read the file again and copy the text exactly, with its spaces.',
  );
  expect(await fixture.say('edit_file', { path: 'a.ts', old_text: 'zzz', new_text: 'y' })).toBe(
    'no_match: old_text was not found in a.ts. Read the file again and copy the text exactly.',
  );
  expect(await fixture.say('edit_file', { path: 'b.ts', old_text: 'z', new_text: 'y' })).toBe(
    'not_found: b.ts does not exist. Use write_file to create it.',
  );
});

test.each([
  ['CRLF everywhere', '\uFEFFa\r\nb\r\nc\r\n', 'a\nb', 'A\nX\nB', '\uFEFFA\r\nX\r\nB\r\nc\r\n'],
  ['one line of a CRLF file', 'a\r\nb\r\n', 'b', 'b1\nb2', 'a\r\nb1\r\nb2\r\n'],
  ['CRLF asked of an LF file', 'a\nb\nc\n', 'a\r\nb', 'A\r\nB', 'A\nB\nc\n'],
  ['mixed line ends', 'a\r\nb\nc\r\nd\n', 'b\nc', 'B\nC', 'a\r\nB\nC\r\nd\n'],
  ['mixed, in one match', 'a\r\nb\nc\n', 'a\nb\nc', 'x\ny', 'x\r\ny\n'],
  ['special characters', 'a.*(b)\r\nc\r\n', 'a.*(b)\nc', '$&\\1\nd', '$&\\1\r\nd\r\n'],
])('an edit keeps the line ends of the file: %s', async (_, before, old_text, new_text, after) => {
  using fixture = new Fixture();
  fixture.write('a.txt', before);
  expect(await fixture.run('edit_file', { path: 'a.txt', old_text, new_text })).toMatchObject({
    kind: 'success',
  });
  expect(fixture.read('a.txt')).toBe(after);
});

test('bytes that are no valid text survive an edit elsewhere in the file', async () => {
  using fixture = new Fixture();
  fixture.write('latin.txt', Buffer.from('caf\xe9\nold\n', 'latin1'));
  await fixture.run('edit_file', { path: 'latin.txt', old_text: 'old', new_text: 'new' });
  expect(readFileSync(fixture.path('latin.txt'))).toEqual(Buffer.from('caf\xe9\nnew\n', 'latin1'));
  expect(
    await fixture.run('edit_file', { path: 'latin.txt', old_text: 'new', new_text: 'né' }),
  ).toMatchObject({
    error: { kind: 'binary_file' },
  });
  fixture.write('bin', Buffer.from([1, 0, 2]));
  expect(await fixture.run('edit_file', { path: 'bin', old_text: '\u0001', new_text: 'x' })).toMatchObject({
    error: { kind: 'binary_file' },
  });
});
