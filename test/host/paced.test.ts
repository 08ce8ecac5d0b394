import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Paced } from '../../src/host/paced.ts';

const WORK_MS = 30;
const PAUSE_MS = 100;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** When each work began, in milliseconds from the beginning of the test. */
function pacedWork(): { readonly paced: Paced; readonly began: readonly number[] } {
  const start = performance.now();
  const began: number[] = [];
  const paced = new Paced(() => {
    began.push(performance.now() - start);
    return new Promise((resolve) => setTimeout(resolve, WORK_MS));
  });
  return { paced, began };
}

test('what is asked for first is done at once', async () => {
  const { paced, began } = pacedWork();
  paced.ask(PAUSE_MS);
  await vi.advanceTimersByTimeAsync(0);
  expect(began).toEqual([0]);
});

test('what is asked for again waits for the pause after its end, and is done once', async () => {
  const { paced, began } = pacedWork();
  paced.ask(PAUSE_MS);
  await vi.advanceTimersByTimeAsync(WORK_MS);
  for (let times = 0; times < 3; times += 1) paced.ask(PAUSE_MS);
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  expect(began).toEqual([0, WORK_MS + PAUSE_MS]);
});

test('what is asked for while the work goes on is done after it and the shortest pause', async () => {
  const { paced, began } = pacedWork();
  paced.ask(PAUSE_MS);
  await vi.advanceTimersByTimeAsync(WORK_MS / 2);
  paced.ask(4 * PAUSE_MS);
  paced.ask(PAUSE_MS);
  paced.ask(2 * PAUSE_MS);
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  expect(began).toEqual([0, WORK_MS + PAUSE_MS]);
});

test('the shortest of several pauses counts, in whatever order they are asked for', async () => {
  const { paced, began } = pacedWork();
  paced.ask(PAUSE_MS);
  await vi.advanceTimersByTimeAsync(WORK_MS);
  paced.ask(4 * PAUSE_MS);
  paced.ask(PAUSE_MS);
  paced.ask(4 * PAUSE_MS);
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  expect(began).toEqual([0, WORK_MS + PAUSE_MS]);
});

test('after a quiet time it is done at once again', async () => {
  const { paced, began } = pacedWork();
  paced.ask(PAUSE_MS);
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  paced.ask(PAUSE_MS);
  await vi.advanceTimersByTimeAsync(0);
  expect(began).toEqual([0, 10 * PAUSE_MS]);
});

test('nothing is done once it is disposed of, whether it waited or was asked for during the work', async () => {
  const waiting = pacedWork();
  waiting.paced.ask(PAUSE_MS);
  waiting.paced.dispose();
  const working = pacedWork();
  working.paced.ask(PAUSE_MS);
  await vi.advanceTimersByTimeAsync(WORK_MS / 2);
  working.paced.ask(PAUSE_MS);
  working.paced.dispose();
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  expect([waiting.began, working.began]).toEqual([[], [0]]);
});
