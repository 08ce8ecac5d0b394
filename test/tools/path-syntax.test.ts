import { expect, test } from 'vitest';
import { checkPathSyntax, foldName, segmentsBelow, type Platform } from '../../src/tools/path-syntax.ts';

const refused: readonly (readonly [Platform, string])[] = [
  ['linux', ''],
  ['linux', '   '],
  ['linux', 'a\0b'],
  ['linux', 'a\nb'],
  ['linux', '~'],
  ['linux', '~/.bashrc'],
  ['linux', 'file:///etc/passwd'],
  ['linux', 'file:/etc/passwd'],
  ['linux', 'https://example.com/a'],
  ['linux', 'vscode-remote://ssh/a'],
  ['linux', 'src\\a.ts'],
  ['linux', 'C:\\Users'],
  ['linux', 'a'.repeat(5_000)],
  ['darwin', 'src\\a.ts'],
  ['win32', '~\\x'],
  ['win32', '\\\\?\\C:\\x'],
  ['win32', '\\\\.\\PhysicalDrive0'],
  ['win32', '//./pipe/x'],
  ['win32', 'C:x'],
  ['win32', 'a.txt:stream'],
  ['win32', 'a.txt::$DATA'],
  ['win32', 'C:\\ws\\a.txt:stream'],
  ['win32', 'nul'],
  ['win32', 'src\\CON.txt'],
  ['win32', 'com1.log'],
  ['win32', 'lpt\u00b9'],
  ['win32', 'CONIN$'],
  ['win32', 'aux .txt'],
  ['win32', '.git.'],
  ['win32', '.git '],
  ['win32', 'a. \\b'],
  ['win32', 'a?b'],
  ['win32', 'a|b'],
];

test.each(refused)('on %s the path %j is refused', (platform, path) => {
  expect(checkPathSyntax(path, platform)).toMatchObject({ ok: false, error: { kind: 'invalid_path' } });
});

const allowed: readonly (readonly [Platform, string])[] = [
  ['linux', 'src/a.ts'],
  ['linux', '../x'],
  ['linux', '/etc/passwd'],
  ['linux', 'a:b.txt'],
  ['linux', 'nul'],
  ['linux', 'name.'],
  ['linux', '~backup'],
  ['linux', 'ünïcode/日本.txt'],
  ['win32', 'src\\a.ts'],
  ['win32', 'src/a.ts'],
  ['win32', 'C:\\ws\\a.ts'],
  ['win32', '\\\\server\\share\\a.ts'],
  ['win32', '..\\x'],
  ['win32', 'console.ts'],
  ['win32', 'com10'],
  ['win32', '~$doc.docx'],
];

test.each(allowed)('on %s the path %j is a plain path', (platform, path) => {
  expect(checkPathSyntax(path, platform)).toEqual({ ok: true, value: path });
});

test('names are compared without case where the file system does', () => {
  expect(foldName('README.md', 'linux')).toBe('README.md');
  expect(foldName('README.md', 'darwin')).toBe('readme.md');
  expect(foldName('README.md', 'win32')).toBe('readme.md');
  expect(foldName('cafe\u0301', 'darwin')).toBe('caf\u00e9');
});

test('being inside a folder is decided by whole segments', () => {
  expect(segmentsBelow('/ws', '/ws/a/b', 'linux')).toEqual(['a', 'b']);
  expect(segmentsBelow('/ws', '/ws', 'linux')).toEqual([]);
  expect(segmentsBelow('/ws', '/ws2/a', 'linux')).toBeUndefined();
  expect(segmentsBelow('/ws', '/WS/a', 'linux')).toBeUndefined();
  expect(segmentsBelow('/Users/me/ws', '/users/ME/WS/a', 'darwin')).toEqual(['a']);
  expect(segmentsBelow('C:\\Ws', 'c:\\wS\\src\\A.ts', 'win32')).toEqual(['src', 'A.ts']);
  expect(segmentsBelow('C:\\ws', 'D:\\ws\\a', 'win32')).toBeUndefined();
  expect(segmentsBelow('\\\\srv\\share\\ws', '\\\\srv\\share\\ws\\a', 'win32')).toEqual(['a']);
});
