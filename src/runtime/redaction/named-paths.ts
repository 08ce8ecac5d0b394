import type { LogEvent } from '../events.ts';
import { list, parsed, textOrNull } from '../loose-fields.ts';

/** Pure: the files that fields of an event name, and the bodies. */

export function namedPaths(event: LogEvent): readonly string[] {
  switch (event.type) {
    case 'file_change': {
      const { path, made_folders = [], removed_folders = [] } = event.data;
      return [path, ...made_folders, ...removed_folders].filter((one) => typeof one === 'string');
    }
    case 'tool_call':
      return [textOrNull(parsed(event.data.args), 'path')].filter((path) => path !== null);
    case 'user_message':
    case 'tool_result':
      return (event.data.attachments ?? []).flatMap(({ path }) => (path === undefined ? [] : [path]));
    case 'skill_activation':
      return [textOrNull(event.data, 'path')].filter((path) => path !== null);
    case 'history_compaction':
    case 'branch_summary':
      return list(event.data, 'files_touched').filter((path) => typeof path === 'string');
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'assistant_message':
    case 'reasoning':
    case 'tool_call_status':
    case 'tool_call_decision':
    case 'run_status':
    case 'permission_decision':
    case 'provider_usage':
    case 'turn_failed':
    case 'interruption_note':
    case 'subagent_event':
    case 'workflow_event':
    case 'diagnostic':
    case 'unknown':
      return [];
  }
}

/** Folders that the log itself takes for the workspace. */
export function namedWorkspaces(event: LogEvent): readonly string[] {
  if (event.type !== 'session_started' && event.type !== 'developer_context') return [];
  const workspace = textOrNull(event.data, 'workspace');
  // Several folders are told of one a line.
  return workspace === null ? [] : workspace.split('\n').filter((line) => line !== '');
}

const BODIES: ReadonlySet<string> = new Set(['blob', 'before_blob']);
const BODY = /^[0-9a-f]{64}$/u;

/** Whether a field names a body: whoever looks for one takes no other name for that of one. */
export function isBodyName(field: string, value: unknown): value is string {
  return BODIES.has(field) && typeof value === 'string' && BODY.test(value);
}

/** The bodies that an event names, wherever in it. */
export function namedBodies(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namedBodies);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => (isBodyName(name, one) ? [one] : namedBodies(one)));
}
