import type { Child } from '../../runtime/agents/children.ts';
import { ChildMeans } from './child-means.ts';
import { LiveChild } from './live-child.ts';
import type { AgentSupervisor } from './supervisor.ts';

/** A child that nobody has in hand is over. What it waits for is, too: otherwise its question would be asked for ever. */
export async function putAway(supervisor: AgentSupervisor, child: Child, reason: string): Promise<void> {
  const { place, deps } = supervisor;
  await supervisor.recordEnd(child, { status: 'closed', reason, summary: '', checkpoint: null }, null);
  // One that never began has no log.
  if (child.deadline_at === null) return;
  const live = new LiveChild(child.subagent_id, { kind: 'resume' }, deps.clock);
  const means = new ChildMeans(child, place, deps, live);
  try {
    const session = await means.open(child.child_session_id, async () => undefined);
    // Another may have it open, or its log be damaged: then it says by itself what it is.
    if ('why' in session) return;
    await session.stop();
    await session.close();
  } finally {
    await means.leave();
  }
}
