import type { NextAction } from './events.ts';

/**
 * Readers for values whose shape nobody has checked. A field of another type counts as absent, and never makes a
 * line damaged.
 */

/** Arguments are the model's words and need not be JSON. */
export function parsed(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function field(value: unknown, key: string): unknown {
  return has(value, key) ? value[key] : undefined;
}

function has<K extends string>(value: unknown, key: K): value is Readonly<Record<K, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

export function text(value: unknown, key: string): string {
  return textOrNull(value, key) ?? '';
}

export function textOrNull(value: unknown, key: string): string | null {
  const found = field(value, key);
  return typeof found === 'string' ? found : null;
}

/** Text that says something. */
export function wordsOrNull(value: unknown, key: string): string | null {
  const found = text(value, key);
  return found === '' ? null : found;
}

export function numberOrNull(value: unknown, key: string): number | null {
  const found = field(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

export function list(value: unknown, key: string): readonly unknown[] {
  const found = field(value, key);
  return Array.isArray(found) ? found : [];
}

export function nextActions(value: unknown): readonly NextAction[] {
  return list(value, 'next_actions').filter(
    (one): one is NextAction => textOrNull(one, 'label') !== null && textOrNull(one, 'command') !== null,
  );
}
