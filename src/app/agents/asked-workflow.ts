import type { Prompt } from '../../runtime/opening.ts';
import type { SessionState } from '../../runtime/session-state.ts';
import { WORKFLOW_HELD, type OpenCall } from '../../runtime/turn-calls.ts';
import { pendingCalls } from '../../runtime/turn.ts';
import { mistakesText } from '../../runtime/workflows/fields.ts';
import type { WorkflowState } from '../../runtime/workflows/state.ts';
import { parseRequest, type WorkflowRequest } from '../../runtime/workflows/request.ts';

export type AskedWorkflow =
  | {
      readonly ok: true;
      readonly text: string;
      readonly call: NonNullable<Prompt['call']>;
      /** The one to go on with; null where it is a new one. */
      readonly resumes: string | null;
    }
  | { readonly ok: false; readonly message: string };

/** What a person's wish for a workflow says, and the call that it begins with. Those that are known have names. */
export function askedWorkflow(
  workflow: unknown,
  known: readonly Pick<WorkflowState, 'workflow_id' | 'name'>[],
): AskedWorkflow {
  const args = { workflow };
  const parsed = parseRequest(args);
  if (!parsed.ok)
    return { ok: false, message: `The workflow was not started:\n${mistakesText(parsed.mistakes)}` };
  const call = { name: 'run_workflow', args: JSON.stringify(args) };
  const { request } = parsed;
  const resumes = request.kind === 'resume' ? request.workflow_id : null;
  return { ok: true, text: wordsOf(request, known), call, resumes };
}

/** The turn whose call asks a person how that workflow is to go on: a newer turn would take the question away. */
export function askingTurn({ turn, workflows }: SessionState, workflowId: string): string | null {
  const call_id = workflows.find(({ workflow_id }) => workflow_id === workflowId)?.call_id;
  const isAsking = (call: OpenCall): boolean =>
    call.call_id === call_id && call.suspension?.reason === WORKFLOW_HELD && call.decision === null;
  return turn !== null && pendingCalls(turn).some(isAsking) ? turn.turn_id : null;
}

function wordsOf(request: WorkflowRequest, known: Parameters<typeof askedWorkflow>[1]): string {
  switch (request.kind) {
    case 'spec':
      return `Workflow: ${request.spec.name}`;
    case 'resume':
      return `Workflow: go on with ${nameIn(known, request.workflow_id)}`;
    case 'template': {
      const given = Object.entries(request.parameters).map(
        ([name, value]) => `${name}: ${JSON.stringify(value)}`,
      );
      return `Workflow: ${request.template}${given.length === 0 ? '' : ` (${given.join(', ')})`}`;
    }
  }
}

function nameIn(known: Parameters<typeof askedWorkflow>[1], id: string): string {
  return known.find(({ workflow_id }) => workflow_id === id)?.name ?? id;
}
