import * as z from 'zod';
import type { AgentReport, Agents, Answered, Asker, Listed } from '../runtime/agents/agents-port.ts';
import { ROLES } from '../runtime/agents/child-policy.ts';
import type { ToolError } from '../runtime/events.ts';
import type { ToolContext, ToolOutcome } from '../runtime/ports.ts';
import { ok } from './tool-faults.ts';
import { defineTool, succeeded, type Tool } from './tool.ts';

const TASK_CHARS = 32_000;
const REASON_CHARS = 2_000;
const MOST_MS = 24 * 60 * 60 * 1000;
const MOST_IDS = 2_000;

const words = (most: number) =>
  z
    .string()
    .max(most, { error: `has more than ${most} characters` })
    .refine((text) => text.trim() !== '', { error: 'is empty' });
const milliseconds = z
  .int({ error: 'is not a whole number of milliseconds' })
  .positive({ error: 'is not positive' })
  .max(MOST_MS, { error: `is more than ${MOST_MS}` })
  .nullish();
const id = z.string().min(1, { error: 'is empty' }).max(200, { error: 'is no id of an agent' });

const Spawn = z.strictObject({
  task: words(TASK_CHARS).describe(
    'All that the agent has to know: it sees nothing else of this conversation.',
  ),
  agent: z.enum(ROLES).nullish().describe('explorer only reads; worker and default may do what you may.'),
  timeout_ms: milliseconds.describe('How long it may work. Default: 10 minutes.'),
});
const Wait = z.strictObject({
  ids: z
    .array(id)
    .max(MOST_IDS, { error: `has more than ${MOST_IDS} ids` })
    .nullish()
    .describe('Which agents; all of them without it.'),
  timeout_ms: milliseconds.describe('How long to wait at most. The agents go on working afterwards.'),
});
const Send = z.strictObject({
  id: id.describe('Which agent.'),
  text: words(TASK_CHARS).describe('What it is told next.'),
});
const Close = z.strictObject({
  id: id.describe('Which agent.'),
  reason: words(REASON_CHARS).nullish().describe('Why it is not needed any more.'),
});
const List = z.strictObject({});

/** The tools by which an agent hands work to others (§9). */
export function agentTools(agents: Agents): readonly Tool[] {
  return [
    defineTool({
      name: 'spawn_agent',
      description:
        'Gives a task to another agent, which works on it beside you in a session of its own, and answers at once ' +
        'with its ids. Use it for work that can go on in parallel. Then wait_agent: you cannot finish before your ' +
        'agents have, unless you close them.',
      effect: 'interact',
      schema: Spawn,
      parameters: SPAWN_PARAMETERS,
      target: ({ task }) => ok({ subject: task, writes: [] }),
      run: async ({ task, agent, timeout_ms }, context) => {
        const request = { task, agent: agent ?? 'default', timeout_ms: timeout_ms ?? null };
        return told(await agents.spawn({ ...request, permission_mode: null, asker: askerOf(context) }));
      },
    }),
    defineTool({
      name: 'wait_agent',
      description:
        'Waits until agents have ended, and answers how each stands. Each end is told once, with what the agent ' +
        'said last; an end that nobody waited for is told to you before your next step. Cancels nobody.',
      effect: 'read',
      schema: Wait,
      parameters: WAIT_PARAMETERS,
      target: ({ ids }) => ok({ subject: ids?.join(', ') ?? 'all agents', writes: [] }),
      run: async ({ ids, timeout_ms }, { signal }) => {
        const answer = await agents.wait(ids ?? null, { timeout_ms: timeout_ms ?? null, signal });
        if (!answer.ok) return refused(answer.error);
        return { ...succeeded(json(listed(answer.value))), delivers: answer.value.delivers };
      },
    }),
    defineTool({
      name: 'send_input',
      description:
        'Tells an agent something more: one that has ended goes on with it, one that works gets it after its ' +
        'present answer.',
      effect: 'interact',
      schema: Send,
      target: (input) => ok({ subject: input.id, writes: [] }),
      run: async (input, context) => told(await agents.send(input.id, input.text, askerOf(context))),
    }),
    defineTool({
      name: 'close_agent',
      description: 'Ends an agent whose work is not needed any more, and answers with what it has said.',
      effect: 'interact',
      schema: Close,
      target: (input) => ok({ subject: input.id, writes: [] }),
      run: async (input) => {
        const answer = await agents.close(input.id, input.reason ?? null);
        if (!answer.ok) return refused(answer.error);
        const { agent, delivers } = answer.value;
        return { ...succeeded(json(reported(agent))), delivers };
      },
    }),
    defineTool({
      name: 'list_agents',
      description: 'Lists the agents of this session, with their tasks and how they stand.',
      effect: 'read',
      schema: List,
      target: () => ok({ subject: 'all agents', writes: [] }),
      run: () => Promise.resolve(succeeded(json(listed(agents.list())))),
    }),
  ];
}

/** Written out: strict schemas of lists and of closed words are more than our shortened form can say. */
const SPAWN_PARAMETERS = {
  type: 'object',
  properties: {
    task: {
      type: 'string',
      description: 'All that the agent has to know: it sees nothing else of this conversation.',
    },
    agent: {
      type: ['string', 'null'],
      enum: [...ROLES, null],
      description: 'explorer only reads; worker and default may do what you may.',
    },
    timeout_ms: { type: ['integer', 'null'], description: 'How long it may work. Default: 10 minutes.' },
  },
  required: ['task'],
  additionalProperties: false,
} as const;

const WAIT_PARAMETERS = {
  type: 'object',
  properties: {
    ids: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Which agents; all of them without it.',
    },
    timeout_ms: {
      type: ['integer', 'null'],
      description: 'How long to wait at most. The agents go on working afterwards.',
    },
  },
  required: [],
  additionalProperties: false,
} as const;

function refused(error: ToolError): ToolOutcome {
  return { kind: 'failure', error, changes: [] };
}

function askerOf({ call }: ToolContext): Asker | null {
  return call ?? null;
}

function told(answer: Answered<object>): ToolOutcome {
  return answer.ok ? succeeded(json(answer.value)) : refused(answer.error);
}

function listed({ agents, left_out }: Listed): object {
  const note = `${left_out} older agents that have ended are not listed.`;
  return { agents: agents.map(reported), ...(left_out === 0 ? {} : { note }) };
}

/** Nothing of it that says nothing. */
function reported({ told_before, summary, task, ...rest }: AgentReport): object {
  return {
    ...rest,
    ...(summary === null ? {} : { summary }),
    ...(told_before === true ? { note: 'How it ended was told to you before.' } : {}),
    ...(task === undefined ? {} : { task }),
  };
}

function json(value: unknown): string {
  return JSON.stringify(value);
}
