import { setTimeout as delay } from 'node:timers/promises';
import { errors, type Locator } from 'playwright-core';

const POLL_MS = 50;

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
  try {
    await element.waitFor({ state, timeout });
    return true;
  } catch (error) {
    if (error instanceof errors.TimeoutError) return undefined;
    throw error;
  }
}

/** Waits for a condition, never for a time: resolves with the first value that is not undefined. */
export async function until<T>(options: {
  what: string;
  probe: () => Promise<T | undefined> | T | undefined;
  timeoutMs?: number;
}): Promise<T> {
  const timeoutMs = options.timeoutMs ?? 15_000;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await options.probe();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${options.what}`);
    await delay(POLL_MS);
  }
}
