import { reduceEnd, reduceFrame, START, type StreamState } from '../../src/provider/response-stream.ts';
import type { ProviderEvent } from '../../src/runtime/ports.ts';

/** Folds frames as the provider does: to the terminal event, or to the end of the stream. */
export function fold(frames: readonly unknown[]): readonly ProviderEvent[] {
  const events: ProviderEvent[] = [];
  let state: StreamState = START;
  for (const frame of frames) {
    const reduction = reduceFrame(state, frame);
    events.push(...reduction.events);
    if (reduction.state.kind === 'ended') return events;
    state = reduction.state;
  }
  return [...events, reduceEnd()];
}

export function completed(response: Readonly<Record<string, unknown>> = {}): unknown {
  return { type: 'response.completed', response: { id: 'resp_1', status: 'completed', ...response } };
}

export function message(
  text: string,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }], ...more };
}

export function done(item: unknown): unknown {
  return { type: 'response.output_item.done', item };
}

export function call(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{}', ...more };
}

export function delta(text: unknown, output_index = 0): unknown {
  return { type: 'response.output_text.delta', item_id: `msg_${output_index}`, output_index, delta: text };
}
