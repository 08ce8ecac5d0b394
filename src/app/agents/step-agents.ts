import type { Asker } from '../../runtime/agents/agents-port.ts';
import { childOf } from '../../runtime/agents/children.ts';
import type { ChildEnd, StepAgents } from '../../runtime/workflows/ports.ts';
import type { AgentDesk } from './agent-desk.ts';
import type { AgentSupervisor } from './supervisor.ts';

/** The children of a session as the steps of a workflow use them. */
export function stepAgents(supervisor: AgentSupervisor, desk: AgentDesk, asker: Asker): StepAgents {
  return {
    async spawn({ task, agent, permission_mode, timeout_ms, workflow_id, step_id }) {
      const step = { workflow_id, step_id };
      const spawned = await desk.spawn({ task, agent, permission_mode, timeout_ms, asker, step });
      if (!spawned.ok) throw new Error(spawned.error.message);
      return spawned.value;
    },
    async ended(subagentId, signal): Promise<ChildEnd> {
      await supervisor.waiters.until([subagentId], { timeout_ms: null, signal });
      const child = childOf(supervisor.children, subagentId);
      const end = supervisor.outcomeOf(subagentId);
      if (child === undefined || end === undefined) throw new Error('nobody saw how it ended');
      const { child_session_id } = child;
      const { status, summary, checkpoint, reason, elapsed_ms } = end;
      return { status, summary, checkpoint, reason, elapsed_ms, child_session_id };
    },
    async cancel(subagentId, how) {
      await desk.end(subagentId, how);
    },
    async continueStep(subagentId, text) {
      const sent = await desk.send(subagentId, text, asker);
      if (!sent.ok) throw new Error(sent.error.message);
    },
  };
}
