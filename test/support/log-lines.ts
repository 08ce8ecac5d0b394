import type { LogEvent } from '../../src/runtime/events.ts';

/** A log as people would tell it: one short line an event, so that a test can assert all of it. */
export function logLines(events: readonly LogEvent[]): readonly string[] {
  return events.map(line);
}

/** The lines of a turn that is answered at once with the word that ends most turns. */
export function doneTurn(prompt: string): readonly string[] {
  return [`user: ${prompt}`, 'run running', 'assistant: Done.', 'provider_usage', 'run done natural_end'];
}

function line(event: LogEvent): string {
  switch (event.type) {
    case 'user_message':
      return `user: ${event.data.text}`;
    case 'assistant_message': {
      const { text, phase, metadata } = event.data;
      const mark = metadata.partial ? ' (partial)' : phase === undefined ? '' : ` (${phase})`;
      return `assistant${mark}: ${text}`;
    }
    case 'tool_call':
      return `call ${event.data.call_id}: ${event.data.name} ${event.data.args}`;
    case 'tool_result': {
      const { call_id, ok, output, error } = event.data;
      return `result ${call_id}: ${ok ? (output ?? '') : `error ${error?.kind ?? ''}`}`;
    }
    case 'tool_call_status':
      return `${event.data.call_id}: ${event.data.from} -> ${event.data.to}`;
    case 'run_status':
      return ['run', event.data.status, event.data.reason].filter((part) => part !== undefined).join(' ');
    case 'permission_decision':
      return `permission ${event.data.call_id}: ${event.data.decision}`;
    case 'turn_failed': {
      const { terminal_status, error_kind } = event.data;
      return `failed: ${terminal_status} ${error_kind}`;
    }
    case 'diagnostic':
      return `diagnostic: ${event.data.code}`;
    case 'interruption_note':
      return `note of ${event.data.of_turn_id}`;
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'reasoning':
    case 'tool_call_decision':
    case 'file_change':
    case 'provider_usage':
    case 'skill_activation':
    case 'history_compaction':
    case 'branch_summary':
    case 'subagent_event':
    case 'workflow_event':
    case 'unknown':
      return event.type;
  }
}
