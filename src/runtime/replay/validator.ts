import { unreachable } from '../unreachable.ts';
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
  private calls = new Set<string>();
  private unpaired = new Map<string, number>();
  /** The run of reasoning at the end: what follows it is not known yet. */
  private trailing: readonly number[] = [];
  private problems: RequestProblem[] = [];

  check(input: readonly InputItem[]): readonly RequestProblem[] {
    if (!this.extendsChecked(input)) this.forget();
    for (const [index, item] of input.slice(this.checked.length).entries()) {
      this.visit(item, this.checked.length + index);
    }
    this.checked = input;
    const empty: RequestProblem[] = input.length === 0 ? [{ kind: 'empty_input' }] : [];
    const unpaired = [...this.unpaired].map(
      ([call_id, index]) => ({ kind: 'call_without_output', index, call_id }) as const,
    );
    return [...empty, ...this.problems, ...unpaired, ...this.trailing.map(reasoningAlone)];
  }

  private extendsChecked(input: readonly InputItem[]): boolean {
    return this.checked.every((item, index) => item === input[index]);
  }

  private forget(): void {
    this.checked = [];
    this.calls = new Set();
    this.unpaired = new Map();
    this.trailing = [];
    this.problems = [];
  }

  private visit(item: InputItem, index: number): void {
    switch (item.type) {
      case 'reasoning':
        this.trailing = [...this.trailing, index];
        return;
      case 'message':
        return this.follow(item.role === 'assistant');
      case 'function_call': {
        const { call_id } = item;
        const fresh = !this.calls.has(call_id);
        // A second call of an id has to go, so it does not count as what a reasoning led to.
        this.follow(fresh);
        if (!fresh) return this.found({ kind: 'duplicate_call', index, call_id });
        this.calls.add(call_id);
        this.unpaired.set(call_id, index);
        return;
      }
      case 'function_call_output': {
        const { call_id } = item;
        this.follow(false);
        if (!this.calls.has(call_id)) return this.found({ kind: 'output_without_call', index, call_id });
        if (!this.unpaired.delete(call_id)) this.found({ kind: 'second_output', index, call_id });
        return;
      }
      default:
        return unreachable(item);
    }
  }

  /** Reasoning has to be followed by what it led to: a message or a call of the model. */
  private follow(isModelsOwn: boolean): void {
    if (!isModelsOwn) this.problems.push(...this.trailing.map(reasoningAlone));
    this.trailing = [];
  }

  private found(problem: RequestProblem): void {
    this.problems.push(problem);
  }
}

function reasoningAlone(index: number): RequestProblem {
  return { kind: 'reasoning_without_following_item', index };
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
