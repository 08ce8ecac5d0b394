import { readFile, glob } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { foreign, plain, withoutLinks } from '../../src/host/shown-text.ts';

/** As VS Code finds links in a notification. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

describe('words of others', () => {
  test.each([
    '[restore it](command:workbench.action.toggleSidebarVisibility)',
    '[a](command:x "b")',
    '[[a](file:///etc/passwd)',
    'x [a](https://example.org) y [b](command:z)',
  ])('make no link in a notification: %s', (text) => {
    expect(text.match(LINK)).not.toBeNull();
    expect(withoutLinks(text).match(LINK)).toBeNull();
    expect(withoutLinks(text).replaceAll('\u2060', '')).toBe(text);
  });

  test('make no icon in a list', () => {
    expect(plain('$(trash) x $(sync~spin)')).not.toMatch(/\$\([\w~-]+\)/);
    expect(plain('costs $5 (five)')).toBe('costs $5 (five)');
  });

  test('are one line that is read in its order', () => {
    expect(foreign('a\u202Etxt.exe\u202C\nb\u0007\t c\u2028d')).toBe('a txt.exe b c d');
    expect(foreign('Familie 👩‍👩‍👧 fährt')).toBe('Familie 👩‍👩‍👧 fährt');
    expect(foreign('\u200B\u2060 ')).toBe('');
  });

  test('leave room for ours', () => {
    expect(foreign('x'.repeat(500))).toBe(`${'x'.repeat(119)}…`);
    expect(foreign('😀'.repeat(5), 4)).toBe('😀\uFFFD…');
    expect(foreign('x'.repeat(500), 500)).toHaveLength(500);
  });
});

async function users(pattern: RegExp): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const file of glob('src/**/*.ts'))
    if (pattern.test(await readFile(file, 'utf8'))) found.push(file.replaceAll('\\', '/'));
  return found.toSorted();
}

test('only one module notifies, asks and shows progress: there links are taken out', async () => {
  expect(await users(/\bshow(?:Information|Warning|Error)Message\b|\bwithProgress\b/)).toEqual([
    'src/host/notifications.ts',
  ]);
});

test('lists are shown where icons are taken out of words', async () => {
  // The list of a search fills while it is shown, and makes its lines plain itself.
  expect(await users(/\bshowQuickPick\b|\bcreateQuickPick\b/)).toEqual([
    'src/host/pick-lists.ts',
    'src/host/session-search-picker.ts',
  ]);
});
