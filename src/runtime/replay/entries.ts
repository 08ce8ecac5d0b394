import type { EventData } from '../events.ts';
import type { InputItem, OpaqueReasoning } from './items.ts';
import { PENDING_OUTPUT } from './labels.ts';

/** Where the next request goes. Reasoning is only replayed to the model and endpoint that made it. */
export interface ReplayTarget {
  readonly model: string;
  readonly endpoint: string;
  /** Set for the one retry after the provider rejected the reasoning of earlier answers. */
  readonly without_reasoning?: boolean;
}

export type ExclusionReason =
  | 'audit'
  /** Written by a later version: kept, and not understood. */
  | 'unknown_type'
  | 'partial_text'
  | 'other_model_or_endpoint'
  | 'reasoning_without_following_item'
  | 'reasoning_switched_off'
  | 'reasoning_not_an_item'
  | 'result_without_call'
  | 'second_result_of_call'
  | 'before_checkpoint'
  | 'empty_message';

export interface ReplayEntry {
  readonly seq: number;
  readonly item: InputItem;
  /** Set on reasoning: who made it. */
  readonly origin?: { readonly model: string; readonly endpoint: string };
  /** Set on what a skill says. */
  readonly skill?: true;
  /** Set on outputs that stand in for a result which is not there yet. */
  readonly placeholder?: true;
}

export function admits(target: ReplayTarget, entry: ReplayEntry): ExclusionReason | null {
  if (entry.origin === undefined) return null;
  if (target.without_reasoning === true) return 'reasoning_switched_off';
  const same = entry.origin.model === target.model && entry.origin.endpoint === target.endpoint;
  return same ? null : 'other_model_or_endpoint';
}

export function sameTarget(a: ReplayTarget, b: ReplayTarget): boolean {
  return a.model === b.model && a.endpoint === b.endpoint && a.without_reasoning === b.without_reasoning;
}

export function assistantItem({ text, phase }: EventData['assistant_message']): InputItem {
  const content = [{ type: 'output_text' as const, text }];
  return { type: 'message', role: 'assistant', content, ...(phase === undefined ? {} : { phase }) };
}

export function callItem({ call_id, name, args }: EventData['tool_call']): InputItem {
  return { type: 'function_call', call_id, name, arguments: args };
}

export function placeholder(seq: number, callId: string): ReplayEntry {
  return {
    seq,
    placeholder: true,
    item: { type: 'function_call_output', call_id: callId, output: PENDING_OUTPUT },
  };
}

export function isReasoning(item: unknown): item is OpaqueReasoning {
  return typeof item === 'object' && item !== null && 'type' in item && item.type === 'reasoning';
}
