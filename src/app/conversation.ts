import { failureMessage } from '../presenter/failure.ts';
import { Feed } from '../presenter/feed.ts';
import { project } from '../presenter/projection.ts';
import { parsePresenterMessage, type PresenterMessage } from '../presenter/protocol.ts';
import { snapshotMessage } from '../presenter/snapshot.ts';
import type { SessionOutput } from '../runtime/outputs.ts';
import type { TurnRecord } from '../runtime/session-state.ts';
import type { TurnState } from '../runtime/turn.ts';
import { forkLog } from '../storage/fork-log.ts';
import { NodeDisk } from '../storage/node-disk.ts';
import { isSessionId, sessionPaths } from '../storage/session-paths.ts';
import { SessionStore } from '../storage/session-store.ts';
import type { ConversationOptions } from './conversation-options.ts';
import { frameTimer, nodeClock, nodeHasher, nodeIds, nodeProcesses } from './node-ports.ts';
import { PATIENCE_MS, within } from './patience.ts';
import { explained } from './faults.ts';
import { makeTools, runPorts } from './run-ports.ts';
import { SessionSlot } from './session-slot.ts';
import type { Settings } from './settings.ts';

/** Messages that leave the present session: they do not wait for it. */
const SWITCHES: ReadonlySet<string> = new Set(['new_session', 'open_session', 'take_over']);

/** One presenter's conversation with the runtime: takes its messages, answers with the host's. */
export class Conversation {
  private readonly store: SessionStore;
  private readonly feed: Feed;
  private readonly slot: SessionSlot;
  private inbox: Promise<void> = Promise.resolve();
  private end: Promise<void> | null = null;
  private overrides: { readonly model?: string; readonly permissionMode?: Settings['permissionMode'] } = {};

  constructor(private readonly options: ConversationOptions) {
    const { logger, storage, emit } = options;
    const ports = {
      disk: new NodeDisk(),
      clock: nodeClock,
      ids: nodeIds,
      hasher: nodeHasher,
      processes: nodeProcesses,
    };
    this.store = new SessionStore({ ...ports, warn: (text) => logger.warn(text) }, storage);
    this.slot = new SessionSlot(
      {
        store: this.store,
        tools: () => makeTools(options, options.roots, this.store.blobs),
        publish: (output) => this.publish(output),
        ownerGone: () => void this.inOrder(() => this.switchTo(this.slot.id, { take_over: false })),
        onError: (message) => logger.error(message),
      },
      chosenSession(options.session_id) ?? nodeIds.next('session'),
    );
    this.feed = new Feed(emit, frameTimer, () => ({
      id: this.slot.id,
      turn: this.slot.session?.state.turn ?? null,
    }));
  }

  get sessionId(): string {
    return this.slot.id;
  }

  get logPath(): string {
    return sessionPaths(this.options.storage, this.slot.id).log;
  }

  /** Any message of the presenter: parsed, carried out in order, answered. Never rejects. */
  receive(raw: unknown): Promise<void> {
    return this.inOrder(() => this.answer(raw));
  }

  /** Resolves when every message so far has been answered and nothing is under way. */
  async settled(): Promise<void> {
    await this.inbox;
    await this.slot.session?.session?.settled();
    this.feed.flush();
  }

  /** Resolves when every message so far has been answered. */
  answered(): Promise<void> {
    return this.inbox;
  }

  /** The state of a turn by the log, for those who ask from outside the protocol. */
  stateOf(clientTurnId: string): TurnState | null {
    return this.slot.session?.session?.find(clientTurnId)?.state ?? null;
  }

  /** Stop, from outside the protocol: what runs ends at once, and so does a turn that is still being started. */
  async stop(): Promise<void> {
    const { session } = this.slot;
    const now = session?.access.kind === 'writer' ? session.session?.stop('user_cancelled') : undefined;
    await Promise.all([now, this.receive({ type: 'stop' })]);
  }

  /** The presenter is gone: what runs is closed as `disconnect`. Messages that come later are not heard. */
  dispose(): Promise<void> {
    this.end ??= this.disconnect();
    return this.end;
  }

  private async disconnect(): Promise<void> {
    await within(PATIENCE_MS, this.slot.close());
    this.feed.flush();
  }

  private inOrder(work: () => Promise<void>): Promise<void> {
    this.inbox = this.inbox.then(() => (this.end === null ? work() : undefined));
    return this.inbox;
  }

  private async answer(raw: unknown): Promise<void> {
    const parsed = parsePresenterMessage(raw);
    if (!parsed.ok) {
      const text = `The message was not understood and changed nothing. ${parsed.reason}`;
      return this.failure(parsed.type, 'bad_message', text);
    }
    const { message } = parsed;
    const draft = message.type === 'send' ? { client_turn_id: message.client_turn_id } : {};
    try {
      if (!SWITCHES.has(message.type) && (await within(PATIENCE_MS, this.slot.showable)) === 'late') {
        const text = 'The session could not be opened in time. Nothing was sent or changed; try again.';
        return this.failure(message.type, 'session_not_ready', text, draft);
      }
      await this.handle(message);
    } catch (error) {
      const { kind, text, log } = explained(error);
      this.options.logger.error(`${message.type}: ${log}`);
      this.failure(message.type, kind, text, draft);
    }
  }

  private async handle(message: PresenterMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        if ((await this.slot.session?.abandoned()) === true)
          return this.switchTo(this.slot.id, { take_over: false });
        await this.slot.readFirst(() => this.snapshot());
        return this.snapshot();
      case 'send':
        return this.send(message);
      case 'stop':
        return this.stopRun();
      case 'new_session':
        return this.switchTo(nodeIds.next('session'), { take_over: false });
      case 'open_session':
        if (!isSessionId(message.session_id))
          return this.failure('open_session', 'bad_session_id', 'That is not the id of a session.');
        return this.switchTo(message.session_id, { take_over: false });
      case 'take_over':
        return this.switchTo(this.slot.id, { take_over: true });
      case 'load_before':
        return this.loadBefore(message.seq);
      case 'set': {
        const { model, mode } = message;
        this.overrides = {
          ...this.overrides,
          ...(model === undefined ? {} : { model }),
          ...(mode === undefined ? {} : { permissionMode: mode }),
        };
        return this.snapshot();
      }
      case 'decide':
        return this.failure(
          'decide',
          'unknown_target',
          `Nothing waits for a decision under ${message.target_id}. Nothing was changed.`,
        );
      case 'fork': {
        const fork = await forkLog(this.store, this.slot.id, message.at_seq ?? null);
        if (fork === null)
          return this.failure('fork', 'nothing_to_fork', 'The session has nothing to fork yet.');
        return this.switchTo(fork.session_id, { take_over: false });
      }
      case 'compact':
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
    if ((await this.slot.session?.abandoned()) === true)
      await this.switchTo(this.slot.id, { take_over: false });
    await this.slot.loaded;
    const opened = this.slot.session;
    const known = opened?.session?.find(client_turn_id);
    if (known !== undefined) return this.duplicate(known);
    if (opened === null || opened.session === null || opened.access.kind !== 'writer') {
      return this.refuse('send', { client_turn_id });
    }
    const run = await runPorts(this.options, this.settings(), this.store.blobs);
    const outcome = await opened.session.send({ client_turn_id, text, attachments }, run);
    if (outcome.kind === 'duplicate') this.duplicate(outcome.turn);
  }

  private async stopRun(): Promise<void> {
    const opened = this.slot.session;
    if (opened?.access.kind !== 'writer') return this.refuse('stop');
    await opened.session?.stop('user_cancelled');
  }

  /** Why nothing can be done with the session just now. */
  private refuse(what: string, draft: { readonly client_turn_id?: string } = {}): void {
    const access = this.slot.session?.access;
    const { reason, message, next_actions } = access?.kind === 'read_only' ? access : NOT_OPEN;
    this.failure(what, `session_${reason}`, message, { ...draft, next_actions });
  }

  /** The same id again: what became of it, and nothing else. */
  private duplicate(turn: TurnRecord): void {
    if (this.slot.session?.state.turn?.turn_id === turn.turn_id) return this.feed.turnState({ always: true });
    const { turn_id, client_turn_id, state, reason, next_actions } = turn;
    const told = { turn_id, client_turn_id, state, reason, next_actions: [...next_actions] };
    this.options.emit({ v: 1, type: 'turn_state', ...told });
  }

  private settings(): Settings {
    return { ...this.options.settings(), ...this.overrides };
  }

  private async switchTo(id: string, how: { readonly take_over: boolean }): Promise<void> {
    await this.slot.switchTo(id, how);
    await this.slot.readFirst(() => this.snapshot());
    this.snapshot();
  }

  private snapshot(): void {
    const opened = this.slot.session;
    if (opened === null) return;
    this.feed.flush();
    const { provider, model, permissionMode: mode } = this.settings();
    const settings = { provider, model, mode };
    const { id: session_id, title, access, window } = opened;
    this.options.emit(
      snapshotMessage({ session_id, title, access, ...window, stream: this.feed.stream, settings }),
    );
    this.feed.turnState({ always: true });
  }

  private async loadBefore(seq: number): Promise<void> {
    const window = await this.slot.session?.before(seq);
    if (window === undefined) return;
    const { events, has_more } = window;
    this.options.emit({
      v: 1,
      type: 'prepend',
      session_id: this.slot.id,
      items: events.map(project),
      has_more,
    });
  }

  private publish(output: SessionOutput): void {
    if (output.kind === 'append_failed') return this.appendFailed(output.failure, output.message);
    if (output.kind === 'internal_error') return this.failure('run', 'internal', output.message);
    const opened = this.slot.session;
    if (output.kind === 'committed') opened?.noteCommitted(output.events);
    // What the opening itself recorded is in the snapshot that follows it.
    if (opened?.access.kind !== 'loading') this.feed.output(output);
  }

  private appendFailed(kind: string, message: string): void {
    const next_actions = [{ label: 'Open again', command: 'ledgerline.reopenSession' }];
    const text = `${message.replace(/\.?$/, '.')} Nothing after the last event shown was recorded or done.`;
    this.slot.session?.refuse('failed', text, next_actions);
    this.options.logger.error(`append failed: ${kind}: ${message}`);
    this.failure('append', kind, text, { next_actions });
  }

  private failure(...told: Parameters<typeof failureMessage>): void {
    this.options.emit(failureMessage(...told));
  }
}

const NOT_OPEN = { reason: 'failed', message: 'The session could not be opened.', next_actions: [] } as const;

/** What a host remembers may be of another version: only an id that can be a file counts. */
function chosenSession(id: string | undefined): string | null {
  return id !== undefined && isSessionId(id) ? id : null;
}
