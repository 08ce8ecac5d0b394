import type { LogEvent } from '../runtime/events.ts';
import { list, text, textOrNull } from '../runtime/loose-fields.ts';

/** What somebody says in an event, and who. */
export interface Said {
  /** Null for what speaks of many. */
  readonly turn_id: string | null;
  readonly where:
    | 'prompt'
    | 'answer'
    | 'reasoning'
    | 'call'
    | 'output'
    | 'decision'
    | 'failure'
    | 'checkpoint'
    /** What a fork left behind. */
    | 'summary'
    /** Of a later version: what it means is not known, but its words are there. */
    | 'unknown';
  readonly texts: readonly string[];
}

/** Null for events in which nobody says anything. */
export function saidIn(event: LogEvent): Said | null {
  switch (event.type) {
    case 'user_message': {
      const { turn_id, attachments } = event.data;
      const attached = attachments.flatMap((one) => [one.label, one.path, one.text]);
      return {
        turn_id,
        where: 'prompt',
        texts: [event.data.text, ...attached.filter((part) => typeof part === 'string')],
      };
    }
    case 'assistant_message':
      return { turn_id: event.data.turn_id, where: 'answer', texts: [event.data.text] };
    case 'reasoning': {
      const parts = list(event.data.item, 'summary').map((part) => text(part, 'text'));
      return { turn_id: event.data.turn_id, where: 'reasoning', texts: parts };
    }
    case 'tool_call':
      return { turn_id: event.data.turn_id, where: 'call', texts: [...argumentTexts(event.data.args)] };
    case 'tool_result': {
      const { turn_id, output, error, attachments = [] } = event.data;
      const shown = attachments.map(({ label = '' }) => label);
      return { turn_id, where: 'output', texts: [output ?? '', error?.message ?? '', ...shown] };
    }
    case 'tool_call_decision':
      return { turn_id: event.data.turn_id, where: 'decision', texts: [event.data.reason ?? ''] };
    case 'turn_failed':
      return { turn_id: event.data.turn_id, where: 'failure', texts: [event.data.error_message] };
    case 'history_compaction':
      return { turn_id: null, where: 'checkpoint', texts: [event.data.summary, ...event.data.limitations] };
    case 'branch_summary':
      return { turn_id: null, where: 'summary', texts: [event.data.summary, ...event.data.limitations] };
    case 'unknown': {
      const { original } = event.data;
      return { turn_id: textOrNull(original, 'turn_id'), where: 'unknown', texts: [...stringsIn(original)] };
    }
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'tool_call_status':
    case 'run_status':
    case 'permission_decision':
    case 'file_change':
    case 'provider_usage':
    case 'interruption_note':
    case 'skill_activation':
    case 'subagent_event':
    case 'workflow_event':
    case 'diagnostic':
      return null;
  }
}

const DEEPEST = 8;

/** Names of fields, and what only tells one thing from another, are no words. */
function* stringsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
  for (const [key, one] of Object.entries(value)) if (!key.endsWith('_id')) yield* stringsIn(one, depth + 1);
}

/** As a person would write them, and as the model did. */
function* argumentTexts(args: string): Generator<string> {
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value === 'object' && value !== null)
      for (const one of Object.values(value)) if (typeof one === 'string') yield one;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  yield args;
}
