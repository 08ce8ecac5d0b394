import * as z from 'zod';
import { ROLES } from '../runtime/agents/child-policy.ts';
import type { ToolContext, ToolOutcome } from '../runtime/ports.ts';
import { mistakesText } from '../runtime/workflows/fields.ts';
import { parseRequest, type WorkflowRequest } from '../runtime/workflows/request.ts';
import { PERMISSION_MODES, SPEC_LIMITS } from '../runtime/workflows/spec.ts';
import { fault, ok, type Result } from './tool-faults.ts';
import { defineTool, failed, type Tool } from './tool.ts';

const NAME = 'run_workflow';

/** Whoever runs workflows: the log, the children and the templates are theirs. */
export interface WorkflowRuns {
  run(request: WorkflowRequest, context: ToolContext): Promise<ToolOutcome>;
}

const paths = (description: string) => ({ type: ['array', 'null'], items: { type: 'string' }, description });
const number = (description: string) => ({ type: ['integer', 'null'], description });

const STEP = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Short, and its own.' },
    task: {
      type: 'string',
      description:
        'All that the agent needs to know: it sees nothing of this conversation nor of other steps.',
    },
    agent: { type: ['string', 'null'], enum: [...ROLES, null], description: 'explorer only reads.' },
    depends_on: paths('Ids of steps that have to be checkpoint_ready first.'),
    permission_mode: { type: ['string', 'null'], enum: [...PERMISSION_MODES, null] },
    read_set: paths('Paths or globs in the workspace that it reads while nobody else may change them.'),
    write_set: paths('Paths or globs that it may change. Steps whose write sets overlap never run together.'),
    timeout_ms: number('Time limit of the step.'),
    required: { type: ['boolean', 'null'], description: 'Default true. An optional step may fail.' },
  },
  required: ['id', 'task'],
  additionalProperties: false,
} as const;

/** Ordinary, not strict: a spec, a template with any parameters, or one to resume. */
const PARAMETERS = {
  type: 'object',
  properties: {
    workflow: {
      type: ['object', 'null'],
      properties: {
        id: { type: ['string', 'null'] },
        name: { type: ['string', 'null'], description: 'What a person reads.' },
        max_concurrency: number('How many steps may run at once.'),
        timeout_ms: number('Time limit of all of it.'),
        steps: { type: 'array', items: STEP, description: `At most ${SPEC_LIMITS.steps}.` },
      },
      required: ['name', 'steps'],
      additionalProperties: false,
    },
    template: { type: ['string', 'null'], description: 'Name of a template, in place of workflow.' },
    parameters: { type: ['object', 'null'], description: 'Of the template.' },
    resume: { type: ['string', 'null'], description: 'workflow_id to go on with, in place of workflow.' },
  },
  additionalProperties: false,
} as const;

/** Runs agents in the order of their dependencies. It changes nothing itself: what its agents do is asked for there. */
export function runWorkflowTool(runs: WorkflowRuns): Tool {
  return defineTool({
    name: NAME,
    description:
      'Runs several agents as one workflow, in parallel where their dependencies allow, and answers when all have ' +
      'ended: {ok, status, completion_ready, partial_outcome_ready, steps, next_actions}. ok is true only when every ' +
      'required step is checkpoint_ready; read each step before you build on it. Give workflow, or template with ' +
      'parameters, or resume to go on with one that did not complete: finished steps are not run again. Use it for ' +
      'work that splits into independent parts; for one part use spawn_agent.',
    effect: 'interact',
    schema: z.unknown(),
    parameters: PARAMETERS,
    target(input) {
      const parsed = requestOf(input);
      return parsed.ok ? ok({ subject: subjectOf(parsed.value), writes: [] }) : parsed;
    },
    async run(input, context) {
      const parsed = requestOf(input);
      return parsed.ok ? await runs.run(parsed.value, context) : failed(parsed.error);
    },
  });
}

function requestOf(input: unknown): Result<WorkflowRequest> {
  const parsed = parseRequest(input);
  if (parsed.ok) return ok(parsed.request);
  const { mistakes } = parsed;
  const message = `The arguments of ${NAME} are not valid, and nothing was started:\n${mistakesText(mistakes)}`;
  return fault('invalid_arguments', message, { mistakes });
}

function subjectOf(request: WorkflowRequest): string {
  switch (request.kind) {
    case 'spec':
      return request.spec.name;
    case 'template':
      return request.template;
    case 'resume':
      return request.workflow_id;
  }
}
