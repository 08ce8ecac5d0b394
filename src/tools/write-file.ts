import * as z from 'zod';
import { changingTool } from './changing-tool.ts';
import type { ChangeOptions } from './planned-change.ts';
import { adoptStyle } from './text-edit.ts';
import { ok } from './tool-faults.ts';
import type { Tool } from './tool.ts';

const WriteFile = z.strictObject({
  path: z.string().min(1).describe('Path in the workspace. Missing folders are created.'),
  content: z.string().describe('The whole new content.'),
});

export function writeFileTool(options: ChangeOptions): Tool {
  return changingTool(options, {
    name: 'write_file',
    description:
      'Creates a file or replaces its whole content. Use edit_file for a change to an existing file. ' +
      'The line ends and the byte order mark of an existing file are kept.',
    schema: WriteFile,
    decide: ({ content }, _, before) => ok({ bytes: adoptStyle(content, before) }),
  });
}
