/** Every tool there is, whether or not it is offered here and now; those that people meet most first. */
export const TOOL_NAMES = [
  'read_file',
  'list_files',
  'search_text',
  'view_image',
  'write_file',
  'edit_file',
  'run_command',
  'ask_user',
  'update_plan',
  'activate_skill',
  'spawn_agent',
  'wait_agent',
  'send_input',
  'close_agent',
  'list_agents',
  'run_workflow',
  'report_checkpoint',
] as const;

export type ToolName = (typeof TOOL_NAMES)[number];
