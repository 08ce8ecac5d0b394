import type { Effect } from '../runtime/ports.ts';

/** What each tool does to things, for those who only read a log and make no tools. */
const EFFECTS: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ['ask_user', 'interact'],
  ['edit_file', 'write'],
  ['list_files', 'read'],
  ['read_file', 'read'],
  ['run_command', 'execute'],
  ['search_text', 'read'],
  ['update_plan', 'interact'],
  ['write_file', 'write'],
]);

/** Null for a tool that this version does not have. */
export function effectOf(toolName: string): Effect | null {
  return EFFECTS.get(toolName) ?? null;
}
