import type { AgentRole, ChildQuestion } from '../../runtime/agent-events.ts';
import { childMode, isRole, passedOn, type Directive } from '../../runtime/agents/child-policy.ts';
import type { Child } from '../../runtime/agents/children.ts';
import type { PermissionMode } from '../../runtime/events.ts';
import { AppendFailed, type Clock, type Ids, type ToolBox } from '../../runtime/ports.ts';
import type { Session } from '../../runtime/session.ts';
import type { RunPorts } from '../../runtime/session-ports.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import { ModelConnection } from '../model-connection.ts';
import type { OpenedSession, SessionWatch } from '../open-session.ts';
import { ChildSession, type Left, type News } from './child-session.ts';
import type { LiveChild } from './live-child.ts';
import type { AgentSupervisor } from './supervisor.ts';

type Waits = (questions: readonly ChildQuestion[] | null) => Promise<void>;

export interface AgentLimits {
  readonly max_running: number;
  readonly max_depth: number;
  readonly timeout_ms: number;
}

/** What a run of a child uses, beside what its settings say. */
export interface ChildRunMeans {
  /** As it is when it is asked for: its parent may come to have less while it works. */
  readonly mode: () => PermissionMode;
  readonly timeout_ms: number;
  readonly connection: ModelConnection;
  /** Of its own children; null where it may have none. */
  readonly agents: AgentSupervisor | null;
}

/** What every supervisor of a conversation shares. */
export interface AgentDeps {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly watch: Pick<SessionWatch, 'isAlive' | 'remember' | 'batch'>;
  readonly limits: () => AgentLimits;
  readonly tools: () => Promise<ToolBox>;
  readonly runPorts: (means: ChildRunMeans) => Promise<RunPorts>;
  /** Makes the one that has a child's own children in hand. */
  readonly supervisor: (place: Place) => AgentSupervisor;
  /** Whoever looks at a child in this process lets go of its log while it is taken. */
  readonly borrow: (sessionId: string, take: () => Promise<void>) => Promise<void>;
  readonly onError: (message: string) => void;
}

/** The session whose children they are. */
export interface Place {
  readonly session_id: string;
  readonly session: () => Session;
  /** Of its children: 1 for those of a session that a person talks to. */
  readonly depth: number;
  /** What the session may now. */
  readonly mode: () => PermissionMode;
  /** Something happened to a child, or in it; where it only says more, that is no more than a sign of life. */
  readonly news: (live: LiveChild, what: News) => void;
  /** For a session that is a child itself: one of its own waits for a person, or none does any more. */
  readonly held?: (questions: readonly ChildQuestion[] | null) => void;
  /** For a session that is a child itself: as what its own end where others end it; null where nobody does. */
  readonly directive?: () => Directive | null;
}

export function roleOf({ agent }: Pick<Child, 'agent'>): AgentRole {
  return isRole(agent) ? agent : 'default';
}

/** What one child works with: never more than its parent. */
export class ChildMeans {
  readonly timeout_ms: number;
  private readonly connection = new ModelConnection();

  constructor(
    private readonly child: Child,
    private readonly place: Place,
    private readonly deps: AgentDeps,
    private readonly live: LiveChild,
  ) {
    this.timeout_ms = child.timeout_ms ?? deps.limits().timeout_ms;
  }

  /** As it is now: a parent that may less takes it from its children, too. */
  get mode(): PermissionMode {
    const { permission_mode } = this.child;
    return childMode(this.place.mode(), roleOf(this.child), isMode(permission_mode) ? permission_mode : null);
  }

  async open(sessionId: string, waits: Waits): Promise<ChildSession | Left> {
    let opened: ChildSession | Left = { why: 'Its session could not be taken.' };
    await this.deps.borrow(sessionId, async () => {
      opened = await this.take(sessionId, waits);
    });
    return opened;
  }

  private take(sessionId: string, waits: Waits): Promise<ChildSession | Left> {
    const { store, watch, tools, runPorts, onError } = this.deps;
    return ChildSession.open(sessionId, {
      store,
      watch,
      tools,
      runPorts: () =>
        runPorts({
          mode: () => this.mode,
          timeout_ms: this.timeout_ms,
          connection: this.connection,
          agents: this.live.agents,
        }),
      keeper: (session) => this.keeper(session, waits),
      news: (what) => {
        this.live.news_at = this.deps.clock.now();
        this.place.news(this.live, what);
      },
      waits,
      onError,
    });
  }

  /** Its connection to the model ends with it. */
  leave(): Promise<void> {
    return this.connection.leave();
  }

  private keeper(opened: OpenedSession, waits: Waits): AgentSupervisor | undefined {
    const { depth } = this.place;
    if (depth >= this.deps.limits().max_depth) return undefined;
    this.live.agents = this.deps.supervisor({
      session_id: opened.id,
      session: () => sessionOf(opened),
      depth: depth + 1,
      mode: () => this.mode,
      news: (_, what) => this.place.news(this.live, what),
      held: (questions) => void this.held(questions, waits),
      directive: () => (this.live.directive === null ? null : passedOn(this.live.directive)),
    });
    return this.live.agents;
  }

  /** One that is ending does not go on, whatever becomes of its own. */
  private async held(questions: readonly ChildQuestion[] | null, waits: Waits): Promise<void> {
    const { directive, takesInput } = this.live;
    if (directive !== null || !takesInput) return;
    try {
      await waits(questions);
    } catch (error) {
      // A failed append has been told, and ends everything.
      if (!(error instanceof AppendFailed)) this.deps.onError(`${this.live.id}: ${String(error)}`);
    }
  }
}

/** Asked for only by what runs in it. */
export function sessionOf({ session, id }: OpenedSession): Session {
  if (session === null) throw new Error(`the session ${id} is not open`);
  return session;
}

export function isMode(text: string | null): text is PermissionMode {
  return text === 'read_only' || text === 'ask' || text === 'auto';
}
