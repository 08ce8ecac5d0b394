import * as z from 'zod';
import { ok } from './tool-faults.ts';
import { defineTool, type Tool } from './tool.ts';

const NAME = 'ask_user';
const QUESTION_CHARS = 4_000;
const SCHEMA_BYTES = 8 * 1_024;

const AskUser = z.strictObject({
  question: z
    .string()
    .max(QUESTION_CHARS, { error: `has more than ${QUESTION_CHARS} characters` })
    .refine((question) => question.trim() !== '', { error: 'is empty' }),
  schema: z
    .record(z.string(), z.unknown())
    .refine(isSmall, { error: `has more than ${SCHEMA_BYTES} bytes as JSON` })
    .nullish(),
});

/** Ordinary, not strict: a schema of any shape cannot be described strictly. */
const PARAMETERS = {
  type: 'object',
  properties: {
    question: {
      type: 'string',
      description: 'What to ask, with all that is needed to answer it. At most 4,000 characters.',
    },
    schema: {
      type: ['object', 'null'],
      description: 'JSON Schema of the answer, such as an enum of choices. Without it the answer is text.',
    },
  },
  required: ['question'],
  additionalProperties: false,
} as const;

/** A question to the person. It never runs anything: the call waits, and the answer becomes its output. */
export function askUserTool(): Tool {
  return defineTool({
    name: NAME,
    description:
      'Asks the person a question and waits; the output is the answer. Use it only when you cannot go on ' +
      'without their choice: not for what tools can tell you, and not to ask whether you may call a tool.',
    effect: 'interact',
    schema: AskUser,
    parameters: PARAMETERS,
    target: (input) => ok({ subject: input.question, writes: [] }),
    run({ question, schema }) {
      const response = schema === null || schema === undefined ? {} : { response_schema: schema };
      return Promise.resolve({
        kind: 'suspended',
        suspension: {
          reason: 'question',
          message: question,
          parameters: { tool: NAME, question },
          ...response,
          resume_mode: 'use_decision_as_result',
        },
      });
    },
  });
}

function isSmall(schema: Readonly<Record<string, unknown>>): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(schema)) <= SCHEMA_BYTES;
  } catch (error) {
    // What is nested too deep to be written can be parsed all the same.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
