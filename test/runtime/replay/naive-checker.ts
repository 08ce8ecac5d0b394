import type { InputItem } from '../../../src/runtime/replay/items.ts';
import type { RequestProblem } from '../../../src/runtime/replay/validator.ts';

/**
 * The rules of the API, each looked up from scratch for each item. Slow and plain on purpose: it shares
 * nothing with the validator it is compared to.
 */
export function naiveProblems(input: readonly InputItem[]): readonly RequestProblem[] {
  if (input.length === 0) return [{ kind: 'empty_input' }];
  return input.flatMap((item, index): readonly RequestProblem[] => {
    const kind = problemOf(input, item, index);
    if (kind === null) return [];
    if (kind === 'reasoning_without_following_item') return [{ kind, index }];
    const call_id = 'call_id' in item ? String(item.call_id) : '';
    return kind === 'empty_input' ? [] : [{ kind, index, call_id }];
  });
}

function problemOf(
  input: readonly InputItem[],
  item: InputItem,
  index: number,
): RequestProblem['kind'] | null {
  const before = input.slice(0, index);
  const after = input.slice(index + 1);
  if (item.type === 'function_call') {
    if (before.some((other) => isCall(other, item.call_id))) return 'duplicate_call';
    return after.some((other) => isOutput(other, item.call_id)) ? null : 'call_without_output';
  }
  if (item.type === 'function_call_output') {
    const asked = before.findIndex((other) => isCall(other, item.call_id));
    if (asked < 0) return 'output_without_call';
    return before.slice(asked).some((other) => isOutput(other, item.call_id)) ? 'second_output' : null;
  }
  if (item.type !== 'reasoning') return null;
  const offset = after.findIndex((other) => other.type !== 'reasoning');
  const next = after[offset];
  const led =
    next !== undefined &&
    ((next.type === 'message' && next.role === 'assistant') ||
      (next.type === 'function_call' && problemOf(input, next, index + 1 + offset) !== 'duplicate_call'));
  return led ? null : 'reasoning_without_following_item';
}

function isCall(item: InputItem, callId: string): boolean {
  return item.type === 'function_call' && item.call_id === callId;
}

function isOutput(item: InputItem, callId: string): boolean {
  return item.type === 'function_call_output' && item.call_id === callId;
}
