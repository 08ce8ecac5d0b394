import type { WorkflowResult } from '../../src/runtime/agent-events.ts';
import type { HeldReply } from '../lifecycle/held-replies.ts';
import type { Answer } from '../support/responses-server/response-events.ts';
import { asks, says, type AgentStage, type Ask } from './cast.ts';

type Steps = readonly Readonly<Record<string, unknown>>[];

/** A call of a workflow with these steps. */
export function flow(steps: Steps, more: object = {}): Ask {
  return ['w', 'run_workflow', { workflow: { id: 'f', name: 'Flow', steps, ...more } }];
}

/** Steps with these ids, whose tasks are to do them; each waits for the one before it. */
export function inLine(...ids: readonly string[]): Steps {
  return ids.map((id, at) => ({ id, task: `do ${id}`, depends_on: ids.slice(Math.max(0, at - 1), at) }));
}

/** A parent that runs a workflow and says something about it. */
export function runs(steps: Steps, last: string, more: object = {}): readonly Answer[] {
  return [asks(flow(steps, more)), says(last)];
}

export function reports(status: string, summary: string, more: object = {}): Answer {
  return asks(['r', 'report_checkpoint', { status, summary, ...more }]);
}

/** A step that is ready, with that for its summary. */
export function ready(summary: string, more: object = {}): readonly Answer[] {
  return [reports('checkpoint_ready', summary, more), says(summary)];
}

/** A step that asks a person, and goes on from the answer. */
export function holds(summary: string, then: readonly Answer[] = []): readonly Answer[] {
  return [reports('held', summary), says('I need to know.'), ...then];
}

/** A workflow of two steps whose second is held, and is ready when it is asked again. */
export function heldAtSecond(b: HeldReply): Parameters<AgentStage['cast']>[0] {
  return { Go: runs(inLine('a', 'b'), 'All done.'), 'do a': ready('A'), 'do b': [b.reply, ...ready('B')] };
}

/** The result of the workflow, as the model gets it. */
export async function resultOf(on: AgentStage): Promise<WorkflowResult> {
  return (await on.outputOf('w')) as WorkflowResult;
}

/** What is on record of workflows: what happened, to which step, and how it is then. */
export async function toldOf(on: AgentStage): Promise<readonly string[]> {
  const told = await on.of('workflow_event');
  return told.map(({ event, step_id, status }) =>
    [event, step_id, status].filter((part) => part !== undefined).join(' '),
  );
}
