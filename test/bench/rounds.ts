import { nodeClock, nodeHasher, nodeIds } from '../../src/app/node-ports.ts';
import { runSettings } from '../../src/app/run-ports.ts';
import { parseSettings } from '../../src/app/settings.ts';
import { stopConditions } from '../../src/runtime/extensions/stop-conditions.ts';
import type { ModelRequest, Provider, ProviderEvent, ToolBox } from '../../src/runtime/ports.ts';
import { Session } from '../../src/runtime/session.ts';
import type { RunPorts } from '../../src/runtime/session-ports.ts';
import type { SessionStore } from '../../src/storage/session-store.ts';

/** A model and a tool that cost nothing: what is measured is the runtime and the disk. */

const TOKENS = { input: 1200, cached: 1000, output: 60, reasoning: 20, total: 1260 };

const ANSWER = 'Done: the test passes now, because the clock is injected.';

class RoundsProvider implements Provider {
  readonly endpoint = 'bench';
  readonly transport = 'http_sse';
  made = 0;

  /** Asks for one read in each of `rounds` rounds, then answers. */
  constructor(
    private readonly rounds: number,
    private readonly onRequest: (request: ModelRequest) => void,
    private readonly answer: string,
  ) {}

  async *stream(request: ModelRequest): AsyncGenerator<ProviderEvent> {
    this.onRequest(request);
    this.made += 1;
    const last = this.made % (this.rounds + 1) === 0;
    const text = last ? this.answer : '';
    if (last) yield { kind: 'text_delta', text };
    const reasoning = {
      type: 'reasoning',
      id: `rs_${this.made}`,
      summary: [],
      encrypted_content: 'gAAAAAB'.repeat(60),
    };
    yield {
      kind: 'completed',
      response_id: `resp_${this.made}`,
      tokens: TOKENS,
      unknown_events: [],
      items: last
        ? [{ kind: 'message', text }]
        : [
            { kind: 'reasoning', item: reasoning },
            {
              kind: 'call',
              call_id: `call_${nodeIds.next('event')}`,
              name: 'read_file',
              args: JSON.stringify({ path: `src/file-${this.made}.ts` }),
            },
          ],
    };
  }
}

const OUTPUT = 'export function total(values) { return values.reduce((sum, one) => sum + one, 0); }\n'.repeat(
  12,
);

const tools: ToolBox = {
  specs: [
    {
      name: 'read_file',
      description: 'Reads a file.',
      parameters: { type: 'object', properties: {}, additionalProperties: true },
      effect: 'read',
    },
  ],
  prepare: ({ call_id, name, args }) => ({
    ok: true,
    call: { call_id, name, effect: 'read', input: args, writes: [], subject: args },
  }),
  preview: async () => ({ ok: true, preview: null }),
  run: async () => ({ kind: 'success', output: OUTPUT, changes: [] }),
};

export interface BenchSession {
  /** Runs one turn of so many tool rounds, and tells how long each request waited for the one before it. */
  turn(rounds: number, answer?: string): Promise<readonly number[]>;
  events(): number;
  close(): Promise<void>;
}

export async function benchSession(store: SessionStore, id: string): Promise<BenchSession> {
  const parsed = parseSettings({ maxRounds: 1000 });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const settings = {
    ...runSettings(parsed.settings, '/workspace', 'main'),
    permission_mode: 'auto' as const,
  };
  const stored = await store.open(id, { take_over: false });
  const session = new Session(id, {
    clock: nodeClock,
    ids: nodeIds,
    hasher: nodeHasher,
    publish: () => undefined,
    isAlive: () => false,
    remember: async () => undefined,
  });
  const loaded = await stored.load({
    resume: (from) => session.resumeFrom(from),
    event: (event) => session.restore(event),
  });
  if (loaded.writer === null) throw new Error('not writable');
  session.attach(loaded.writer);
  return {
    turn: async (rounds, answer = ANSWER) => {
      const times: number[] = [];
      let last = performance.now();
      const requested = (): void => {
        const now = performance.now();
        times.push(now - last);
        last = now;
      };
      const provider = new RoundsProvider(rounds, requested, answer);
      const run: RunPorts = {
        provider,
        tools,
        extensions: [stopConditions],
        settings,
        app_version: 'bench',
      };
      await session.send(
        { client_turn_id: nodeIds.next('turn'), text: 'Why does it fail?', attachments: [] },
        run,
      );
      await session.settled();
      return times.slice(1);
    },
    events: () => session.state.last_seq + 1,
    close: () => stored.close(),
  };
}
