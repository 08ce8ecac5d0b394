import { afterEach } from 'vitest';
import { nodeClock } from '../../src/app/node-ports.ts';
import { createOpenAiProvider } from '../../src/provider/openai-provider.ts';
import type { Decision } from '../../src/runtime/decisions.ts';
import type { Draft, EventType, KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import type { RunSettings } from '../../src/runtime/extension.ts';
import type { SessionOutput } from '../../src/runtime/outputs.ts';
import type { Clock, ToolBox } from '../../src/runtime/ports.ts';
import { Session } from '../../src/runtime/session.ts';
import type { DecideOutcome, RunPorts } from '../../src/runtime/session-ports.ts';
import { turnState, type TurnState } from '../../src/runtime/turn.ts';
import { stopConditions } from '../../src/runtime/extensions/stop-conditions.ts';
import { CountedIds, MemoryLog } from '../support/memory-log.ts';
import { HASHER, PERMISSIONS, SETTINGS } from '../support/session-bench.ts';
import { type Reply } from '../support/responses-server/reply.ts';
import { type Answer } from '../support/responses-server/response-events.ts';
import {
  startResponsesServer,
  type Replier,
  type ResponsesServer,
} from '../support/responses-server/server.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { toolBox, type ToolStub } from '../support/tool-stubs.ts';

/** For tools that the product does not have: the real loop and the real provider, with tools of the test. */
export interface StubStage {
  readonly requests: ResponsesServer['requests'];
  script(...replies: readonly (Reply | Replier | Answer)[]): Promise<void>;
  open(options: StubOptions): Promise<StubSession>;
  /** The output that the nth request has for a call. */
  output(index: number, callId: string): unknown;
}

export interface StubOptions {
  readonly tools: Readonly<Record<string, ToolStub>>;
  readonly settings?: Partial<RunSettings>;
  /** The disk is full from the first batch on that holds such a draft. */
  readonly refuses?: (draft: Draft) => boolean;
  /** What another process left behind. */
  readonly lines?: readonly string[];
  readonly clock?: Clock;
}

export function stubStage(): StubStage {
  let server: ResponsesServer | null = null;
  let sessions: StubSession[] = [];
  afterEach(async () => {
    await Promise.all(sessions.map(({ session }) => session.disconnect().catch(() => undefined)));
    sessions = [];
    await server?.close();
    server = null;
  });
  return {
    get requests() {
      return server?.requests ?? [];
    },
    async script(...replies) {
      await server?.close();
      const script = replies.map((reply) =>
        typeof reply === 'function' || 'kind' in reply ? reply : responds(reply),
      );
      server = await startResponsesServer({ script });
    },
    async open(options) {
      const opened = new StubSession(server?.url ?? '', options);
      await opened.recovered();
      sessions.push(opened);
      return opened;
    },
    output(index, callId) {
      const body = server?.requests[index]?.body as { input: readonly Record<string, unknown>[] } | undefined;
      return body?.input.find(
        (item) => item['type'] === 'function_call_output' && item['call_id'] === callId,
      )?.['output'];
    },
  };
}

export class StubSession {
  readonly session: Session;
  readonly log: MemoryLog;
  readonly outputs: SessionOutput[] = [];
  private readonly tools: ToolBox;
  private waiting: { readonly fits: (event: LogEvent) => boolean; readonly resolve: () => void }[] = [];
  private decided = 0;

  constructor(
    private readonly url: string,
    private readonly options: StubOptions,
  ) {
    const { lines = [], refuses, tools, clock = nodeClock } = options;
    const ids = new CountedIds(lines.length === 0 ? '' : `after_${lines.length}_`);
    const refusing = refuses === undefined ? {} : { refuses };
    this.log = new MemoryLog({ sessionId: 's1', clock, ids, lines, ...refusing });
    const box = toolBox(tools);
    // The API wants strict schemas to name every argument, and stubs take any.
    this.tools = { ...box, specs: box.specs.map((spec) => ({ ...spec, strict: false })) };
    this.session = new Session('s1', {
      clock,
      ids,
      hasher: HASHER,
      publish: (output) => this.heard(output),
      isAlive: () => false,
      remember: async () => undefined,
    });
    for (const event of this.log.events) this.session.restore(event);
    this.session.attach(this.log);
  }

  recovered(): Promise<void> {
    return this.session.recover(null, this.tools);
  }

  private ports(): RunPorts {
    return {
      provider: createOpenAiProvider({ apiKey: 'sk-test', baseUrl: this.url }),
      tools: this.tools,
      extensions: [PERMISSIONS, stopConditions],
      settings: { ...SETTINGS, permission_mode: 'ask', ...this.options.settings },
      app_version: '0.0.0',
    };
  }

  /** Resolves when the prompt is on record. */
  async send(text: string, client_turn_id = 'client_1'): Promise<void> {
    await this.session.send({ client_turn_id, text, attachments: [] }, this.ports());
  }

  async turn(text: string): Promise<TurnState> {
    await this.send(text);
    return this.rests();
  }

  async rests(): Promise<TurnState> {
    await this.session.settled();
    return this.state;
  }

  decide(target_id: string, action: string, more: Partial<Decision> = {}): Promise<DecideOutcome> {
    const decision_id = `decision_${this.log.lines.length}_${(this.decided += 1)}`;
    return this.session.decide({ decision_id, target_id, action, ...more }, async () => this.ports());
  }

  get state(): TurnState {
    const { turn } = this.session.state;
    if (turn === null) throw new Error('no turn');
    return turnState(turn);
  }

  of<T extends EventType>(type: T): readonly KnownEvent<T>['data'][] {
    return this.log.events.flatMap((event) => (event.type === type ? [event.data as never] : []));
  }

  /** Resolves when an event that fits has been published. */
  async until(fits: (event: LogEvent) => boolean): Promise<void> {
    if (this.log.events.some(fits)) return;
    await new Promise<void>((resolve) => this.waiting.push({ fits, resolve }));
  }

  private heard(output: SessionOutput): void {
    this.outputs.push(output);
    if (output.kind !== 'committed') return;
    const fitting = this.waiting.filter(({ fits }) => output.events.some(fits));
    this.waiting = this.waiting.filter((one) => !fitting.includes(one));
    for (const { resolve } of fitting) resolve();
  }
}
