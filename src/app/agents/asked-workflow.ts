import type { Prompt } from '../../runtime/opening.ts';
import { mistakesText } from '../../runtime/workflows/fields.ts';
import { parseRequest, type WorkflowRequest } from '../../runtime/workflows/request.ts';

export type AskedWorkflow =
  | { readonly ok: true; readonly text: string; readonly call: NonNullable<Prompt['call']> }
  | { readonly ok: false; readonly message: string };

/** What a person's wish for a workflow says, and the call that it begins with. */
export function askedWorkflow(workflow: unknown): AskedWorkflow {
  const args = { workflow };
  const parsed = parseRequest(args);
  if (!parsed.ok)
    return { ok: false, message: `The workflow was not started:\n${mistakesText(parsed.mistakes)}` };
  const call = { name: 'run_workflow', args: JSON.stringify(args) };
  return { ok: true, text: wordsOf(parsed.request), call };
}

function wordsOf(request: WorkflowRequest): string {
  switch (request.kind) {
    case 'spec':
      return `Workflow: ${request.spec.name}`;
    case 'resume':
      return `Workflow: go on with ${request.workflow_id}`;
    case 'template': {
      const given = Object.entries(request.parameters).map(
        ([name, value]) => `${name}: ${JSON.stringify(value)}`,
      );
      return `Workflow: ${request.template}${given.length === 0 ? '' : ` (${given.join(', ')})`}`;
    }
  }
}
