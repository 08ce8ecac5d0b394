import { project } from '../presenter/projection.ts';
import { parsePresenterMessage, type PresenterMessage } from '../presenter/protocol.ts';
import { Feed } from '../presenter/feed.ts';
import { snapshotMessage } from '../presenter/snapshot.ts';
import type { SessionOutput } from '../runtime/outputs.ts';
import { AppendFailed } from '../runtime/ports.ts';
import type { TurnRecord } from '../runtime/session-state.ts';
import type { NextAction } from '../runtime/events.ts';
import { isSessionId } from '../storage/session-paths.ts';
import { SessionStore } from '../storage/session-store.ts';
import { NodeDisk } from '../storage/node-disk.ts';
import type { ConversationOptions } from './conversation-options.ts';
import { nodeClock, nodeHasher, nodeIds, nodeProcesses } from './node-ports.ts';
import { OpenedSession } from './open-session.ts';
import { makeTools, runPorts } from './run-ports.ts';
import type { Settings } from './settings.ts';

/** A log up to this size is read whole before the first snapshot; a larger one shows its tail first. */
const READ_FIRST = 4 * 1024 * 1024;
const FRAME_MS = 16;

/** One presenter's conversation with the runtime: takes its messages, answers with the host's. */
export class Conversation {
  private readonly store: SessionStore;
  private readonly feed: Feed;
  private opened: OpenedSession | null = null;
  private opening: Promise<void>;
  private loaded: Promise<void> = Promise.resolve();
  private inbox: Promise<void> = Promise.resolve();
  private overrides: { readonly model?: string; readonly permissionMode?: Settings['permissionMode'] } = {};
  private id: string;
  private disposed = false;

  constructor(private readonly options: ConversationOptions & { readonly session_id?: string }) {
    const { logger } = options;
    this.store = new SessionStore(
      {
        disk: new NodeDisk(),
        clock: nodeClock,
        ids: nodeIds,
        hasher: nodeHasher,
        processes: nodeProcesses,
        warn: (text) => logger.warn(text),
      },
      options.storage,
    );
    this.feed = new Feed(options.emit, frameTimer, () => ({
      id: this.id,
      turn: this.opened?.state.turn ?? null,
    }));
    this.id = options.session_id ?? nodeIds.next('session');
    this.opening = this.open(this.id, { take_over: false });
  }

  get sessionId(): string {
    return this.id;
  }

  get logPath(): string {
    return `${this.options.storage}/sessions/${this.id}.jsonl`;
  }

  /** Any message of the presenter: parsed, carried out in order, answered. Never rejects. */
  receive(raw: unknown): Promise<void> {
    this.inbox = this.inbox.then(() => this.answer(raw));
    return this.inbox;
  }

  private async answer(raw: unknown): Promise<void> {
    const parsed = parsePresenterMessage(raw);
    if (!parsed.ok) {
      return this.failure(
        parsed.type,
        'bad_message',
        `The message was not understood and changed nothing. ${parsed.reason}`,
      );
    }
    try {
      await this.opening;
      await this.handle(parsed.message);
    } catch (error) {
      const kind = error instanceof AppendFailed ? error.kind : 'internal';
      const message = error instanceof Error ? error.message : String(error);
      this.options.logger.error(
        `${parsed.message.type}: ${error instanceof Error ? (error.stack ?? message) : message}`,
      );
      this.failure(parsed.message.type, kind, message, { client_turn_id: clientTurnId(parsed.message) });
    }
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.loaded;
    await this.opened?.session?.settled();
    this.feed.flush();
  }

  async stop(): Promise<void> {
    await this.opening;
    await this.opened?.session?.stop('user_cancelled');
  }

  /** The presenter is gone: what runs is closed as `disconnect`. */
  async dispose(): Promise<void> {
    this.disposed = true;
    await this.opening.catch(() => undefined);
    await this.loaded.catch(() => undefined);
    await this.opened?.close();
    this.feed.flush();
  }

  private async handle(message: PresenterMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        await this.readFirst();
        return this.snapshot();
      case 'send':
        return this.send(message);
      case 'stop':
        return this.opened?.session?.stop('user_cancelled');
      case 'new_session':
        return this.switchTo(nodeIds.next('session'), { take_over: false });
      case 'open_session':
        if (!isSessionId(message.session_id))
          return this.failure('open_session', 'bad_session_id', 'That is not the id of a session.');
        return this.switchTo(message.session_id, { take_over: false });
      case 'take_over':
        return this.switchTo(this.id, { take_over: true });
      case 'load_before':
        return this.loadBefore(message.seq);
      case 'set':
        this.overrides = {
          ...this.overrides,
          ...(message.model === undefined ? {} : { model: message.model }),
          ...(message.mode === undefined ? {} : { permissionMode: message.mode }),
        };
        return this.snapshot();
      case 'decide':
        return this.failure(
          'decide',
          'unknown_target',
          `Nothing waits for a decision under ${message.target_id}. Nothing was changed.`,
        );
      case 'compact':
      case 'fork':
      case 'undo':
        return this.failure(
          message.type,
          'not_available',
          `This version has no ${message.type} yet. Nothing was changed.`,
        );
      case 'run_action':
        return this.failure(
          'run_action',
          'not_available',
          `${message.command} is not a command of this presenter.`,
        );
    }
  }

  private async send(message: Extract<PresenterMessage, { type: 'send' }>): Promise<void> {
    const { client_turn_id, text, attachments } = message;
    if (text.trim() === '' && attachments.length === 0) {
      return this.failure('send', 'empty_message', 'The message is empty. Nothing was sent.', {
        client_turn_id,
      });
    }
    await this.loaded;
    const opened = this.opened;
    if (opened?.session === undefined || opened.session === null || opened.access.kind !== 'writer') {
      const access = opened?.access;
      const reason =
        access?.kind === 'read_only'
          ? access
          : { reason: 'failed', message: 'The session could not be opened.', next_actions: [] };
      return this.failure('send', `session_${reason.reason}`, reason.message, {
        client_turn_id,
        next_actions: reason.next_actions,
      });
    }
    const run = await runPorts(this.options, this.settings(), this.store.blobs);
    const outcome = await opened.session.send({ client_turn_id, text, attachments }, run);
    if (outcome.kind === 'started') return;
    this.duplicate(outcome.turn);
  }

  /** The same id again: what became of it, and nothing else. */
  private duplicate(turn: TurnRecord): void {
    const current = this.opened?.state.turn;
    if (current?.turn_id === turn.turn_id) return this.feed.turnState({ always: true });
    const { turn_id, client_turn_id, state } = turn;
    this.options.emit({
      v: 1,
      type: 'turn_state',
      turn_id,
      client_turn_id,
      state,
      reason: null,
      next_actions: [],
    });
  }

  private settings(): Settings {
    return { ...this.options.settings(), ...this.overrides };
  }

  private async open(id: string, how: { readonly take_over: boolean }): Promise<void> {
    this.id = id;
    this.opened = await OpenedSession.open(this.store, id, (output) => this.publish(output), how);
    const { opened } = this;
    this.loaded = opened
      .load(() => makeTools(this.options, this.options.roots, this.store.blobs))
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.options.logger.error(`opening ${id}: ${message}`);
        opened.access = {
          kind: 'read_only',
          reason: 'failed',
          message: `The session could not be opened: ${message}`,
          next_actions: [],
        };
      });
  }

  private async switchTo(id: string, how: { readonly take_over: boolean }): Promise<void> {
    await this.loaded;
    await this.opened?.close();
    this.opening = this.open(id, how);
    await this.opening;
    await this.readFirst();
    this.snapshot();
  }

  private async readFirst(): Promise<void> {
    const { opened } = this;
    if (opened === null) return;
    if ((await opened.size()) <= READ_FIRST) return this.loaded;
    if (opened.access.kind !== 'loading') return;
    this.announceWhenLoaded(opened);
  }

  private announceWhenLoaded(opened: OpenedSession): void {
    void this.loaded.then(() => {
      if (!this.disposed && this.opened === opened) this.snapshot();
      return undefined;
    });
  }

  private snapshot(): void {
    const { opened } = this;
    if (opened === null) return;
    this.feed.flush();
    const { provider, model, permissionMode: mode } = this.settings();
    this.options.emit(
      snapshotMessage({
        session_id: opened.id,
        access: opened.access,
        ...opened.window,
        stream: this.feed.stream,
        settings: { provider, model, mode },
      }),
    );
    this.feed.turnState({ always: true });
  }

  private async loadBefore(seq: number): Promise<void> {
    if (this.opened === null) return;
    const { events, has_more } = await this.opened.before(seq);
    this.options.emit({ v: 1, type: 'prepend', session_id: this.id, items: events.map(project), has_more });
  }

  private publish(output: SessionOutput): void {
    if (output.kind === 'append_failed') return this.appendFailed(output.failure, output.message);
    if (output.kind === 'internal_error') return this.failure('run', 'internal', output.message);
    if (output.kind === 'committed') this.opened?.noteCommitted(output.events);
    this.feed.output(output);
  }

  private appendFailed(kind: string, message: string): void {
    const { opened } = this;
    const next_actions = [{ label: 'Open again', command: 'ledgerline.reopenSession' }];
    const text = `${message} Nothing after the last event shown was recorded or done.`;
    if (opened !== null) opened.access = { kind: 'read_only', reason: 'failed', message: text, next_actions };
    this.options.logger.error(`append failed: ${kind}: ${message}`);
    this.failure('append', kind, text, { next_actions });
  }

  private failure(
    what: string,
    kind: string,
    message: string,
    more: {
      readonly client_turn_id?: string | undefined;
      readonly next_actions?: readonly NextAction[];
    } = {},
  ): void {
    const { client_turn_id, next_actions = [] } = more;
    this.options.emit({
      v: 1,
      type: 'failure',
      for: what,
      kind,
      message,
      next_actions: [...next_actions],
      ...(client_turn_id === undefined ? {} : { client_turn_id }),
    });
  }
}

function clientTurnId(message: PresenterMessage): string | undefined {
  return message.type === 'send' ? message.client_turn_id : undefined;
}

function frameTimer(callback: () => void): () => void {
  const timer = setTimeout(callback, FRAME_MS);
  return () => clearTimeout(timer);
}
