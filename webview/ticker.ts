import { useEffect, useState } from 'preact/hooks';

export interface TickerPorts {
  /** Calls back again and again, until it is ended. */
  readonly every: (ms: number, callback: () => void) => () => void;
  /** Nobody reads the clock of a page that is not in view. */
  readonly isHidden: () => boolean;
  /** Calls back when the page comes into view or leaves it. */
  readonly onTurn: (callback: () => void) => () => void;
}

const SECOND_MS = 1000;

/** One clock for all that shows how long something takes. It stands still while nothing does. */
export class Ticker {
  private readonly listeners = new Set<() => void>();
  private stop: (() => void) | null = null;

  constructor(private readonly ports: TickerPorts) {}

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    this.stop ??= this.start();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.stop?.();
      this.stop = null;
    };
  }

  private start(): () => void {
    const tick = (): void => {
      if (this.ports.isHidden()) return;
      for (const listener of this.listeners) listener();
    };
    const ends = [this.ports.every(SECOND_MS, tick), this.ports.onTurn(tick)];
    return () => ends.forEach((end) => end());
  }
}

/** Where there is no page, as in tests, it stands still. */
const HAS_PAGE = globalThis.document !== undefined;
const STILL = (): void => undefined;

const ticker = new Ticker({
  every: (ms, callback) => {
    if (!HAS_PAGE) return STILL;
    const timer = setInterval(callback, ms);
    return () => clearInterval(timer);
  },
  isHidden: () => document.hidden,
  onTurn: (callback) => {
    if (!HAS_PAGE) return STILL;
    document.addEventListener('visibilitychange', callback);
    return () => document.removeEventListener('visibilitychange', callback);
  },
});

/** The time, again every second while that matters. */
export function useNow(ticking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticking) return undefined;
    // It may have stood still for long.
    setNow((before) => (Date.now() - before < SECOND_MS ? before : Date.now()));
    return ticker.listen(() => setNow(Date.now()));
  }, [ticking]);
  return now;
}
