/** When the next frame is; hidden pages have none. */
export type NextFrame = (callback: () => void) => void;

/**
 * Hands messages on in their order: what may wait at most once a frame, together, and everything else at once,
 * after what waited. Messages that pile up while the page is busy so cost one drawing, not one each. Only what may
 * wait begins a frame: the first words of an answer come right behind its state, and are not kept back by it.
 */
export class FrameQueue<T> {
  private waiting: T[] = [];
  private inFrame = false;

  constructor(
    private readonly ports: {
      readonly deliver: (messages: readonly T[]) => void;
      readonly mayWait: (message: T) => boolean;
      readonly nextFrame: NextFrame;
    },
  ) {}

  push(message: T): void {
    this.waiting.push(message);
    if (this.inFrame && this.ports.mayWait(message)) return;
    this.flush();
  }

  private flush(): void {
    const messages = this.waiting.splice(0);
    this.ports.deliver(messages);
    if (this.inFrame || !messages.some(this.ports.mayWait)) return;
    this.inFrame = true;
    this.ports.nextFrame(() => {
      this.inFrame = false;
      if (this.waiting.length > 0) this.flush();
    });
  }
}

const HIDDEN_MS = 250;

export function nextFrame(callback: () => void): void {
  if (document.hidden) setTimeout(callback, HIDDEN_MS);
  else requestAnimationFrame(callback);
}
