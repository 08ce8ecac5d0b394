/** When the next frame is; hidden pages have none. */
export type NextFrame = (callback: () => void) => void;

/**
 * Hands messages on in their order: what may wait at most once a frame, together, and everything else at once,
 * after what waited. Messages that pile up while the page is busy so cost one drawing, not one each.
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
    this.ports.deliver(this.waiting.splice(0));
    if (this.inFrame) return;
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
