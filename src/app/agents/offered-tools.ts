import type { Agents } from '../../runtime/agents/agents-port.ts';
import type { WorkflowRuns } from '../../tools/run-workflow.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Workspace } from '../../tools/workspace-paths.ts';

const NOT_OPEN = {
  ok: false,
  error: { kind: 'session_not_open', message: 'The session is not open, so it can have no agents now.' },
} as const;

/** For those who only have to know which tools there are. */
const NO_AGENTS: Agents = {
  spawn: async () => NOT_OPEN,
  wait: async () => NOT_OPEN,
  send: async () => NOT_OPEN,
  close: async () => NOT_OPEN,
  list: () => ({ agents: [], left_out: 0 }),
};

const NO_WORKFLOWS: WorkflowRuns = {
  run: async () => ({ kind: 'failure', error: NOT_OPEN.error, changes: [] }),
};

/** What an agent that may hand work to others is offered for that. */
export async function orchestrationTools(
  agents: Agents = NO_AGENTS,
  workflows: WorkflowRuns = NO_WORKFLOWS,
): Promise<readonly Tool[]> {
  const { agentTools, runWorkflowTool } = await import('../../tools/all-tools.ts');
  return [...agentTools(agents), runWorkflowTool(workflows)];
}

/** What a child has beside the tools of the workspace: a way to report, and children of its own where it may. */
export async function childTools(
  workspace: Workspace,
  own: { readonly agents: Agents; readonly workflows: WorkflowRuns } | null,
): Promise<readonly Tool[]> {
  const { reportCheckpointTool } = await import('../../tools/all-tools.ts');
  const others = own === null ? [] : await orchestrationTools(own.agents, own.workflows);
  return [reportCheckpointTool(workspace), ...others];
}
