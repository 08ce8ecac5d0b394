import { describe, expect, test } from 'vitest';
import { copiedFromTerminal, type Clipboard } from '../../src/host/terminal-copy.ts';

class MemoryClipboard implements Clipboard {
  readonly written: string[] = [];

  constructor(public text: string) {}

  async readText(): Promise<string> {
    return this.text;
  }

  async writeText(text: string): Promise<void> {
    this.written.push(text);
    this.text = text;
  }
}

describe('what is selected in a terminal', () => {
  test.each(['error: no such file', 'words that were copied before', ''])(
    'is %j, and the clipboard is as it was',
    async (selected) => {
      const clipboard = new MemoryClipboard('words that were copied before');
      const copy = (): Promise<void> => clipboard.writeText(selected);
      expect(await copiedFromTerminal(clipboard, copy)).toBe(selected);
      expect(clipboard.text).toBe('words that were copied before');
    },
  );

  test('is nothing where nothing is selected, whatever the clipboard holds', async () => {
    const clipboard = new MemoryClipboard('a password');
    expect(await copiedFromTerminal(clipboard, async () => undefined)).toBe('');
    expect(clipboard.text).toBe('a password');
  });

  test('is not taken for the mark of an earlier look', async () => {
    const clipboard = new MemoryClipboard('');
    await copiedFromTerminal(clipboard, async () => undefined);
    const [mark = ''] = clipboard.written;
    clipboard.text = 'later';
    expect(await copiedFromTerminal(clipboard, () => clipboard.writeText(mark))).toBe(mark);
  });

  test('is not known when copying fails, and the clipboard is as it was', async () => {
    const clipboard = new MemoryClipboard('kept');
    const failed = Promise.reject(new Error('no terminal'));
    await expect(copiedFromTerminal(clipboard, () => failed)).rejects.toThrow('no terminal');
    expect(clipboard.text).toBe('kept');
  });
});
