import type { LogEvent } from '../runtime/events.ts';
import { list, text } from '../runtime/loose-fields.ts';

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
    | 'checkpoint';
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
      const { turn_id, output, error } = event.data;
      return { turn_id, where: 'output', texts: [output ?? '', error?.message ?? ''] };
    }
    case 'tool_call_decision':
      return { turn_id: event.data.turn_id, where: 'decision', texts: [event.data.reason ?? ''] };
    case 'turn_failed':
      return { turn_id: event.data.turn_id, where: 'failure', texts: [event.data.error_message] };
    case 'history_compaction':
      return { turn_id: null, where: 'checkpoint', texts: [event.data.summary, ...event.data.limitations] };
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
    case 'branch_summary':
    case 'subagent_event':
    case 'workflow_event':
    case 'diagnostic':
    case 'unknown':
      return null;
  }
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
