import { expect, test } from 'vitest';
import { within } from '../../src/app/patience.ts';

test('work that is done in time is done', async () => {
  expect(await within(60_000, Promise.resolve('x'))).toBe('done');
});

test('work that never ends is late, and nobody waits for it any more', async () => {
  expect(await within(1, new Promise(() => undefined))).toBe('late');
});

test('work that fails in time fails', async () => {
  await expect(within(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});
