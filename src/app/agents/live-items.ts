import type { HostMessage } from '../../presenter/protocol.ts';
import type { ChildQuestion } from '../../runtime/agent-events.ts';
import { childOf } from '../../runtime/agents/children.ts';
import type { ChildSession } from './child-session.ts';
import type { LiveChild } from './live-child.ts';
import type { AgentSupervisor } from './supervisor.ts';

/** What is live of children, for whoever shows them and for whoever decides what they ask. */

export type LiveItem = Extract<HostMessage, { type: 'children' }>['items'][number];
type Asked = LiveItem['questions'][number];

export function liveItem(supervisor: AgentSupervisor, live: LiveChild): LiveItem | null {
  const child = childOf(supervisor.children, live.id);
  if (child === undefined) return null;
  const { subagent_id, child_session_id } = child;
  return {
    subagent_id,
    child_session_id,
    activity: live.session?.activity ?? null,
    news_at: live.news_at,
    questions: [...questionsOf(supervisor, live)],
  };
}

/** Its own, and those of its children, each with who asks. */
function questionsOf(supervisor: AgentSupervisor, live: LiveChild): readonly Asked[] {
  const own = live.session?.questions ?? [];
  const { agents } = live;
  const below = agents === null ? [] : agents.open.flatMap((one) => questionsOf(agents, one));
  if (own.length + below.length === 0) return [];
  const agent = childOf(supervisor.children, live.id)?.agent ?? 'default';
  const who = { subagent_id: live.id, agent };
  return [
    ...own.map((one) => ({ ...one, asked_by: [who] })),
    ...below.map((one) => ({ ...one, asked_by: [who, ...one.asked_by] })),
  ];
}

function sessionsIn(supervisor: AgentSupervisor): readonly ChildSession[] {
  return supervisor.open.flatMap(({ session, agents }) => [
    ...(session === null ? [] : [session]),
    ...(agents === null ? [] : sessionsIn(agents)),
  ]);
}

/** What those ask that are at work. */
export function asked({ open }: AgentSupervisor): readonly ChildQuestion[] {
  return open.flatMap(({ session }) => session?.questions ?? []);
}

/** Whether nothing can go on before a person decides: all that runs asks, or waits for one that does. */
export function isHeldUp({ open }: AgentSupervisor): boolean {
  const working = open.filter(({ phase }) => phase === 'running');
  return (
    working.length > 0 &&
    working.every(({ waiting, agents }) => waiting || (agents !== null && isHeldUp(agents)))
  );
}

/** Whether one waits for a person, by what it asks itself or by what a child of it does: it goes on when neither is so. */
export function isHeldBack({ session, agents }: LiveChild): boolean {
  return session?.isHeld === true || agents?.news.isHeld === true;
}

/** Names of suspensions are nobody else's; those of calls may be, and then nobody is meant. */
export function targetIn(supervisor: AgentSupervisor, targetId: string): ChildSession | null {
  const all = sessionsIn(supervisor).filter((session) => session.isAsked(targetId));
  return all.length === 1 ? (all[0] ?? null) : null;
}
