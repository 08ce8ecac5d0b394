import { waitsForPerson, type Children } from './agents/children.ts';
import type { Draft } from './events.ts';
import type { Clock } from './ports.ts';
import type { RunEnd } from './run-end.ts';
import type { ChildKeeper } from './session-ports.ts';
import type { RunChildren } from './turn-context.ts';

/** What a run knows of the children of its session: when the log has something new to say of them. */
export class ChildNews implements RunChildren {
  private readonly waiting = new Set<() => void>();
  private held_ms = 0;
  private heldSince: number | null = null;

  constructor(
    private readonly keeper: ChildKeeper | undefined,
    private readonly clock: Pick<Clock, 'steady'>,
    private readonly children: () => Children,
  ) {}

  /** Called with what has been recorded. */
  recorded(drafts: readonly Draft[]): void {
    if (!drafts.some(({ type }) => type === 'subagent_event')) return;
    const now = this.clock.steady();
    const held = waitsForPerson(this.children());
    if (!held && this.heldSince !== null) this.held_ms += now - this.heldSince;
    this.heldSince = held ? (this.heldSince ?? now) : null;
    for (const tell of this.waiting) tell();
  }

  get isHeld(): boolean {
    return this.heldSince !== null;
  }

  heldFor(): number {
    return this.held_ms + (this.heldSince === null ? 0 : this.clock.steady() - this.heldSince);
  }

  changed(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const tell = (): void => {
        this.waiting.delete(tell);
        signal.removeEventListener('abort', tell);
        resolve();
      };
      this.waiting.add(tell);
      signal.addEventListener('abort', tell);
    });
  }

  async close(end: RunEnd): Promise<void> {
    await this.keeper?.closeAll(end);
  }
}
