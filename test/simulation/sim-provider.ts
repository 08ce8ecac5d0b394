import type { ModelRequest, Provider, ProviderEvent } from '../../src/runtime/ports.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import type { Endpoint } from './endpoint.ts';

/** One process's connection to the model. */
export class SimProvider implements Provider {
  readonly transport = 'offline';

  constructor(
    private readonly parts: {
      readonly scheduler: Scheduler;
      readonly owner: Owner;
      readonly server: Endpoint;
      /** How long a stream may be silent. */
      readonly idle_ms: number;
    },
  ) {}

  get endpoint(): string {
    return this.parts.server.name;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    if (request.purpose !== undefined) return yield* this.summary(request, signal);
    const { scheduler, owner, server, idle_ms } = this.parts;
    for (const beat of server.receive(request)) {
      const since = scheduler.now;
      if (beat.kind === 'hang') await aborted(signal);
      if (scheduler.now - since > idle_ms) server.silentTooLong(scheduler.now - since);
      if (signal.aborted) return;
      const label = beat.kind === 'event' ? beat.event.kind : beat.kind;
      await scheduler.perform(owner, `provider ${label}`, () => undefined);
      if (signal.aborted) return;
      if (beat.kind === 'bug') throw new Error('simulated bug in a provider');
      if (beat.kind === 'event') {
        server.sent(beat.event);
        yield beat.event;
      }
    }
  }

  /** Beside the conversation: in the form that was asked for, or not, or no answer at all. */
  private async *summary({ input }: ModelRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    const { scheduler, owner } = this.parts;
    for (const step of ['begun', 'said']) {
      await scheduler.perform(owner, `summary ${step}`, () => undefined);
      if (signal.aborted) return;
    }
    const { length } = JSON.stringify(input);
    if (length % 4 === 1)
      return yield { kind: 'failed', failure: { kind: 'rate_limited', message: 'later' } };
    if (length % 4 === 2) throw new Error('simulated bug in a provider');
    const said = { summary: `${length} characters at ${scheduler.now}.`, findings: [], remaining: [] };
    const text = length % 4 === 3 ? 'not in form' : JSON.stringify(said);
    yield {
      kind: 'completed',
      response_id: null,
      items: [{ kind: 'message', text }],
      tokens: UNCOUNTED,
      unknown_events: [],
    };
  }
}

const UNCOUNTED = { input: null, cached: null, output: null, reasoning: null, total: null };

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
