import { AgentDesk } from '../../src/app/agents/agent-desk.ts';
import type { AgentDeps, AgentLimits } from '../../src/app/agents/child-means.ts';
import { liveItem, targetIn } from '../../src/app/agents/live-items.ts';
import { AgentSupervisor } from '../../src/app/agents/supervisor.ts';
import { workflowRuns } from '../../src/app/agents/workflow-runs.ts';
import { nodeHasher } from '../../src/app/node-ports.ts';
import { project } from '../../src/presenter/projection.ts';
import type { HostMessage, Item } from '../../src/presenter/protocol.ts';
import type { EventData, LogEvent, PermissionMode } from '../../src/runtime/events.ts';
import { childEnds } from '../../src/runtime/extensions/child-ends.ts';
import type { RunSettings } from '../../src/runtime/extension.ts';
import { stopConditions } from '../../src/runtime/extensions/stop-conditions.ts';
import type { ToolBox } from '../../src/runtime/ports.ts';
import { Session } from '../../src/runtime/session.ts';
import type { RunPorts } from '../../src/runtime/session-ports.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import {
  agentTools,
  createToolBox,
  reportCheckpointTool,
  runWorkflowTool,
} from '../../src/tools/all-tools.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { PowerCutDisk } from '../storage/power-cut-disk.ts';
import { CastProvider, type Cast } from './cast-provider.ts';
import { CountedIds, MemoryLog } from './memory-log.ts';
import { HASHER, PERMISSIONS, SETTINGS } from './session-bench.ts';
import { VirtualClock } from './virtual-clock.ts';

type ChildrenMessage = Extract<HostMessage, { type: 'children' }>;

export interface AgentBenchOptions {
  /** What the parent may; its children may no more. */
  readonly mode?: PermissionMode;
  readonly limits?: Partial<AgentLimits>;
  readonly settings?: Partial<RunSettings>;
  /** How long a turn of the session may take; not of its children. */
  readonly turn_timeout_ms?: number;
  /** What the workspace has for those who look at artefacts. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What a process leaves behind when it is gone. */
interface Left {
  readonly lines: readonly string[];
  readonly disk: PowerCutDisk;
  readonly clock: VirtualClock;
}

const LIMITS: AgentLimits = { max_running: 6, max_depth: 1, timeout_ms: 600_000 };
/** No command is run in it, and no file is changed: there is none. Tools look for some all the same, on the real disk. */
const WORKSPACE = { roots: [{ name: 'w', path: '/nowhere/w' }], storageDir: '/storage' };

/**
 * A session with its children, all of them the real ones, on a clock that stands still until it is told to go on. The
 * model is a cast; logs and leases are in memory. What has happened once a call resolves is all that could happen in
 * no time.
 */
export class AgentBench {
  readonly log: MemoryLog;
  readonly session: Session;
  readonly supervisor: AgentSupervisor;
  readonly desk: AgentDesk;
  readonly errors: string[] = [];
  readonly clock: VirtualClock;
  private readonly store: SessionStore;
  private readonly disk: PowerCutDisk;
  readonly provider: CastProvider;
  private readonly mark: string;
  private sent = 0;
  private decided = 0;

  constructor(
    private readonly cast: Cast,
    private readonly options: AgentBenchOptions = {},
    left: Left | null = null,
  ) {
    const mark = left === null ? '' : 'again_';
    this.mark = mark;
    const {
      lines = [],
      disk = new PowerCutDisk(async () => undefined),
      clock = new VirtualClock(),
    } = left ?? {};
    this.clock = clock;
    this.disk = disk;
    this.provider = new CastProvider(clock, cast);
    const ids = new CountedIds(mark);
    this.log = new MemoryLog({ sessionId: 's1', clock, ids, lines });
    const processes = { pid: left === null ? 1 : 2, host: 'h', isAlive: (pid: number) => pid !== 1 };
    this.store = new SessionStore(
      { disk, clock, ids: new CountedIds(`${mark}c`), hasher: nodeHasher, processes, warn: this.note },
      '/storage',
    );
    const watch = { isAlive: () => false, remember: async () => undefined, batch: () => false };
    const deps: AgentDeps = {
      store: this.store,
      clock,
      ids: new CountedIds(mark),
      watch,
      limits: () => ({ ...LIMITS, ...options.limits }),
      tools: async () => this.tools([]),
      runPorts: async ({ mode, timeout_ms, agents }) => {
        const own = agents === null ? [] : this.orchestration(agents);
        const report = reportCheckpointTool({ ...WORKSPACE, platform: process.platform });
        return this.ports([report, ...own], { mode: mode(), timeout_ms });
      },
      supervisor: (place) => new AgentSupervisor(place, deps),
      borrow: (_id, take) => take(),
      onError: this.note,
    };
    this.supervisor = new AgentSupervisor(
      {
        session_id: 's1',
        session: () => this.session,
        depth: 1,
        mode: () => options.mode ?? 'auto',
        news: () => undefined,
      },
      deps,
    );
    this.desk = new AgentDesk(this.supervisor);
    this.session = new Session('s1', {
      clock,
      ids,
      hasher: HASHER,
      publish: () => undefined,
      isAlive: () => false,
      remember: async () => undefined,
      children: this.supervisor,
    });
    for (const event of this.log.events) this.session.restore(event);
    this.session.attach(this.log);
  }

  /** A turn as far as it comes in no time. */
  async turn(text: string): Promise<this> {
    const client_turn_id = `client_${this.mark}${(this.sent += 1)}`;
    void this.session.send({ client_turn_id, text, attachments: [] }, this.ownPorts());
    return this.rest();
  }

  /** Time passes. */
  async pass(ms: number): Promise<this> {
    await this.clock.advance(ms);
    return this.rest();
  }

  /** A person does something about the children. */
  async person(act: (desk: AgentDesk) => Promise<unknown>): Promise<this> {
    void act(this.desk);
    return this.rest();
  }

  async stop(): Promise<this> {
    void this.session.stop('user_cancelled');
    return this.rest();
  }

  /** A person decides what a call of the session waits for, or a call of a child. */
  async decide(target_id: string, action: 'resume' | 'cancel', result?: unknown): Promise<this> {
    const decision_id = `decision_${this.mark}${(this.decided += 1)}`;
    const payload = result === undefined ? {} : { payload: { result } };
    const decision = { decision_id, target_id, action, ...payload };
    const child = targetIn(this.supervisor, target_id);
    const outcome = await (child?.decide(decision) ??
      this.session.decide(decision, async () => this.ownPorts()));
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
    return this.rest();
  }

  /** A person has the history made shorter. Answers with what was recorded. */
  async compact(): Promise<EventData['history_compaction']> {
    const outcome = await this.session.compact({ dry_run: false }, async () => this.ownPorts());
    if (outcome.kind !== 'compacted') throw new Error(JSON.stringify(outcome));
    await this.rest();
    const last = this.events.findLast(({ type }) => type === 'history_compaction');
    if (last?.type !== 'history_compaction') throw new Error('nothing was compacted');
    return last.data;
  }

  /** The process is gone, and another opens what it left. */
  async crash(cast: Cast = this.cast): Promise<AgentBench> {
    this.clock.forget();
    const { lines } = this.log;
    const after = new AgentBench(cast, this.options, { lines, disk: this.disk, clock: this.clock });
    await after.session.recover(null, this.tools([]));
    return after.rest();
  }

  get events(): readonly LogEvent[] {
    return this.log.events;
  }

  /** As the page gets them. */
  get items(): readonly Item[] {
    return this.events.map(project);
  }

  /** What the page is told of all that are at work. */
  get children(): ChildrenMessage {
    const items = this.supervisor.open.flatMap((live) => liveItem(this.supervisor, live) ?? []);
    return { v: 1, type: 'children', session_id: 's1', items };
  }

  private readonly note = (error: string): void => {
    this.errors.push(error);
  };

  private async rest(): Promise<this> {
    await this.clock.idle();
    const wrong = [...this.errors, ...this.provider.missing];
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return this;
  }

  private orchestration(supervisor: AgentSupervisor): readonly Tool[] {
    const { files = {} } = this.options;
    const runs = workflowRuns(supervisor, {
      artifact: async (path) => {
        const text = files[path];
        return text === undefined
          ? { path, sha256: null, problem: 'There is no such file.' }
          : { path, sha256: HASHER.sha256(text), bytes: text.length };
      },
      template: async ({ template }) => ({
        ok: false,
        mistakes: [{ at: 'template', message: `there is no template ${template}` }],
      }),
    });
    return [...agentTools(new AgentDesk(supervisor)), runWorkflowTool(runs)];
  }

  private tools(others: readonly Tool[]): ToolBox {
    const box = createToolBox({ ...WORKSPACE, asks: true, blobs: this.store.blobs, others });
    const orchestrates = new Set(others.map(({ spec }) => spec.name));
    const told = <T>(name: string, work: Promise<T>): Promise<T> =>
      orchestrates.has(name) ? work : this.clock.during(work);
    return {
      specs: box.specs,
      prepare: (call) => box.prepare(call),
      preview: (call, signal) => told(call.name, box.preview(call, signal)),
      run: (call, context) => told(call.name, box.run(call, context)),
    };
  }

  private ownPorts(): RunPorts {
    return this.ports(this.orchestration(this.supervisor), {
      mode: this.options.mode ?? 'auto',
      timeout_ms: this.options.turn_timeout_ms ?? 24 * 3_600_000,
    });
  }

  private ports(
    others: readonly Tool[],
    { mode, timeout_ms }: { readonly mode: PermissionMode; readonly timeout_ms: number },
  ): RunPorts {
    return {
      provider: this.provider,
      tools: this.tools(others),
      extensions: [stopConditions, childEnds, PERMISSIONS],
      settings: {
        ...SETTINGS,
        context_window: 1_000_000,
        stream_idle_ms: 24 * 3_600_000,
        permission_mode: mode,
        turn_timeout_ms: timeout_ms,
        ...this.options.settings,
      },
      app_version: '0.0.0',
    };
  }
}
