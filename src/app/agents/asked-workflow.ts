import type { Prompt } from '../../runtime/opening.ts';
import { mistakesText } from '../../runtime/workflows/fields.ts';
import type { WorkflowState } from '../../runtime/workflows/state.ts';
import { parseRequest, type WorkflowRequest } from '../../runtime/workflows/request.ts';

export type AskedWorkflow =
  | { readonly ok: true; readonly text: string; readonly call: NonNullable<Prompt['call']> }
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
  return { ok: true, text: wordsOf(parsed.request, known), call };
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
