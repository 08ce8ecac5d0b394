/** Calls back once the messages that have arrived by now are handled; a hidden page takes its time. */
export type AfterArrived = (callback: () => void) => void;

/**
 * Hands messages on in their order. The host joins deltas to frames, so one that comes alone is handed on at once;
 * those that piled up while the page was busy go together, and cost one drawing and not one each. Facts wait for
 * nothing but what came before them, and keep nothing back: the first words of an answer come right behind its state.
 */
export class Arrivals<T> {
  private waiting: T[] = [];
  private piling = false;

  constructor(
    private readonly ports: {
      readonly deliver: (messages: readonly T[]) => void;
      readonly mayWait: (message: T) => boolean;
      readonly afterArrived: AfterArrived;
    },
  ) {}

  push(message: T): void {
    this.waiting.push(message);
    if (this.piling && this.ports.mayWait(message)) return;
    this.flush();
  }

  private flush(): void {
    const messages = this.waiting.splice(0);
    this.ports.deliver(messages);
    if (this.piling || !messages.some(this.ports.mayWait)) return;
    this.piling = true;
    this.ports.afterArrived(() => {
      this.piling = false;
      if (this.waiting.length > 0) this.flush();
    });
  }
}

const HIDDEN_MS = 250;

/** A message to oneself comes after all that have arrived. A frame would come later: up to 16 ms for nothing. */
export function afterArrived(callback: () => void): void {
  if (document.hidden) {
    setTimeout(callback, HIDDEN_MS);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener(
    'message',
    () => {
      port1.close();
      callback();
    },
    { once: true },
  );
  port1.start();
  port2.postMessage(null);
}
