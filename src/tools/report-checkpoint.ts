import * as z from 'zod';
import type { Checkpoint } from '../runtime/agent-events.ts';
import { CHECKPOINT_STATUSES, parseCheckpoint } from '../runtime/workflows/checkpoint.ts';
import { mistakesText } from '../runtime/workflows/fields.ts';
import { fault, ok, type Result } from './tool-faults.ts';
import { defineTool, failed, succeeded, type Tool } from './tool.ts';
import { resolvePath, type Workspace } from './workspace-paths.ts';

const NAME = 'report_checkpoint';

const list = (description: string) => ({ type: ['array', 'null'], items: { type: 'string' }, description });

const PARAMETERS = {
  type: 'object',
  properties: {
    status: {
      type: 'string',
      enum: CHECKPOINT_STATUSES,
      description:
        'checkpoint_ready: the task is done and others can build on it. partial: some of it is usable. failed: ' +
        'nothing is. held: a person has to answer first. needs_orchestrator: who gave you the task has to decide.',
    },
    summary: { type: 'string', description: 'What you found or did; when held, what you need to know.' },
    limitations: list('What is missing, uncertain or not covered.'),
    verification: list('How you checked it, with the result of each check.'),
    artifacts: list('Paths in the workspace that you made or changed.'),
  },
  required: ['status', 'summary'],
  additionalProperties: false,
} as const;

/** How a child says what it has. It touches nothing: the call itself, in the child's log, is the report. */
export function reportCheckpointTool(workspace: Workspace): Tool {
  return defineTool({
    name: NAME,
    description:
      'You work for another agent, which sees your report and your last words and nothing else. Call this once, when ' +
      'you are done or cannot go on, just before your last answer; a later call replaces an earlier one. Claim ' +
      'checkpoint_ready only for what you have checked.',
    effect: 'interact',
    schema: z.unknown(),
    parameters: PARAMETERS,
    target(input) {
      const report = reportOf(input, workspace);
      return report.ok ? ok({ subject: report.value.status, writes: [] }) : report;
    },
    run(input) {
      const report = reportOf(input, workspace);
      if (!report.ok) return Promise.resolve(failed(report.error));
      const { status } = report.value;
      return Promise.resolve(succeeded(`Reported as ${status}. Give your last answer now.`));
    },
  });
}

function reportOf(input: unknown, workspace: Workspace): Result<Checkpoint> {
  const parsed = parseCheckpoint(input);
  const outside = parsed.ok ? outsideOf(parsed.checkpoint, workspace) : [];
  const lines = parsed.ok ? outside : [mistakesText(parsed.mistakes)];
  if (parsed.ok && lines.length === 0) return ok(parsed.checkpoint);
  return fault(
    'invalid_arguments',
    `The arguments of ${NAME} are not valid, and nothing was reported:\n${lines.join('\n')}`,
  );
}

/** Where links lead counts, as for every other path. */
function outsideOf({ artifacts }: Checkpoint, workspace: Workspace): readonly string[] {
  return artifacts.flatMap(({ path }, index) => {
    const resolved = resolvePath(workspace, path);
    return resolved.ok ? [] : [`artifacts[${index}]: ${resolved.error.message}`];
  });
}
