/** In bytes. */
export interface ShownUse {
  /** With the session, this much would be free. */
  readonly alone: number;
  readonly shared: number;
}

/** How old what is shown may be. */
const KNOWN_FOR_MS = 60_000;

export interface SessionUsesPorts {
  /** What is used now, by the ids of sessions. */
  read(signal: AbortSignal): Promise<ReadonlyMap<string, ShownUse>>;
  /** Something is known that was not. */
  changed(): void;
  failed(error: unknown): void;
}

/** What sessions take, for those who look at a line: read when somebody does, and shown once it is known. */
export class SessionUses {
  private known: ReadonlyMap<string, ShownUse> = new Map();
  private readAt = Number.NEGATIVE_INFINITY;
  private readonly over = new AbortController();

  constructor(private readonly ports: SessionUsesPorts) {}

  of(sessionId: string): ShownUse | null {
    return this.known.get(sessionId) ?? null;
  }

  want(now: number): void {
    if (now - this.readAt < KNOWN_FOR_MS) return;
    this.readAt = now;
    this.read().catch((error: unknown) => {
      if (!this.over.signal.aborted) this.ports.failed(error);
    });
  }

  dispose(): void {
    this.over.abort();
  }

  private async read(): Promise<void> {
    this.known = await this.ports.read(this.over.signal);
    if (!this.over.signal.aborted) this.ports.changed();
  }
}
