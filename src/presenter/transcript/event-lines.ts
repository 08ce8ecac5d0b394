import type { LogEvent } from '../../runtime/events.ts';
import { sentence, type Words } from '../../runtime/inspection/spoken-words.ts';
import { numberOrNull, textOrNull } from '../../runtime/loose-fields.ts';

/** Pure: what an event says in a line or two. Fields that a log may lack are read loosely. */
export function linesOf(event: LogEvent): readonly Words[] {
  switch (event.type) {
    case 'session_started': {
      const { app_version, permission_mode } = event.data;
      const workspace = textOrNull(event.data, 'workspace');
      const parent = textOrNull(event.data, 'parent_session_id');
      return [
        sentence('Started by version {0}, mode {1}', app_version, permission_mode),
        ...(workspace === null ? [] : [sentence('Workspace: {0}', workspace)]),
        ...(parent === null ? [] : [sentence('Agent of the session {0}', parent)]),
      ];
    }
    case 'session_fork':
      return [
        sentence('Forked from {0} up to its seq {1}', event.data.parent_session_id, event.data.forked_to_seq),
      ];
    case 'developer_context': {
      const { workspace, branch, permission_mode } = event.data;
      return [
        sentence('Context: {0}, branch {1}, mode {2}', workspace ?? '-', branch ?? '-', permission_mode),
      ];
    }
    case 'tool_call_decision': {
      const { action, decided_by, target_id, reason, rule } = event.data;
      return [
        sentence('Decision about {0}: {1}, by {2}', target_id, action, decided_by),
        ...(reason === undefined || reason === '' ? [] : [sentence('Reason: {0}', reason)]),
        ...(rule === undefined ? [] : [sentence('Rule: {0}', rule)]),
      ];
    }
    case 'run_status': {
      const { status, reason } = event.data;
      return [
        reason === undefined ? sentence('Run: {0}', status) : sentence('Run: {0} ({1})', status, reason),
      ];
    }
    case 'permission_decision': {
      const { call_id, decision } = event.data;
      const by = textOrNull(event.data, 'decided_by') ?? '-';
      const rule = textOrNull(event.data, 'rule');
      return [
        sentence('Permission for {0}: {1}, by {2}', call_id, decision, by),
        ...(rule === null ? [] : [sentence('Rule: {0}', rule)]),
      ];
    }
    case 'file_change':
      return [changeWords(event.data)];
    case 'provider_usage': {
      const { model, tokens } = event.data;
      return [
        sentence('Model call: {0}, {1} tokens', model, tokens.total === null ? '?' : { count: tokens.total }),
      ];
    }
    case 'turn_failed': {
      const { terminal_status, interrupted_reason } = event.data;
      const elapsed = numberOrNull(event.data, 'elapsed_ms');
      return [
        sentence('Recorded as: {0}', terminal_status),
        ...(interrupted_reason === undefined ? [] : [sentence('Reason: {0}', interrupted_reason)]),
        ...(elapsed === null ? [] : [sentence('Took {0}', { ms: elapsed })]),
      ];
    }
    case 'history_compaction': {
      const { range, tail_from_seq } = event.data;
      return [
        sentence(
          'Stands for seq {0} to {1}; sent as it is from seq {2} on',
          range.from_seq,
          range.to_seq,
          tail_from_seq,
        ),
      ];
    }
    case 'skill_activation':
      return [sentence('Path: {0}', textOrNull(event.data, 'path') ?? '-')];
    case 'interruption_note':
      return [sentence('Reason: {0}', event.data.reason)];
    case 'subagent_event': {
      const { event: what, status, subagent_id } = event.data;
      const child = textOrNull(event.data, 'child_session_id') ?? '-';
      return [sentence('Agent {0}: {1}, state {2}, session {3}', subagent_id, what, status, child)];
    }
    case 'workflow_event': {
      const { event: what, workflow_id, step_id, status } = event.data;
      return [
        sentence('Workflow {0}: {1}, step {2}, state {3}', workflow_id, what, step_id ?? '-', status ?? '-'),
      ];
    }
    case 'diagnostic':
      return [sentence('Diagnostic: {0}', event.data.code)];
    case 'reasoning':
      return [sentence('Reasoning of {0}, opaque', event.data.model)];
    case 'user_message':
    case 'assistant_message':
    case 'tool_call':
    case 'tool_result':
    case 'tool_call_status':
    case 'branch_summary':
    case 'unknown':
      return [];
  }
}

function changeWords(data: object): Words {
  const path = textOrNull(data, 'path') ?? '';
  const [added, removed] = [numberOrNull(data, 'added'), numberOrNull(data, 'removed')];
  const counts = added === null || removed === null ? '' : `+${added} -${removed}`;
  if ('redo_of' in data) return sentence('Undo taken back: {0} {1}', path, counts);
  if ('undo_of' in data) return sentence('File put back: {0} {1}', path, counts);
  if ('created' in data && data.created === true) return sentence('File created: {0} {1}', path, counts);
  if ('deleted' in data && data.deleted === true) return sentence('File deleted: {0} {1}', path, counts);
  return sentence('File changed: {0} {1}', path, counts);
}
