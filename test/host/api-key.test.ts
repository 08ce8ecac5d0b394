import { describe, expect, test, vi } from 'vitest';
import { ApiKey } from '../../src/host/api-key.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

/** A store of secrets, and what is in it. */
function storeWith(key: string | undefined): {
  readonly apiKey: ApiKey;
  readonly kept: () => string | undefined;
} {
  let stored = key;
  const apiKey = new ApiKey({
    get: async () => stored,
    store: async (_name, value) => {
      stored = value;
    },
    delete: async () => {
      stored = undefined;
    },
    onDidChange: () => ({ dispose: () => undefined }),
  });
  return { apiKey, kept: () => stored };
}

const QUESTION = 'Remove the stored API key?';

describe('asked for a key', () => {
  test('a new one is kept without what is around it, in place of the one before', async () => {
    double.typed = ' sk-new ';
    const { apiKey, kept } = storeWith('sk-old');
    await apiKey.ask();
    expect([kept(), double.questions]).toEqual(['sk-new', []]);
  });

  test('an empty box does not take the stored one away', async () => {
    double.typed = '';
    const { apiKey, kept } = storeWith('sk-old');
    await apiKey.ask();
    expect([kept(), double.questions, double.escape]).toEqual(['sk-old', [QUESTION], 'Keep the key']);
    expect(double.buttons[0]).toBe('Keep the key');
  });

  test('it is removed when that is said', async () => {
    double.typed = '';
    double.answer = 'Remove the key';
    const { apiKey, kept } = storeWith('sk-old');
    await apiKey.ask();
    expect(kept()).toBeUndefined();
  });

  test('where none is stored an empty box is nothing to ask about', async () => {
    double.typed = '';
    const { apiKey, kept } = storeWith(undefined);
    await apiKey.ask();
    expect([kept(), double.questions]).toEqual([undefined, []]);
  });

  test('leaving the box changes nothing', async () => {
    const { apiKey, kept } = storeWith('sk-old');
    await apiKey.ask();
    expect([kept(), double.questions]).toEqual(['sk-old', []]);
  });
});
