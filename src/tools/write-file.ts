import * as z from 'zod';
import { approvedPath, pathTarget } from './path-targets.ts';
import {
  makeChange,
  planChange,
  previewOf,
  type ChangeOptions,
  type PlannedChange,
} from './planned-change.ts';
import { adoptStyle } from './text-edit.ts';
import { ok, type Result } from './tool-faults.ts';
import { defineTool, failed, type Tool } from './tool.ts';

const WriteFile = z.strictObject({
  path: z.string().min(1).describe('Path in the workspace. Missing folders are created.'),
  content: z.string().describe('The whole new content.'),
});

type WriteFile = z.infer<typeof WriteFile>;

export function writeFileTool(options: ChangeOptions): Tool {
  const { workspace } = options;
  const plan = async (
    input: WriteFile,
    signal: AbortSignal,
    subject: string,
  ): Promise<Result<PlannedChange>> => {
    const path = approvedPath(workspace, input.path, subject);
    if (!path.ok) return path;
    return await planChange(path.value, options, signal, (before) =>
      ok({ bytes: adoptStyle(input.content, before) }),
    );
  };
  return defineTool({
    name: 'write_file',
    description:
      'Creates a file or replaces its whole content. Use edit_file for a change to an existing file. ' +
      'The line ends and the byte order mark of an existing file are kept.',
    effect: 'write',
    schema: WriteFile,
    target: (input) => pathTarget(workspace, input.path, 'writes'),
    async run(input, { signal }, subject) {
      const planned = await plan(input, signal, subject);
      return planned.ok ? await makeChange(planned.value, options, signal) : failed(planned.error);
    },
    async preview(input, signal, subject) {
      const planned = await plan(input, signal, subject);
      return planned.ok ? ok(previewOf(planned.value)) : planned;
    },
  });
}
