interface Held {
  /** Null for one that is no longer in storage. */
  readonly address: string | null;
  readonly bytes: number;
}

/** Of pictures that nobody looks at just now. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Addresses of pictures by their hashes. Those that are drawn stay; of others as many as have room, the last ones first.
 * One that had to go is asked for again by whoever draws it.
 */
export class HeldImages {
  /** In the order in which they were last wanted. */
  private readonly known = new Map<string, Held>();
  private readonly asked = new Set<string>();
  private readonly users = new Map<string, number>();

  constructor(
    private readonly revoke: (address: string) => void,
    private readonly most = MOST_BYTES,
  ) {}

  get(sha256: string): string | null | undefined {
    return this.known.get(sha256)?.address;
  }

  /** Someone draws it, until the answer is called. It is asked for once, however many want it. */
  hold(sha256: string, ask: () => void): () => void {
    this.users.set(sha256, this.usersOf(sha256) + 1);
    if (!this.asked.has(sha256)) {
      this.asked.add(sha256);
      ask();
    }
    return () => {
      this.users.set(sha256, this.usersOf(sha256) - 1);
      if (this.usersOf(sha256) > 0) return;
      this.users.delete(sha256);
      const held = this.known.get(sha256);
      if (held !== undefined) this.put(sha256, held);
    };
  }

  /** The first answer counts: an address that is drawn does not change. */
  tell(sha256: string, make: () => Held): void {
    if (!this.known.has(sha256)) this.put(sha256, make());
  }

  private put(sha256: string, held: Held): void {
    this.known.delete(sha256);
    this.known.set(sha256, held);
    const idle = [...this.known].filter(([key]) => this.usersOf(key) === 0);
    let bytes = idle.reduce((sum, [, one]) => sum + one.bytes, 0);
    for (const [key, one] of idle) {
      if (bytes <= this.most) return;
      bytes -= one.bytes;
      this.known.delete(key);
      this.asked.delete(key);
      if (one.address !== null) this.revoke(one.address);
    }
  }

  private usersOf(sha256: string): number {
    return this.users.get(sha256) ?? 0;
  }
}
