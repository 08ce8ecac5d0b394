import * as z from 'zod';
import { approvedPath, pathTarget } from './path-targets.ts';
import {
  makeChange,
  planChange,
  previewOf,
  type ChangeOptions,
  type PlannedChange,
} from './planned-change.ts';
import { applyEdit } from './text-edit.ts';
import { fault, ok, type Result } from './tool-faults.ts';
import { defineTool, failed, type Tool } from './tool.ts';

const EditFile = z
  .strictObject({
    path: z.string().min(1).describe('Path in the workspace.'),
    old_text: z
      .string()
      .min(1, { error: 'is empty; use write_file to create or replace a file' })
      .describe('Text to replace, exactly as in the file, with enough context to occur once.'),
    new_text: z.string().describe('Text to put in its place.'),
    replace_all: z.boolean().nullish().describe('Replace every occurrence. Default: false.'),
  })
  .refine((input) => input.old_text !== input.new_text, {
    error: 'old_text and new_text are the same, so nothing would change',
  });

type EditFile = z.infer<typeof EditFile>;

export function editFileTool(options: ChangeOptions): Tool {
  const { workspace } = options;
  const plan = async (
    input: EditFile,
    signal: AbortSignal,
    subject: string,
  ): Promise<Result<PlannedChange>> => {
    const path = approvedPath(workspace, input.path, subject);
    if (!path.ok) return path;
    const { display } = path.value;
    return await planChange(path.value, options, signal, (before) => {
      if (before === undefined) {
        return fault('not_found', `${display} does not exist. Use write_file to create it.`);
      }
      const edit = { ...input, replace_all: input.replace_all ?? false };
      const edited = applyEdit(display, before, edit);
      if (!edited.ok) return edited;
      const { bytes, replacements } = edited.value;
      return ok({ bytes, note: `${replacements} replacement${replacements === 1 ? '' : 's'}` });
    });
  };
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces text in an existing file. old_text must match exactly and occur once, unless replace_all ' +
      'is true. Line ends are matched to those of the file.',
    effect: 'write',
    schema: EditFile,
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
