import type { LogEvent } from '../events.ts';
import { unreachable } from '../unreachable.ts';

/**
 * An event without its bodies: it makes the same items of a request, in the same order and of the same kind,
 * but nothing in them to read. Enough to ask whether the API would accept the request, at a fraction of its size.
 */
export function thinned(event: LogEvent): LogEvent {
  switch (event.type) {
    case 'user_message':
      return { ...event, data: { ...event.data, text: '', attachments: [] } };
    case 'assistant_message': {
      const text = event.data.text === '' ? '' : '…';
      return { ...event, data: { ...event.data, text } };
    }
    case 'reasoning': {
      const { item } = event.data;
      const isItem = typeof item === 'object' && item !== null && 'type' in item;
      return { ...event, data: { ...event.data, item: isItem ? { type: item.type } : null } };
    }
    case 'tool_call':
      return { ...event, data: { ...event.data, args: '' } };
    case 'tool_result': {
      const { output: _, error: __, attachments: ___, ...data } = event.data;
      return { ...event, data: { ...data, ok: true } };
    }
    case 'skill_activation':
      return { ...event, data: { ...event.data, content: '' } };
    case 'history_compaction':
    case 'branch_summary':
    case 'subagent_event':
    case 'interruption_note':
    case 'developer_context':
    case 'session_started':
    case 'session_fork':
    case 'tool_call_status':
    case 'tool_call_decision':
    case 'run_status':
    case 'permission_decision':
    case 'file_change':
    case 'provider_usage':
    case 'turn_failed':
    case 'workflow_event':
    case 'diagnostic':
    case 'unknown':
      return event;
    default:
      return unreachable(event);
  }
}
