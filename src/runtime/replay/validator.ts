import type { InputItem } from './items.ts';
import { PENDING_OUTPUT } from './labels.ts';

/** What the API would refuse. Checked here first, so that a bad request never leaves. */
export type RequestProblem =
  | { readonly kind: 'empty_input' }
  | { readonly kind: 'duplicate_call'; readonly index: number; readonly call_id: string }
  | { readonly kind: 'call_without_output'; readonly index: number; readonly call_id: string }
  | { readonly kind: 'output_without_call'; readonly index: number; readonly call_id: string }
  | { readonly kind: 'second_output'; readonly index: number; readonly call_id: string }
  | { readonly kind: 'reasoning_without_following_item'; readonly index: number };

/**
 * Checks inputs that grow: what was checked before and is still the same is not walked again. One
 * validator belongs to one session.
 */
export class RequestValidator {
  private checked: readonly InputItem[] = [];
  private calls = new Map<string, number>();
  private unpaired = new Map<string, number>();
  private problems: RequestProblem[] = [];

  check(input: readonly InputItem[]): readonly RequestProblem[] {
    let from = this.sharedPrefix(input);
    if (from < this.checked.length) {
      this.calls = new Map();
      this.unpaired = new Map();
      this.problems = [];
      from = 0;
    }
    // What ended the last input had no successor to be judged by.
    if (from > 0 && input[from - 1]?.type === 'reasoning') from -= 1;
    for (let index = from; index < input.length; index += 1) this.visit(input, index);
    this.checked = input;
    const unpaired = [...this.unpaired].map(([call_id, index]): RequestProblem => ({
      kind: 'call_without_output',
      index,
      call_id,
    }));
    const empty: RequestProblem[] = input.length === 0 ? [{ kind: 'empty_input' }] : [];
    return [...empty, ...this.problems, ...unpaired, ...danglingReasoning(input)];
  }

  private sharedPrefix(input: readonly InputItem[]): number {
    const most = Math.min(this.checked.length, input.length);
    let length = 0;
    while (length < most && this.checked[length] === input[length]) length += 1;
    return length;
  }

  private visit(input: readonly InputItem[], index: number): void {
    const item = input[index];
    if (item === undefined) return;
    if (item.type === 'function_call') {
      if (this.calls.has(item.call_id))
        this.problems.push({ kind: 'duplicate_call', index, call_id: item.call_id });
      this.calls.set(item.call_id, index);
      this.unpaired.set(item.call_id, index);
    } else if (item.type === 'function_call_output') {
      const known = this.calls.has(item.call_id);
      if (!known) this.problems.push({ kind: 'output_without_call', index, call_id: item.call_id });
      else if (!this.unpaired.delete(item.call_id)) {
        this.problems.push({ kind: 'second_output', index, call_id: item.call_id });
      }
    } else if (item.type === 'reasoning' && index + 1 < input.length && !followsReasoning(input[index + 1])) {
      this.problems.push({ kind: 'reasoning_without_following_item', index });
    }
  }
}

function danglingReasoning(input: readonly InputItem[]): readonly RequestProblem[] {
  return input.at(-1)?.type === 'reasoning'
    ? [{ kind: 'reasoning_without_following_item', index: input.length - 1 }]
    : [];
}

function followsReasoning(item: InputItem | undefined): boolean {
  if (item === undefined) return false;
  if (item.type === 'message') return item.role === 'assistant';
  return item.type === 'reasoning' || item.type === 'function_call';
}

/**
 * The smallest change that makes a request acceptable: what cannot be paired goes, a call without output
 * gets a labelled one. The caller records it as a diagnostic; it is never silent.
 */
export function repair(
  input: readonly InputItem[],
  problems: readonly RequestProblem[],
): readonly InputItem[] {
  const dropped = new Set<number>();
  const completed = new Map<number, string>();
  for (const problem of problems) {
    if (problem.kind === 'empty_input') continue;
    if (problem.kind === 'call_without_output') completed.set(problem.index, problem.call_id);
    else dropped.add(problem.index);
  }
  const repaired: InputItem[] = [];
  input.forEach((item, index) => {
    if (dropped.has(index)) return;
    repaired.push(item);
    const call_id = completed.get(index);
    if (call_id !== undefined)
      repaired.push({ type: 'function_call_output', call_id, output: PENDING_OUTPUT });
  });
  return repaired;
}
