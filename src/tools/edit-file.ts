import * as z from 'zod';
import { changingTool } from './changing-tool.ts';
import type { ChangeOptions } from './planned-change.ts';
import { applyEdit } from './text-edit.ts';
import { fault, ok } from './tool-faults.ts';
import type { Tool } from './tool.ts';

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

export function editFileTool(options: ChangeOptions): Tool {
  return changingTool(options, {
    name: 'edit_file',
    description:
      'Replaces text in an existing file. old_text must match exactly and occur once, unless replace_all ' +
      'is true. Line ends are matched to those of the file.',
    schema: EditFile,
    decide(input, display, before) {
      if (before === undefined) {
        return fault('not_found', `${display} does not exist. Use write_file to create it.`);
      }
      const edited = applyEdit(display, before, { ...input, replace_all: input.replace_all ?? false });
      if (!edited.ok) return edited;
      const { bytes, replacements } = edited.value;
      return ok({ bytes, note: `${replacements} replacement${replacements === 1 ? '' : 's'}` });
    },
  });
}
