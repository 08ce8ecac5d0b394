import { setTimeout as delay } from 'node:timers/promises';
import { errors, type Locator } from 'playwright-core';

const POLL_MS = 50;
const LEAST_PATIENCE_MS = 1000;
const MOST_PATIENCE_MS = 8000;

/** Whether an element comes into view in time: for what is tried again when it does not. */
export async function appears(element: Locator, timeout: number): Promise<true | undefined> {
  return becomes(element, 'visible', timeout);
}

export async function disappears(element: Locator, timeout: number): Promise<true | undefined> {
  return becomes(element, 'hidden', timeout);
}

async function becomes(
  element: Locator,
  state: 'visible' | 'hidden',
  timeout: number,
): Promise<true | undefined> {
  return inTime(() => element.waitFor({ state, timeout }));
}

/** Whether something that has a time was done within it: for what may be gone before, and for what is tried again. */
export async function inTime(work: () => Promise<void>): Promise<true | undefined> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof errors.TimeoutError) return undefined;
    throw error;
  }
}

/**
 * Waits for a condition, never for a time: resolves with the first value that is not undefined. A probe that does something
 * and then waits for what comes of it is told how long: a second at first, and longer the longer it has been in vain, so
 * that a quick machine loses little and a slow one has the time it takes.
 */
export async function until<T>(options: {
  what: string;
  probe: (patienceMs: number) => Promise<T | undefined> | T | undefined;
  timeoutMs?: number;
}): Promise<T> {
  const timeoutMs = options.timeoutMs ?? 15_000;
  const began = Date.now();
  const deadline = began + timeoutMs;
  for (;;) {
    const passed = Date.now() - began;
    const value = await options.probe(Math.min(Math.max(passed, LEAST_PATIENCE_MS), MOST_PATIENCE_MS));
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${options.what}`);
    await delay(POLL_MS);
  }
}
