import { isBlank } from './blank-text.ts';
import { draft, type Draft } from './events.ts';
import type { OutputItem, ProviderFailure } from './ports.ts';

export interface ResponseOrigin {
  readonly turn_id: string;
  readonly stream_run_id: string;
  readonly client_turn_id: string;
  readonly model: string;
  readonly endpoint: string;
  /** Calls whose output was a placeholder in the request. */
  readonly pending_calls: readonly string[];
  /** Children whose ends the request does not tell of. */
  readonly open_children: readonly string[];
  readonly thought_ms: number;
}

export type ResponseVerdict =
  | { readonly kind: 'commit'; readonly drafts: readonly Draft[] }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure; readonly text: string };

/** Pure: the events of a completed response, or why it is not an answer after all. */
export function responseDrafts(
  items: readonly OutputItem[],
  origin: ResponseOrigin,
  knowsCall: (callId: string) => boolean,
): ResponseVerdict {
  const useful = withoutTrailingReasoning(
    items.filter((item) => item.kind !== 'message' || item.text !== ''),
  );
  const text = useful.map((item) => (item.kind === 'message' ? item.text : '')).join('');
  const refusal = items.map((item) => (item.kind === 'message' ? (item.refusal ?? '') : '')).join('');
  const calls = useful.some((item) => item.kind === 'call');
  if (refusal !== '' && !calls)
    return { kind: 'failed', failure: { kind: 'refusal', message: refusal }, text };
  if (isBlank(text) && !calls) {
    return {
      kind: 'failed',
      failure: { kind: 'empty_response', message: 'the response had no text and no calls' },
      text: '',
    };
  }
  const { turn_id, stream_run_id, client_turn_id, model, endpoint, thought_ms } = origin;
  const { pending_calls, open_children } = origin;
  const taken = new Set<string>();
  const thought = useful.findIndex((item) => item.kind === 'reasoning');
  const drafts = useful.map((item, output_index) => {
    const place = { turn_id, stream_run_id, output_index, output_count: useful.length };
    switch (item.kind) {
      case 'message':
        return draft('assistant_message', {
          ...place,
          text: item.text,
          ...(item.phase === undefined ? {} : { phase: item.phase }),
          ...(pending_calls.length === 0 ? {} : { pending_calls }),
          ...(open_children.length === 0 ? {} : { open_children }),
          metadata: {
            partial: false,
            client_turn_id,
            finished_reason: 'stop',
            output_truncation: 'not_truncated',
          },
        });
      case 'reasoning':
        // One time for all thinking of a response: where it is, the later parts have none of their own.
        return draft('reasoning', {
          ...place,
          item: item.item,
          model,
          endpoint,
          ...(output_index === thought ? { thought_ms } : {}),
        });
      case 'call': {
        const call_id = freshCallId(item.call_id, (id) => taken.has(id) || knowsCall(id));
        taken.add(call_id);
        return draft('tool_call', { ...place, call_id, name: item.name, args: item.args });
      }
    }
  });
  return { kind: 'commit', drafts };
}

/** Reasoning that nothing of its response follows can never be sent back. */
function withoutTrailingReasoning(items: readonly OutputItem[]): readonly OutputItem[] {
  const last = items.findLastIndex((item) => item.kind !== 'reasoning');
  return items.slice(0, last + 1);
}

/** Some endpoints reuse call ids; in one input each id may stand for one call only. */
function freshCallId(id: string, isTaken: (id: string) => boolean): string {
  let fresh = id;
  for (let n = 2; isTaken(fresh); n += 1) fresh = `${id}_${n}`;
  return fresh;
}
