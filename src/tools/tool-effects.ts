import type { Effect } from '../runtime/ports.ts';
import type { ToolName } from '../runtime/tool-names.ts';

/** What each tool does to things, for those who only read a log and make no tools. */
const EFFECTS: Readonly<Record<ToolName, Effect>> = {
  activate_skill: 'read',
  ask_user: 'interact',
  close_agent: 'interact',
  edit_file: 'write',
  list_agents: 'read',
  list_files: 'read',
  read_file: 'read',
  report_checkpoint: 'interact',
  run_command: 'execute',
  run_workflow: 'interact',
  search_text: 'read',
  send_input: 'interact',
  spawn_agent: 'interact',
  update_plan: 'interact',
  view_image: 'read',
  wait_agent: 'read',
  write_file: 'write',
};

const BY_NAME: ReadonlyMap<string, Effect> = new Map(Object.entries(EFFECTS));

/** Null for a tool that this version does not have. */
export function effectOf(toolName: string): Effect | null {
  return BY_NAME.get(toolName) ?? null;
}
