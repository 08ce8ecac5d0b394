import type { EphemeralType, LogEvent } from './events.ts';
import { unreachable } from './unreachable.ts';

export type Channel = 'replayed' | 'audit' | 'ephemeral';

/**
 * The one place that says which channel a fact belongs to. Total over the vocabulary: a new type that is
 * not named here does not compile. `replayed` is sent to the provider; `audit` never is.
 */
export function channelOf(event: LogEvent | { readonly type: EphemeralType }): Channel {
  switch (event.type) {
    case 'developer_context':
    case 'user_message':
    case 'reasoning':
    case 'tool_call':
    case 'tool_result':
    case 'interruption_note':
    case 'skill_activation':
    case 'history_compaction':
    case 'branch_summary':
      return 'replayed';
    case 'assistant_message':
      return event.data.metadata.partial ? 'audit' : 'replayed';
    case 'subagent_event':
      return event.data.event === 'delivered' ? 'replayed' : 'audit';
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
      return 'audit';
    case 'text_delta':
    case 'reasoning_delta':
    case 'status':
    case 'plan':
    case 'context_pressure':
    case 'tool_progress':
      return 'ephemeral';
    default:
      return unreachable(event);
  }
}
