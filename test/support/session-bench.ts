import { createHash } from 'node:crypto';
import type { Decision, Remembered } from '../../src/runtime/decisions.ts';
import type { CommandProcess, Draft, EventType, KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import type { Extension, RunSettings } from '../../src/runtime/extension.ts';
import { permissions } from '../../src/runtime/extensions/permissions.ts';
import { stopConditions } from '../../src/runtime/extensions/stop-conditions.ts';
import type { SessionOutput } from '../../src/runtime/outputs.ts';
import type { Hasher, ToolBox } from '../../src/runtime/ports.ts';
import { Session } from '../../src/runtime/session.ts';
import type { DecideOutcome, RunPorts, SendOutcome } from '../../src/runtime/session-ports.ts';
import type { Turn } from '../../src/runtime/turn.ts';
import { turnState, type TurnState } from '../../src/runtime/turn.ts';
import { CountedIds, MemoryLog } from './memory-log.ts';
import { call, responds, ScriptedProvider, type Script } from './scripted-provider.ts';
import { ASKS, toolBox, TOOLS } from './tool-stubs.ts';
import { VirtualClock } from './virtual-clock.ts';

export const HASHER: Hasher = { sha256: (text) => createHash('sha256').update(text).digest('hex') };

export const SETTINGS: RunSettings = {
  model: 'test-model',
  reasoning_effort: null,
  permission_mode: 'auto',
  workspace: '/w',
  branch: 'main',
  context_window: 1000,
  turn_timeout_ms: 600_000,
  stream_idle_ms: 60_000,
  max_rounds: 50,
  token_budget: null,
  compaction_strategy: 'deterministic_v1',
  batch_approvals: false,
};

const NO_RULES = { allow: [], ask: [], deny: [], problems: [] };

/** The mode alone decides. */
export const PERMISSIONS: Extension = permissions(() => ({
  rules: NO_RULES,
  remembered: NO_RULES,
  shell: 'posix',
  storage: [],
}));

export interface BenchOptions {
  readonly scripts: readonly Script[] | ((bench: { readonly clock: VirtualClock }) => readonly Script[]);
  readonly tools?: ToolBox;
  /** Beside the two that every run has. */
  readonly extensions?: readonly Extension[];
  readonly settings?: Partial<RunSettings>;
  readonly endpoint?: string;
  /** What another process left behind. */
  readonly lines?: readonly string[];
  readonly refuses?: (draft: Draft) => boolean;
  readonly isAlive?: (process: CommandProcess) => boolean;
  /** Called with everything that is published, as it is published. */
  readonly watch?: (output: SessionOutput) => void;
}

/** A whole session on a virtual clock, with a scripted model and a log in memory. */
export class SessionBench {
  readonly clock = new VirtualClock();
  readonly ids: CountedIds;
  readonly outputs: SessionOutput[] = [];
  readonly log: MemoryLog;
  readonly provider: ScriptedProvider;
  readonly session: Session;
  readonly tools: ToolBox;
  readonly remembered: Remembered[] = [];
  private sent = 0;
  private decided = 0;

  constructor(private readonly options: BenchOptions) {
    const { scripts, endpoint, lines = [], refuses, watch } = options;
    const { clock } = this;
    const ids = new CountedIds(lines.length === 0 ? '' : 'again_');
    this.ids = ids;
    this.log = new MemoryLog({
      sessionId: 's1',
      clock,
      ids,
      lines,
      ...(refuses === undefined ? {} : { refuses }),
    });
    this.provider = new ScriptedProvider(
      clock,
      typeof scripts === 'function' ? scripts({ clock }) : scripts,
      endpoint,
    );
    this.tools = options.tools ?? toolBox(TOOLS);
    this.session = new Session('s1', {
      clock,
      ids,
      hasher: HASHER,
      publish: (output) => {
        this.outputs.push(output);
        watch?.(output);
      },
      isAlive: (process) => options.isAlive?.(process) ?? false,
      remember: async (rules) => {
        this.remembered.push(rules);
      },
    });
    for (const event of this.log.events) this.session.restore(event);
    this.session.attach(this.log);
  }

  ports(settings: Partial<RunSettings> = {}): RunPorts {
    return {
      provider: this.provider,
      tools: this.tools,
      extensions: [PERMISSIONS, stopConditions, ...(this.options.extensions ?? [])],
      settings: { ...SETTINGS, ...this.options.settings, ...settings },
      app_version: '0.0.0',
    };
  }

  send(text: string, client_turn_id = `client_${(this.sent += 1)}`): Promise<SendOutcome> {
    return this.session.send({ client_turn_id, text, attachments: [] }, this.ports());
  }

  decide(target_id: string, action: string, more: Partial<Decision> = {}): Promise<DecideOutcome> {
    const decision_id = `decision_${(this.decided += 1)}`;
    return this.session.decide({ decision_id, target_id, action, ...more }, async () => this.ports());
  }

  /** A turn as far as it comes in no time. */
  async begin(text: string): Promise<void> {
    await this.clock.until(this.send(text));
    await this.clock.idle();
  }

  /** The person stops the turn; resolves when the log says so. */
  async stop(): Promise<void> {
    await this.clock.until(this.session.stop('user_cancelled'));
  }

  /** The process is gone right after the first line that has this in it, and another opens what it left. */
  async diedAfter(part: string): Promise<SessionBench> {
    const last = this.log.lines.findIndex((line) => line.includes(part));
    const lines = this.log.lines.slice(0, last + 1);
    const again = new SessionBench({ ...this.options, scripts: [], lines });
    await again.clock.until(again.session.recover(null, again.tools));
    return again;
  }

  /** One turn from its prompt to where it rests. */
  async run(text: string, client_turn_id?: string): Promise<TurnState> {
    await this.clock.until(this.send(text, client_turn_id));
    await this.settled();
    return this.state;
  }

  async settled(): Promise<void> {
    await this.clock.until(this.session.settled());
  }

  get turn(): Turn {
    const { turn } = this.session.state;
    if (turn === null) throw new Error('no turn');
    return turn;
  }

  get state(): TurnState {
    return turnState(this.turn);
  }

  get events(): readonly LogEvent[] {
    return this.log.events;
  }

  of<T extends EventType>(type: T): readonly KnownEvent<T>['data'][] {
    return this.log.events.flatMap((event) =>
      event.type === type ? [(event as KnownEvent<T>).data as KnownEvent<T>['data']] : [],
    );
  }

  only<T extends EventType>(type: T): KnownEvent<T>['data'] {
    const found = this.of(type);
    const [first] = found;
    if (first === undefined || found.length !== 1) throw new Error(`${found.length} of ${type}`);
    return first;
  }
}

/** A session whose model asks a person, and then waits for the answer. */
export function askingBench(settings: Partial<RunSettings> = {}): SessionBench {
  return new SessionBench({
    scripts: [responds(call('c1', 'asks'))],
    tools: toolBox({ asks: ASKS }),
    settings,
  });
}
