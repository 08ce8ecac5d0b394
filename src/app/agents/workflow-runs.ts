import type { Artifact } from '../../runtime/agent-events.ts';
import { afterHolds, timeAtWork } from '../../runtime/held-time.ts';
import type { ToolContext, ToolOutcome } from '../../runtime/ports.ts';
import { performWorkflow, refusedWorkflow, workflowIdOf } from '../../runtime/workflows/perform.ts';
import type { WorkflowRequest } from '../../runtime/workflows/request.ts';
import type { ParsedSpec } from '../../runtime/workflows/spec.ts';
import type { WorkflowState } from '../../runtime/workflows/state.ts';
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
      const known = (id: string): WorkflowState | undefined =>
        supervisor.place.session().state.workflows.find(({ workflow_id: one }) => one === id);
      const work = await workOf(request, { call, means, hasBegun: (id) => known(id) !== undefined });
      if ('mistakes' in work) return refusedWorkflow(work.mistakes);
      const { workflow_id } = work;
      const task = { work, call, ...(decision === undefined ? {} : { decision }) };
      return performWorkflow(
        {
          record: (drafts) => supervisor.record(drafts),
          workflow: () => known(workflow_id),
          agents: stepAgents(supervisor, new AgentDesk(supervisor), call),
          clock: supervisor.deps.clock,
          atWork: (ms, over) => timeAtWork(ms, supervisor.deps.clock, supervisor.news, over),
          heldFor: () => supervisor.news.heldFor(),
          afterHolds: (over, tell) => afterHolds(supervisor.news, over, tell),
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

/** One that has begun goes on from the log: what its template says by now is of no matter to it. */
async function workOf(
  request: WorkflowRequest,
  {
    call,
    means,
    hasBegun,
  }: {
    readonly call: NonNullable<ToolContext['call']>;
    readonly means: WorkflowMeans;
    readonly hasBegun: (workflowId: string) => boolean;
  },
): Promise<Work | Extract<ParsedSpec, { ok: false }>> {
  const workflow_id = workflowIdOf(call.call_id);
  switch (request.kind) {
    case 'resume':
      return request;
    case 'spec':
      return { kind: 'start', workflow_id, spec: request.spec, template: null };
    case 'template': {
      if (hasBegun(workflow_id)) return { kind: 'resume', workflow_id };
      const parsed = await means.template(request);
      return parsed.ok
        ? { kind: 'start', workflow_id, spec: parsed.spec, template: request.template }
        : parsed;
    }
  }
}
