/** The time of a socket. Tests let it pass by hand. */
export interface SocketTimers {
  /** Milliseconds since 1970, so that a night's sleep of the machine counts. */
  now(): number;
  /** Calls back once, unless it is taken back before. */
  after(ms: number, call: () => void): () => void;
}

/** Keeps no program alive. */
export const NODE_TIMERS: SocketTimers = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
};
