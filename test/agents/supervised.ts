import { AgentDesk } from '../../src/app/agents/agent-desk.ts';
import type { AgentDeps } from '../../src/app/agents/child-means.ts';
import type { News } from '../../src/app/agents/child-session.ts';
import { AgentSupervisor } from '../../src/app/agents/supervisor.ts';
import { nodeClock, nodeIds, nodeStorePorts } from '../../src/app/node-ports.ts';
import type { Draft, KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import type { LogWriter, ModelRequest, Provider, ProviderEvent } from '../../src/runtime/ports.ts';
import { Session } from '../../src/runtime/session.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { CountedIds, MemoryLog } from '../support/memory-log.ts';
import { responds, message } from '../support/scripted-provider.ts';
import { HASHER, PERMISSIONS, SETTINGS } from '../support/session-bench.ts';
import { toolBox } from '../support/tool-stubs.ts';

/** A log that writes one batch after the other, and waits before one of them until the test says so. */
class SlowLog implements LogWriter {
  private last: Promise<unknown> = Promise.resolve();
  private held: { readonly fits: (draft: Draft) => boolean; readonly gate: Gate } | null = null;

  constructor(private readonly log: MemoryLog) {}

  /** Holds the next batch with such a draft. */
  hold(fits: (draft: Draft) => boolean): Gate {
    const gate = makeGate();
    this.held = { fits, gate };
    return gate;
  }

  append(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    const { held } = this;
    const waits = held !== null && drafts.some(held.fits) ? held.gate : null;
    if (waits !== null) this.held = null;
    const written = this.last.then(async () => {
      waits?.reach();
      await waits?.released;
      return this.log.append(drafts);
    });
    this.last = written.catch(() => undefined);
    return written;
  }

  saveStream(): void {}

  async clearStream(): Promise<void> {}
}

export interface Gate {
  readonly reached: Promise<void>;
  readonly released: Promise<void>;
  reach(): void;
  release(): void;
}

export function makeGate(): Gate {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    released: released.promise,
    reach: () => reached.resolve(),
    release: () => released.resolve(),
  };
}

export type Says = (request: ModelRequest) => Promise<string>;

/** Children of a session whose log is in memory and can be held; their own logs are files, and their model a function. */
export class Supervised {
  readonly log: MemoryLog;
  readonly slow: SlowLog;
  readonly supervisor: AgentSupervisor;
  readonly desk: AgentDesk;
  readonly errors: string[] = [];
  /** What was told of children, in order. */
  readonly news: News[] = [];
  max_running = 6;

  /** With `refuses`, the disk is full from the first batch on that holds such a draft. */
  constructor(storage: string, says: Says, refuses: (draft: Draft) => boolean = () => false) {
    const ids = new CountedIds();
    this.log = new MemoryLog({ sessionId: 's1', clock: nodeClock, ids, refuses });
    this.slow = new SlowLog(this.log);
    const session = new Session('s1', {
      clock: nodeClock,
      ids,
      hasher: HASHER,
      publish: () => undefined,
      isAlive: () => false,
      remember: async () => undefined,
      children: {
        closeAll: (end) => this.supervisor.closeAll(end),
        abandon: () => this.supervisor.abandon(),
      },
    });
    session.attach(this.slow);
    const tools = toolBox({});
    const settings = { ...SETTINGS, permission_mode: 'auto' as const };
    const deps: AgentDeps = {
      store: new SessionStore(
        nodeStorePorts(() => undefined),
        storage,
      ),
      clock: nodeClock,
      ids: nodeIds,
      watch: { isAlive: () => false, remember: async () => undefined, batch: () => false },
      limits: () => ({ max_running: this.max_running, max_depth: 1, timeout_ms: 60_000 }),
      tools: async () => tools,
      runPorts: async () => ({
        provider: new Saying(says),
        tools,
        extensions: [PERMISSIONS],
        settings,
        app_version: '0.0.0',
      }),
      supervisor: (place) => new AgentSupervisor(place, deps),
      borrow: (_id, take) => take(),
      onError: (error) => this.errors.push(error),
    };
    this.supervisor = new AgentSupervisor(
      {
        session_id: 's1',
        session: () => session,
        depth: 1,
        mode: () => 'auto',
        news: (_live, what) => this.news.push(what),
      },
      deps,
    );
    this.desk = new AgentDesk(this.supervisor);
  }

  spawn(task: string): ReturnType<AgentDesk['spawn']> {
    return this.desk.spawn({ task, agent: 'default', timeout_ms: null, permission_mode: null, asker: null });
  }

  /** Resolves when nobody is open any more, by the log. */
  async over(): Promise<void> {
    await this.supervisor.entered;
    const ids = this.supervisor.children.known.map(({ subagent_id }) => subagent_id);
    const { signal } = new AbortController();
    await this.supervisor.waiters.until(ids, { timeout_ms: null, signal });
  }

  /** Resolves when nobody is in hand any more, whatever the log says. */
  async idle(): Promise<void> {
    await this.supervisor.entered;
    for (let [live] = this.supervisor.open; live !== undefined; [live] = this.supervisor.open)
      await live.ended;
  }

  /** What became of each, by its task. */
  get lives(): Readonly<Record<string, readonly string[]>> {
    const found: Record<string, string[]> = {};
    const tasks = new Map<string, string>();
    for (const { data } of this.log.events.filter(isOfChild)) {
      if (data.task !== undefined) tasks.set(data.subagent_id, data.task);
      const name = tasks.get(data.subagent_id) ?? data.subagent_id;
      (found[name] ??= []).push(data.event === 'finished' ? data.status : data.event);
    }
    return found;
  }
}

function isOfChild(event: LogEvent): event is KnownEvent<'subagent_event'> {
  return event.type === 'subagent_event';
}

/** Answers with what the function says, once it says it. */
class Saying implements Provider {
  readonly transport = 'offline' as const;
  readonly endpoint = 'https://models.test/v1';

  constructor(private readonly says: Says) {}

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    const stopped = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
    const words = await Promise.race([this.says(request), stopped]);
    if (words === null) return;
    for (const step of responds(message(words)))
      if (step.kind === 'text_delta' || step.kind === 'completed') yield step;
  }
}
