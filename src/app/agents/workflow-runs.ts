import type { Artifact } from '../../runtime/agent-events.ts';
import { timeAtWork } from '../../runtime/held-time.ts';
import type { ToolContext, ToolOutcome } from '../../runtime/ports.ts';
import { performWorkflow, refusedWorkflow, workflowIdOf } from '../../runtime/workflows/perform.ts';
import type { WorkflowRequest } from '../../runtime/workflows/request.ts';
import type { ParsedSpec } from '../../runtime/workflows/spec.ts';
import type { WorkflowRuns } from '../../tools/run-workflow.ts';
import { nodeHasher } from '../node-ports.ts';
import { AgentDesk } from './agent-desk.ts';
import { stepAgents } from './step-agents.ts';
import type { AgentSupervisor } from './supervisor.ts';

export interface WorkflowMeans {
  /** A file that a child says it made, as it is now. */
  readonly artifact: (path: string, signal: AbortSignal) => Promise<Artifact>;
  readonly template: (asked: {
    readonly template: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  }) => Promise<ParsedSpec>;
}

/** Runs the workflows of a session with its own children. */
export function workflowRuns(supervisor: AgentSupervisor, means: WorkflowMeans): WorkflowRuns {
  return {
    async run(request, context): Promise<ToolOutcome> {
      const { call, signal, decision } = context;
      if (call === undefined) return refusedWorkflow([{ at: 'call', message: 'is no call of a turn' }]);
      const work = await workOf(request, call, means);
      if ('mistakes' in work) return refusedWorkflow(work.mistakes);
      const { workflow_id } = work;
      const task = { work, call, ...(decision === undefined ? {} : { decision }) };
      return performWorkflow(
        {
          record: (drafts) => supervisor.record(drafts),
          workflow: () =>
            supervisor.place.session().state.workflows.find((one) => one.workflow_id === workflow_id),
          agents: stepAgents(supervisor, new AgentDesk(supervisor), call),
          clock: supervisor.deps.clock,
          atWork: (ms, over) => timeAtWork(ms, supervisor.deps.clock, supervisor.news, over),
          hasher: nodeHasher,
          artifact: (path) => means.artifact(path, signal),
          signal,
          paths: { ignores_case: process.platform === 'win32' || process.platform === 'darwin' },
        },
        task,
      );
    },
  };
}

type Work = Parameters<typeof performWorkflow>[1]['work'];

async function workOf(
  request: WorkflowRequest,
  { call_id }: NonNullable<ToolContext['call']>,
  { template }: WorkflowMeans,
): Promise<Work | Extract<ParsedSpec, { ok: false }>> {
  switch (request.kind) {
    case 'resume':
      return request;
    case 'spec':
      return { kind: 'start', workflow_id: workflowIdOf(call_id), spec: request.spec, template: null };
    case 'template': {
      const parsed = await template(request);
      return parsed.ok
        ? {
            kind: 'start',
            workflow_id: workflowIdOf(call_id),
            spec: parsed.spec,
            template: request.template,
          }
        : parsed;
    }
  }
}
