import type { Effect } from '../runtime/ports.ts';

/** What each tool does to things, for those who only read a log and make no tools. */
const EFFECTS: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ['ask_user', 'interact'],
  ['close_agent', 'interact'],
  ['edit_file', 'write'],
  ['list_agents', 'read'],
  ['list_files', 'read'],
  ['read_file', 'read'],
  ['report_checkpoint', 'interact'],
  ['run_command', 'execute'],
  ['run_workflow', 'interact'],
  ['search_text', 'read'],
  ['send_input', 'interact'],
  ['spawn_agent', 'interact'],
  ['update_plan', 'interact'],
  ['wait_agent', 'read'],
  ['write_file', 'write'],
]);

/** Null for a tool that this version does not have. */
export function effectOf(toolName: string): Effect | null {
  return EFFECTS.get(toolName) ?? null;
}
