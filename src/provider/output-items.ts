import type { OutputItem } from '../runtime/ports.ts';
import { isArray, isObject, type JsonObject, stringAt } from './json-values.ts';

/** One item of a response's output, read with care: it is outside data. */
export type ReadItem =
  | { readonly kind: 'item'; readonly item: OutputItem; readonly unknown: readonly string[] }
  /** An item we have no use for, such as a hosted tool's call. Never fatal. */
  | { readonly kind: 'unknown'; readonly name: string }
  | { readonly kind: 'malformed'; readonly message: string };

export function readItem(value: unknown): ReadItem {
  if (!isObject(value)) return malformed('an output item is not an object');
  const type = stringAt(value, 'type');
  switch (type) {
    case 'message':
      return readMessage(value);
    case 'function_call':
      return readCall(value);
    case 'reasoning':
      return { kind: 'item', item: { kind: 'reasoning', item: value }, unknown: [] };
    case null:
      return malformed('an output item has no type');
    default:
      return { kind: 'unknown', name: `item:${type}` };
  }
}

function readMessage(value: JsonObject): ReadItem {
  if (!isArray(value.content)) return malformed('a message has no content list');
  let text = '';
  let refusal = '';
  const unknown: string[] = [];
  for (const part of value.content) {
    const type = stringAt(part, 'type');
    if (type === null) return malformed('a part of a message has no type');
    if (type !== 'output_text' && type !== 'refusal') {
      unknown.push(`part:${type}`);
      continue;
    }
    const words = stringAt(part, type === 'refusal' ? 'refusal' : 'text');
    if (words === null) return malformed(`a part of type ${type} has no text`);
    if (type === 'refusal') refusal += words;
    else text += words;
  }
  const phase = stringAt(value, 'phase');
  const item: OutputItem = {
    kind: 'message',
    text,
    ...(phase === null ? {} : { phase }),
    ...(refusal === '' ? {} : { refusal }),
    ...(value.content.length > 1 ? { reshaped: true as const } : {}),
  };
  return { kind: 'item', item, unknown };
}

function readCall(value: JsonObject): ReadItem {
  const call_id = stringAt(value, 'call_id');
  const name = stringAt(value, 'name');
  const args = stringAt(value, 'arguments');
  if (call_id === null || call_id === '') return malformed('a function call has no call_id');
  if (name === null || name === '') return malformed('a function call has no name');
  if (args === null) return malformed('a function call has no arguments');
  return { kind: 'item', item: { kind: 'call', call_id, name, args }, unknown: [] };
}

function malformed(message: string): ReadItem {
  return { kind: 'malformed', message };
}
