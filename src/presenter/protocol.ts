import * as z from 'zod/mini';
import { presenterMessageSchema, type PresenterMessage } from './presenter-messages.ts';

/**
 * The one protocol between host and presenter, the same over `postMessage` and over stdio. Both sides parse
 * what they get: neither trusts the other.
 */

export { hostMessageSchema, type Access, type HostMessage, type Item } from './host-messages.ts';
export type { Place } from './message-fields.ts';
export { presenterMessageSchema, type PresenterMessage } from './presenter-messages.ts';

export type ParsedMessage<T> =
  | { readonly ok: true; readonly message: T }
  | { readonly ok: false; readonly reason: string; readonly type: string };

export function parsePresenterMessage(value: unknown): ParsedMessage<PresenterMessage> {
  const parsed = presenterMessageSchema.safeParse(value);
  if (parsed.success) return { ok: true, message: parsed.data };
  return { ok: false, reason: shapeFault(value) ?? z.prettifyError(parsed.error), type: typeOf(value) };
}

/** What cannot be a message at all; null where only its fields are wrong. Nothing that was JSON is undefined. */
function shapeFault(value: unknown): string | null {
  if (value === undefined) return 'This is not JSON. Send one JSON object a line.';
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? null : 'This is no object. Send one JSON object with a "type".';
}

function typeOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    ? value.type.slice(0, 100)
    : 'unknown';
}
