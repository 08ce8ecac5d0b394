import type * as z from 'zod';
import { approvedPath, pathTarget } from './path-targets.ts';
import type { ToolContext } from '../runtime/ports.ts';
import {
  makeChange,
  planChange,
  proposalOf,
  type ChangeOptions,
  type PlannedChange,
} from './planned-change.ts';
import { ok, type Result } from './tool-faults.ts';
import { defineTool, failed, type Tool } from './tool.ts';

/** What one tool makes of a file. */
export interface Change<Input> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<Input>;
  /** Pure: the new content, or why there is none. `before` is undefined when there is no file. */
  readonly decide: (
    input: Input,
    display: string,
    before: Buffer | undefined,
  ) => Result<{ readonly bytes: Buffer; readonly note?: string }>;
}

type Circumstances = Pick<ToolContext, 'signal' | 'basis'>;

/** A tool that changes one file: planned the same way for showing it and for doing it. */
export function changingTool<Input extends { readonly path: string }>(
  options: ChangeOptions,
  { name, description, schema, decide }: Change<Input>,
): Tool {
  const { workspace } = options;
  const plan = async (
    input: Input,
    { signal, basis }: Circumstances,
    subject: string,
  ): Promise<Result<PlannedChange>> => {
    const path = approvedPath(workspace, input.path, subject);
    if (!path.ok) return path;
    return await planChange(path.value, options, {
      signal,
      basis,
      decide: (before) => decide(input, path.value.display, before),
    });
  };
  return defineTool<Input>({
    name,
    description,
    effect: 'write',
    schema,
    target: (input) => pathTarget(workspace, input.path, 'writes'),
    async run(input, context, subject) {
      const planned = await plan(input, context, subject);
      return planned.ok ? await makeChange(planned.value, options, context.signal) : failed(planned.error);
    },
    async change(input, signal, subject) {
      const planned = await plan(input, { signal }, subject);
      return planned.ok ? ok(proposalOf(planned.value)) : planned;
    },
    outcomeOn(input, before) {
      const decided = decide(input, input.path, before);
      return decided.ok ? ok(decided.value.bytes) : decided;
    },
  });
}
