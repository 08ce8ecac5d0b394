import * as z from 'zod';
import { ok } from './tool-faults.ts';
import { defineTool, succeeded, type Tool } from './tool.ts';

const MAX_STEPS = 30;
const STEP_CHARS = 300;
const EXPLANATION_CHARS = 1_000;
const STATUSES = ['pending', 'in_progress', 'completed'] as const;

const Step = z.strictObject({
  step: z
    .string()
    .max(STEP_CHARS, { error: `has more than ${STEP_CHARS} characters` })
    .refine((step) => step.trim() !== '', { error: 'is empty' }),
  status: z.enum(STATUSES),
});

const UpdatePlan = z.strictObject({
  steps: z
    .array(Step)
    .min(1, { error: 'has no step' })
    .max(MAX_STEPS, { error: `has more than ${MAX_STEPS} steps` })
    .refine((steps) => steps.filter(({ status }) => status === 'in_progress').length <= 1, {
      error: 'has more than one step in progress',
    }),
  explanation: z
    .string()
    .max(EXPLANATION_CHARS, { error: `has more than ${EXPLANATION_CHARS} characters` })
    .nullish(),
});

/** Written out, because a list of objects is more than the strict form of our schemas can say. */
const PARAMETERS = {
  type: 'object',
  properties: {
    steps: {
      type: 'array',
      description: 'All steps of the plan in order, also those that are done. At most 30.',
      items: {
        type: 'object',
        properties: {
          step: { type: 'string', description: 'What is to be done, in a few words.' },
          status: { type: 'string', enum: STATUSES, description: 'At most one step is in_progress.' },
        },
        required: ['step', 'status'],
        additionalProperties: false,
      },
    },
    explanation: { type: ['string', 'null'], description: 'Why the plan changed, if it did.' },
  },
  required: ['steps'],
  additionalProperties: false,
} as const;

/** Shows the person what is planned. It touches nothing but what they see, so no mode asks about it. */
export function updatePlanTool(): Tool {
  return defineTool({
    name: 'update_plan',
    description:
      'Shows the person your plan as a checklist; each call replaces the whole plan. Use it for work of several ' +
      'steps, and call it again when a step begins or is done. Not for work of one step.',
    effect: 'interact',
    schema: UpdatePlan,
    parameters: PARAMETERS,
    target: ({ steps }) => ok({ subject: `${steps.length} steps`, writes: [] }),
    run: ({ steps }) => {
      const done = steps.filter(({ status }) => status === 'completed').length;
      return Promise.resolve(succeeded(`The plan is shown: ${done} of ${steps.length} steps completed.`));
    },
  });
}
