/** Calls of the tools that change files and run commands, as a model makes them. */
export type Call = readonly [call_id: string, name: string, args: object];

export function edit(call_id: string, old_text: string, new_text: string, path = 'a.txt'): Call {
  return [call_id, 'edit_file', { path, old_text, new_text }];
}

/** Unless its content is given, the file says which call wrote it. */
export function write(call_id: string, path: string, content = `by ${call_id}`): Call {
  return [call_id, 'write_file', { path, content }];
}

export function run(call_id: string, command: string): Call {
  return [call_id, 'run_command', { command }];
}
