import type { HostMessage } from '../../presenter/protocol.ts';
import { awaitsChildren } from '../../runtime/agents/awaited-children.ts';
import { stricter } from '../../runtime/agents/child-policy.ts';
import type { Decision } from '../../runtime/decisions.ts';
import type { PermissionMode } from '../../runtime/events.ts';
import type { DecideOutcome } from '../../runtime/session-ports.ts';
import type { Tool } from '../../tools/tool.ts';
import { frameTimer, nodeClock, nodeIds, signTimer } from '../node-ports.ts';
import type { ConversationOptions } from '../conversation-options.ts';
import type { OpenedSession } from '../open-session.ts';
import type { TurnMeans } from '../turn-means.ts';
import { AgentDesk } from './agent-desk.ts';
import { isMode, sessionOf, type AgentDeps } from './child-means.ts';
import type { LiveChild } from './live-child.ts';
import { isHeldUp, liveItem, targetIn } from './live-items.ts';
import { LoopTurns } from './loop-turns.ts';
import { orchestrationTools } from './offered-tools.ts';
import { PastAnswers } from './past-answers.ts';
import { AgentSupervisor } from './supervisor.ts';
import { ToldNews } from './told-news.ts';
import { workflowRuns } from './workflow-runs.ts';

type ChildrenMessage = Extract<HostMessage, { type: 'children' }>;

export interface ConversationAgentPorts extends Pick<AgentDeps, 'store' | 'watch' | 'onError'> {
  readonly means: TurnMeans;
  readonly borrow: ConversationOptions['borrow'];
  readonly emit: (message: ChildrenMessage) => void;
}

/** The children of the session that a conversation has open, for its tools and its presenter. */
export class ConversationAgents {
  private supervisor: AgentSupervisor | null = null;
  private readonly deps: AgentDeps;
  private readonly turns = new LoopTurns();
  private readonly news = new ToldNews({ fact: frameTimer, sign: signTimer }, (which) => this.tell(which));
  private answers = new PastAnswers();

  constructor(private readonly ports: ConversationAgentPorts) {
    const { store, watch, onError, means, borrow } = ports;
    this.deps = {
      store,
      watch,
      onError,
      borrow: borrow ?? ((_sessionId, take) => take()),
      clock: nodeClock,
      ids: nodeIds,
      limits: () => means.agentLimits(),
      tools: () => means.tools(),
      runPorts: async (child) => {
        await this.turns.next();
        const run = await means.childPorts(child);
        return { ...run, provider: this.turns.readBy(run.provider) };
      },
      supervisor: (place) => new AgentSupervisor(place, this.deps),
    };
  }

  /** Made when the session is read: from here on it is the one that is talked to. */
  supervise(opened: OpenedSession): AgentSupervisor {
    const supervisor = new AgentSupervisor(
      {
        session_id: opened.id,
        session: () => sessionOf(opened),
        depth: 1,
        mode: () => this.modeOf(opened),
        news: (live, what) => {
          if (this.supervisor === supervisor) this.news.note(live, what);
        },
      },
      this.deps,
    );
    this.supervisor = supervisor;
    this.news.forget();
    this.answers = new PastAnswers();
    return supervisor;
  }

  /** What the session may now: what its turn began with, or less. */
  private modeOf(opened: OpenedSession): PermissionMode {
    const { permissionMode } = this.ports.means.settings();
    const began = sessionOf(opened).state.context?.permission_mode;
    return began === undefined || !isMode(began) ? permissionMode : stricter(permissionMode, began);
  }

  /** What people and tools ask of them; null while no session is open. */
  get desk(): AgentDesk | null {
    return this.supervisor === null ? null : new AgentDesk(this.supervisor);
  }

  tools(): Promise<readonly Tool[]> {
    const { supervisor, desk } = this;
    if (supervisor === null || desk === null) return orchestrationTools();
    return orchestrationTools(desk, workflowRuns(supervisor, this.ports.means.workflowMeans()));
  }

  /** For a presenter that has just come: all that are open. */
  tellAll(): void {
    const { supervisor } = this;
    if (supervisor === null || supervisor.open.length === 0) return;
    this.tell(supervisor.open);
  }

  /** The turn waits for children, and all of them for a person. */
  get isHeldUp(): boolean {
    const { supervisor } = this;
    if (supervisor === null || !isHeldUp(supervisor)) return false;
    const { turn } = supervisor.place.session().state;
    return turn !== null && awaitsChildren(turn);
  }

  /** The session of the child whose question has that name. */
  asking(targetId: string): OpenedSession | null {
    return this.supervisor === null ? null : (targetIn(this.supervisor, targetId)?.opened ?? null);
  }

  /** A person's answer to a question of a child, or of a child of it; null where none of them ever asked that. */
  async decide(decision: Decision): Promise<DecideOutcome | null> {
    const { supervisor, answers } = this;
    if (supervisor === null) return null;
    const target = targetIn(supervisor, decision.target_id);
    if (target === null) return answers.repeated(decision);
    const outcome = await target.decide(decision);
    if (outcome.kind === 'accepted') answers.note(decision);
    return outcome;
  }

  private tell(which: readonly LiveChild[]): void {
    const { supervisor } = this;
    if (supervisor === null) return;
    const { session_id } = supervisor.place;
    const items = which.flatMap((live) => liveItem(supervisor, live) ?? []);
    this.ports.emit({ v: 1, type: 'children', session_id, items });
  }
}
