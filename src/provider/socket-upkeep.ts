import type { SocketTimers } from './socket-timers.ts';

const PING_MS = 30_000;
const PONG_MS = 10_000;
const IDLE_MS = 5 * 60_000;
/** The API ends a socket after 60 minutes, in the middle of an answer if need be. */
const MAX_AGE_MS = 55 * 60_000;

export interface Upkept {
  ping(): void;
  /** Nothing is read just now, and so no pong either. */
  isPaused(): boolean;
  /** The other side is gone. */
  lost(): void;
  /** Nobody has asked for anything in a while. */
  unused(): void;
}

/** Keeps a socket alive, notices when it is not, and lets go of one that nobody uses. */
export class SocketUpkeep {
  private readonly openedAt: number;
  private pulse: () => void;
  private isAsking = false;
  private idling: (() => void) | null = null;

  constructor(
    private readonly timers: SocketTimers,
    private readonly socket: Upkept,
  ) {
    this.openedAt = timers.now();
    this.pulse = this.nextPing();
  }

  /** Also when the clock was set back: then nobody knows. */
  get isAged(): boolean {
    const age = this.timers.now() - this.openedAt;
    return age < 0 || age >= MAX_AGE_MS;
  }

  /** Something came from the other side: whatever it is, it is a sign of life, and not every server knows pings. */
  heard(): void {
    if (!this.isAsking) return;
    this.isAsking = false;
    this.pulse();
    this.pulse = this.nextPing();
  }

  used(): void {
    this.idling?.();
    this.idling = null;
  }

  idle(): void {
    this.used();
    this.idling = this.timers.after(IDLE_MS, () => this.socket.unused());
  }

  stop(): void {
    this.used();
    this.pulse();
  }

  private nextPing(): () => void {
    return this.timers.after(PING_MS, () => {
      this.isAsking = true;
      this.pulse = this.deadline();
      this.socket.ping();
    });
  }

  private deadline(): () => void {
    return this.timers.after(PONG_MS, () => {
      if (this.socket.isPaused()) this.pulse = this.deadline();
      else this.socket.lost();
    });
  }
}
