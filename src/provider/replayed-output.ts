import type { OutputItem } from '../runtime/ports.ts';
import type { InputItem, OpaqueReasoning } from '../runtime/replay/items.ts';
import { MAX_UNKNOWN } from './response-stream.ts';

/**
 * The output of a response as the next request will carry it. Null when it will not carry all of it: what the provider
 * remembers is then not what we would send, and cannot be continued from.
 */
export function replayedOutput(
  items: readonly OutputItem[],
  unknown: readonly string[],
): readonly InputItem[] | null {
  const last = items.at(-1);
  if (last === undefined || last.kind === 'reasoning') return null;
  // Among those that were no longer noted there may be an item.
  if (unknown.length >= MAX_UNKNOWN) return null;
  if (unknown.some((name) => name.startsWith('item:') || name.startsWith('part:'))) return null;
  const replayed: InputItem[] = [];
  for (const item of items) {
    const one = replayedItem(item);
    if (one === null) return null;
    replayed.push(one);
  }
  return replayed;
}

function replayedItem(item: OutputItem): InputItem | null {
  switch (item.kind) {
    case 'message': {
      const { text, phase, refusal, reshaped } = item;
      if (text === '' || refusal !== undefined || reshaped === true) return null;
      const content = [{ type: 'output_text' as const, text }];
      return { type: 'message', role: 'assistant', content, ...(phase === undefined ? {} : { phase }) };
    }
    case 'reasoning':
      return isReasoning(item.item) ? item.item : null;
    case 'call':
      return { type: 'function_call', call_id: item.call_id, name: item.name, arguments: item.args };
  }
}

function isReasoning(item: unknown): item is OpaqueReasoning {
  return typeof item === 'object' && item !== null && 'type' in item && item.type === 'reasoning';
}
