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
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
