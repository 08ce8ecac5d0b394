import { describe, expect, test } from 'vitest';
import { terminalSelection, type Clipboard } from '../../src/host/terminal-selection.ts';

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
      expect(await terminalSelection(clipboard, copy)).toBe(selected);
      expect(clipboard.text).toBe('words that were copied before');
    },
  );

  test('is nothing where nothing is selected, whatever the clipboard holds', async () => {
    const clipboard = new MemoryClipboard('a password');
    expect(await terminalSelection(clipboard, async () => undefined)).toBe('');
    expect(clipboard.text).toBe('a password');
  });

  test('is not taken for the mark of an earlier look', async () => {
    const clipboard = new MemoryClipboard('');
    await terminalSelection(clipboard, async () => undefined);
    const [mark = ''] = clipboard.written;
    clipboard.text = 'later';
    expect(await terminalSelection(clipboard, () => clipboard.writeText(mark))).toBe(mark);
  });

  test('is not known when copying fails, and the clipboard is as it was', async () => {
    const clipboard = new MemoryClipboard('kept');
    const failed = Promise.reject(new Error('no terminal'));
    await expect(terminalSelection(clipboard, () => failed)).rejects.toThrow('no terminal');
    expect(clipboard.text).toBe('kept');
  });
});
