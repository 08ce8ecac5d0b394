import type { SessionOutput } from '../runtime/outputs.ts';
import type { ToolBox } from '../runtime/ports.ts';
import type { SessionStore } from '../storage/session-store.ts';
import { OpenedSession } from './open-session.ts';

/** A log up to this size is read whole before it is shown; of a larger one the tail is shown first. */
const READ_FIRST = 4 * 1024 * 1024;

export interface SlotPorts {
  readonly store: SessionStore;
  readonly tools: () => Promise<ToolBox>;
  readonly publish: (output: SessionOutput) => void;
  readonly onError: (message: string) => void;
}

/** The one session that a conversation has open, and how far it is. */
export class SessionSlot {
  private opened: OpenedSession | null = null;
  private shown: Promise<void> = Promise.resolve();
  private read: Promise<void> = Promise.resolve();
  private current: string;

  constructor(
    private readonly ports: SlotPorts,
    sessionId: string,
  ) {
    this.current = sessionId;
    this.shown = this.open({ take_over: false });
  }

  get id(): string {
    return this.current;
  }

  get session(): OpenedSession | null {
    return this.opened;
  }

  /** Resolves when there is something to show; rejects when the storage cannot be used at all. */
  get showable(): Promise<void> {
    return this.shown;
  }

  /** Resolves when the whole log has been read and checked, or could not be. */
  get loaded(): Promise<void> {
    return this.read;
  }

  async switchTo(sessionId: string, how: { readonly take_over: boolean }): Promise<void> {
    await this.close();
    this.current = sessionId;
    this.shown = this.open(how);
    await this.shown;
  }

  /** A small log is waited for; of a large one `whenLoaded` is told later. */
  async readFirst(whenLoaded: () => void): Promise<void> {
    const { opened } = this;
    if (opened === null || opened.access.kind !== 'loading') return;
    if ((await opened.size()) <= READ_FIRST) return this.read;
    void this.tellWhenLoaded(opened, whenLoaded);
  }

  async close(): Promise<void> {
    await this.shown.catch(() => undefined);
    await this.read;
    const { opened } = this;
    this.opened = null;
    await opened?.close();
  }

  private async tellWhenLoaded(opened: OpenedSession, whenLoaded: () => void): Promise<void> {
    await this.read;
    if (this.opened === opened) whenLoaded();
  }

  private async open(how: { readonly take_over: boolean }): Promise<void> {
    const { store, publish } = this.ports;
    const opened = await OpenedSession.open(store, this.current, publish, how);
    this.opened = opened;
    this.read = this.load(opened);
  }

  private async load(opened: OpenedSession): Promise<void> {
    try {
      await opened.load(this.ports.tools);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.ports.onError(`opening ${opened.id}: ${message}`);
      opened.refuse('failed', `The session could not be opened: ${message}`, []);
    }
  }
}
