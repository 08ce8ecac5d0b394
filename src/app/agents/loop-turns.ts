import type { Provider } from '../../runtime/ports.ts';

/** So long may work for children go on before others have their turn. */
const STRETCH_MS = 4;

/**
 * Turns of the event loop, one for each child that asks for one. All children share one thread with everything else in
 * the window: what arrives for many of them at once would be dealt with in one go, and a person would wait for that.
 */
export class LoopTurns {
  private readonly waiting: (() => void)[] = [];
  private since = 0;

  /** Resolves in a turn that nobody else is given. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) this.goOn();
    });
  }

  /** The same provider, whose streams are begun and read in turns. */
  readBy(provider: Provider): Provider {
    const { endpoint, transport } = provider;
    const next = (): Promise<void> => this.next();
    const isLong = (): boolean => performance.now() - this.since > STRETCH_MS;
    return {
      endpoint,
      transport,
      async *stream(request, signal) {
        await next();
        for await (const event of provider.stream(request, signal)) {
          if (isLong()) await next();
          yield event;
        }
      },
    };
  }

  private goOn(): void {
    setImmediate(() => {
      this.since = performance.now();
      this.waiting.shift()?.();
      if (this.waiting.length > 0) this.goOn();
    });
  }
}
