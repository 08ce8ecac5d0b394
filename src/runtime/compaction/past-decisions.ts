import type { CompactedDecision } from '../context-events.ts';
import type { LogEvent } from '../events.ts';
import { text, textOrNull } from '../loose-fields.ts';
import { lineOf } from '../text-size.ts';
import { callFacts } from './call-facts.ts';

const REASON_CHARS = 200;

/** What people said about calls. Those of rules and policies follow from the settings. */
export function decisionsOf(
  all: readonly LogEvent[],
  before: readonly LogEvent[],
): readonly CompactedDecision[] {
  const calls = new Map(
    callFacts(all).map(({ call_id, name, subject }) => [call_id, { name, subject }] as const),
  );
  return before.flatMap((event) => {
    if (event.type !== 'tool_call_decision' || event.data.decided_by !== 'user') return [];
    const { call_id, target_id, action, decided_by, reason } = event.data;
    const call = calls.get(call_id ?? target_id);
    if (call === undefined) return [];
    const why = reason === undefined || reason === '' ? {} : { reason: lineOf(reason, REASON_CHARS) };
    return [{ ...call, action, decided_by, ...why }];
  });
}

/** One that an earlier checkpoint lists; none where it has another shape. */
export function decisionIn(value: unknown): readonly CompactedDecision[] {
  const name = textOrNull(value, 'name');
  const action = textOrNull(value, 'action');
  if (name === null || action === null) return [];
  const reason = textOrNull(value, 'reason');
  return [
    {
      name,
      subject: text(value, 'subject'),
      action,
      decided_by: text(value, 'decided_by'),
      ...(reason === null ? {} : { reason }),
    },
  ];
}
