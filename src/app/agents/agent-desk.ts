import type {
  Agents,
  AgentStanding,
  Answered,
  Asker,
  SpawnRequest,
} from '../../runtime/agents/agents-port.ts';
import { childMode, type Directive } from '../../runtime/agents/child-policy.ts';
import { isOpenChild, isUnended } from '../../runtime/agents/child-states.ts';
import { childOf, type Child } from '../../runtime/agents/children.ts';
import { continuedDraft, newChild, spawnedDraft } from './life-drafts.ts';
import type { FirstWork } from './live-child.ts';
import { putAway } from './put-away.ts';
import type { AgentSupervisor } from './supervisor.ts';

/** More than this many open at once are no plan, but a runaway. */
const MOST_OPEN = 2000;
const TASK_SHOWN = 200;
/** So many that have ended, and of whom nothing is to be told, are listed. */
const MOST_OTHERS = 50;

/** What tools and people ask of the children of a session, and what they are answered. */
export class AgentDesk implements Agents {
  constructor(private readonly supervisor: AgentSupervisor) {}

  async spawn(request: SpawnRequest): Promise<Answered<AgentStanding>> {
    const { supervisor } = this;
    const { ids, limits } = supervisor.deps;
    if (supervisor.open.length >= MOST_OPEN)
      return refused('too_many_agents', `${MOST_OPEN} agents are open already. Wait for some of them first.`);
    const { depth, mode } = supervisor.place;
    const { agent, timeout_ms, permission_mode, asker } = request;
    const child = newChild(request, {
      subagent_id: ids.next('agent'),
      child_session_id: ids.next('session'),
      depth,
      timeout_ms: timeout_ms ?? limits().timeout_ms,
      permission_mode: childMode(mode(), agent, permission_mode),
    });
    const status = await supervisor.enter(child, { kind: 'task' }, spawnedDraft(child, asker));
    return { ok: true, value: { ...standing(child), status } };
  }

  async wait(
    given: readonly string[] | null,
    until: { readonly timeout_ms: number | null; readonly signal: AbortSignal },
  ): ReturnType<Agents['wait']> {
    // Asked for in one breath with those that it is about.
    await this.supervisor.entered;
    const { children, waiters } = this.supervisor;
    const unknown = (given ?? []).filter((id) => childOf(children, id) === undefined);
    if (unknown.length > 0) return noSuch(unknown);
    const own = children.known.filter(isOwn);
    const untold = new Set(children.untold.map(({ subagent_id }) => subagent_id));
    const meant = newestOf(own, (child) => isOpenChild(child) || untold.has(child.subagent_id));
    const ids = given ?? meant.map(({ subagent_id }) => subagent_id);
    await waiters.until(ids, until);
    const left_out = given === null ? own.length - meant.length : 0;
    return { ok: true, value: { ...waiters.reports(ids), left_out } };
  }

  async send(id: string, text: string, asker: Asker | null): Promise<Answered<AgentStanding>> {
    const { supervisor } = this;
    const child = childOf(supervisor.children, id);
    if (child === undefined) return noSuch([id]);
    const live = supervisor.liveOf(id);
    if (live === undefined) return this.again(child, { kind: 'input', text }, asker);
    if (live.directive !== null)
      return refused('agent_ending', `Agent ${id} is just ending. Send it again when it has ended.`);
    if (!live.takesInput) {
      await live.ended;
      return this.send(id, text, asker);
    }
    live.inputs.push(text);
    await supervisor.record([continuedDraft(child, live.phase)]);
    return this.standingOf(child);
  }

  async close(id: string, reason: string | null): ReturnType<Agents['close']> {
    const ended = await this.end(id, { status: 'closed', reason: reason ?? 'Its parent closed it.' });
    if (!ended.ok) return ended;
    const { agents, delivers } = this.supervisor.waiters.reports([id]);
    const [agent] = agents;
    return agent === undefined ? noSuch([id]) : { ok: true, value: { agent, delivers } };
  }

  list(): ReturnType<Agents['list']> {
    const { known } = this.supervisor.children;
    const shown = newestOf(known, isUnended);
    const agents = shown.map((child) => ({
      ...standing(child),
      agent: child.agent,
      task: child.task.slice(0, TASK_SHOWN).toWellFormed(),
      summary: null,
    }));
    return { agents, left_out: known.length - shown.length };
  }

  /** By a person: one that nobody has in hand goes on with what it was doing. */
  async resume(id: string): Promise<Answered<AgentStanding>> {
    const child = childOf(this.supervisor.children, id);
    if (child === undefined) return noSuch([id]);
    if (child.workflow_id !== null)
      return refused('agent_of_workflow', `Agent ${id} works on a step of a workflow. Resume that instead.`);
    // It may have been asked for since by another click, and may have ended since: an end is told once.
    const isOver = child.status === 'completed' || child.status === 'closed';
    return isOver || this.supervisor.liveOf(id) !== undefined
      ? this.standingOf(child)
      : this.again(child, { kind: 'resume' }, null);
  }

  /** Ends one, or puts away what nobody has in hand. One that has ended stays what it is. */
  async end(id: string, directive: Directive): Promise<Answered<AgentStanding>> {
    const { supervisor } = this;
    const child = childOf(supervisor.children, id);
    if (child === undefined) return noSuch([id]);
    const live = supervisor.liveOf(id);
    if (live !== undefined) await supervisor.end(live, directive);
    else if (child.status === 'detached') await putAway(supervisor, child, directive.reason);
    return this.standingOf(child);
  }

  private async again(known: Child, first: FirstWork, asker: Asker | null): Promise<Answered<AgentStanding>> {
    const child = { ...known, turn_id: asker?.turn_id ?? null };
    const status = await this.supervisor.enter(child, first, continuedDraft(child, 'queued'));
    return { ok: true, value: { ...standing(child), status } };
  }

  private standingOf(child: Child): Answered<AgentStanding> {
    return { ok: true, value: standing(childOf(this.supervisor.children, child.subagent_id) ?? child) };
  }
}

/** Those that matter, and the newest of the others: of a long session there are many. */
function newestOf(all: readonly Child[], matters: (child: Child) => boolean): readonly Child[] {
  const others = all.filter((child) => !matters(child));
  const old = new Set(others.slice(0, Math.max(0, others.length - MOST_OTHERS)));
  return all.filter((child) => !old.has(child));
}

/** Those of workflows are told of by their workflow. */
function isOwn({ workflow_id }: Child): boolean {
  return workflow_id === null;
}

function standing({ subagent_id, child_session_id, status }: Child): AgentStanding {
  return { subagent_id, child_session_id, status };
}

interface Refusal {
  readonly ok: false;
  readonly error: { readonly kind: string; readonly message: string };
}

function refused(kind: string, message: string): Refusal {
  return { ok: false, error: { kind, message } };
}

function noSuch(ids: readonly string[]): Refusal {
  const which = ids.join(', ');
  return refused('unknown_agent', `This session has no agent ${which}. list_agents tells which there are.`);
}
