import type { ToolBox } from '../runtime/ports.ts';
import type { SessionStore } from '../storage/session-store.ts';
import { explained, type Explained } from './faults.ts';
import { OpenedSession, type SessionWatch } from './open-session.ts';
import { PATIENCE_MS, within } from './patience.ts';

/** A log up to this size is read whole before it is shown; of a larger one the tail is shown first. */
const READ_FIRST = 4 * 1024 * 1024;

export interface SlotPorts extends SessionWatch {
  readonly store: SessionStore;
  readonly tools: () => Promise<ToolBox>;
  readonly onError: (message: string) => void;
}

interface Occupant {
  readonly id: string;
  /** Resolves when there is something to show; rejects when it cannot be opened at all. */
  readonly shown: Promise<OpenedSession>;
  /** Resolves when the whole log has been read and checked, or could not be. */
  readonly loaded: Promise<void>;
  /** Aborted when it is left: then nobody waits for its log to be read. */
  readonly left: AbortController;
}

export interface Switch {
  readonly take_over: boolean;
  /** Done while nothing is open here. It does not fail. */
  readonly meanwhile?: () => Promise<void>;
}

/** The one session that a conversation has open, and how far it is. */
export class SessionSlot {
  private occupant: Occupant;
  private opened: OpenedSession | null = null;
  private failed: unknown = null;

  constructor(
    private readonly ports: SlotPorts,
    sessionId: string,
  ) {
    this.occupant = this.enter(sessionId, { take_over: false });
  }

  get id(): string {
    return this.occupant.id;
  }

  /** What is shown; also once it was closed, until another takes its place. */
  get session(): OpenedSession | null {
    return this.opened;
  }

  /** What can be seen of it; `obstacle` is why nothing can. */
  get seen(): {
    readonly id: string;
    readonly opened: OpenedSession | null;
    readonly obstacle: Explained | null;
  } {
    const obstacle = this.failed === null ? null : explained(this.failed);
    return { id: this.occupant.id, opened: this.opened, obstacle };
  }

  /** Resolves when there is something to show, or nothing can be. */
  get known(): Promise<unknown> {
    return openedOrNull(this.occupant);
  }

  get showable(): Promise<OpenedSession> {
    return this.occupant.shown;
  }

  get loaded(): Promise<void> {
    return this.occupant.loaded;
  }

  /** Null, or why the new one cannot be opened: then the former is there again. */
  async switchTo(sessionId: string, { take_over, meanwhile }: Switch): Promise<Explained | null> {
    const former = this.occupant.id;
    await within(PATIENCE_MS, this.close());
    await meanwhile?.();
    this.occupant = this.enter(sessionId, { take_over });
    try {
      await this.occupant.shown;
      return null;
    } catch (error) {
      // It is told of by `load`.
      if (former !== sessionId) this.occupant = this.enter(former, { take_over: false });
      await this.known;
      return explained(error);
    }
  }

  /** A small log is waited for; of a large one `whenLoaded` is told later. */
  async readFirst(whenLoaded: () => void): Promise<void> {
    const { opened, occupant } = this;
    if (opened === null || opened.access.kind !== 'loading') return;
    if ((await opened.size()) <= READ_FIRST) return occupant.loaded;
    void this.tellWhenLoaded(occupant, whenLoaded);
  }

  /** Closes what runs, and calls off what is only read. One that is still being opened is closed once it is there. */
  async close(): Promise<void> {
    const { occupant } = this;
    occupant.left.abort();
    const opened = await openedOrNull(occupant);
    if (opened === null) return;
    await occupant.loaded;
    await opened.close();
  }

  private async tellWhenLoaded(occupant: Occupant, whenLoaded: () => void): Promise<void> {
    await occupant.loaded;
    if (this.occupant === occupant) whenLoaded();
  }

  private enter(id: string, how: { readonly take_over: boolean }): Occupant {
    this.opened = null;
    this.failed = null;
    const left = new AbortController();
    const shown = OpenedSession.open(this.ports.store, id, this.ports, { ...how, signal: left.signal });
    const loaded = this.load(id, shown, left.signal);
    return { id, shown, loaded, left };
  }

  private async load(id: string, shown: Promise<OpenedSession>, signal: AbortSignal): Promise<void> {
    let opened: OpenedSession;
    try {
      opened = await shown;
    } catch (error) {
      if (this.occupant.shown === shown) this.failed = error;
      // Whoever asks for the session is told as well.
      this.ports.onError(`opening ${id}: ${String(error)}`);
      return;
    }
    if (this.occupant.shown !== shown) return;
    this.opened = opened;
    try {
      await opened.load(this.ports.tools, signal);
    } catch (error) {
      const { text, next_actions, log } = explained(error);
      this.ports.onError(`opening ${id}: ${log}`);
      opened.refuse('failed', `The session could not be opened. ${text}`, next_actions);
    }
  }
}

/** Null when it never opened: that has been told, and there is nothing to close. */
async function openedOrNull({ shown }: Occupant): Promise<OpenedSession | null> {
  try {
    return await shown;
  } catch {
    return null;
  }
}
