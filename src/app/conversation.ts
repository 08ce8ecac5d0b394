import { needsEditor } from '../presenter/editor-messages.ts';
import { aboutOf, aboutRaw } from '../presenter/failure.ts';
import { parsePresenterMessage, type PresenterMessage } from '../presenter/protocol.ts';
import type { SessionOutput } from '../runtime/outputs.ts';
import type { TurnState } from '../runtime/turn.ts';
import { forkLog } from '../storage/fork-log.ts';
import { sessionMarksIn, type SessionMarks } from '../storage/session-marks.ts';
import { isSessionId, sessionPaths } from '../storage/session-paths.ts';
import { SessionStore } from '../storage/session-store.ts';
import { isAlive } from '../tools/recorded-process.ts';
import { ChangeReading } from './changes.ts';
import type { ConversationOptions } from './conversation-options.ts';
import { ConversationView } from './conversation-view.ts';
import { explained } from './faults.ts';
import { Inbox } from './inbox.ts';
import { missingSession } from './missing-session.ts';
import { nodeIds, nodeStorePorts } from './node-ports.ts';
import { PATIENCE_MS, within } from './patience.ts';
import { ProcessWatch } from './process-watch.ts';
import { SessionSlot } from './session-slot.ts';
import { TurnMeans } from './turn-means.ts';
import { TurnRequests } from './turn-requests.ts';
import { UndoRequests } from './undo.ts';
import { WorkspaceRules } from './workspace-rules.ts';

/** Messages that leave the present session: they do not wait for it. */
const SWITCHES: ReadonlySet<string> = new Set(['new_session', 'open_session', 'take_over']);

/** One presenter's conversation with the runtime: takes its messages, answers with the host's. */
export class Conversation {
  readonly store: SessionStore;
  readonly means: TurnMeans;
  private readonly marks: SessionMarks;
  private readonly view: ConversationView;
  private readonly slot: SessionSlot;
  private readonly watch: ProcessWatch;
  private readonly turns: TurnRequests;
  private readonly undo: UndoRequests;
  /** What was changed, for a presenter that can show it. */
  readonly changes: ChangeReading;
  private readonly inbox = new Inbox((error) => this.options.logger.error(explained(error).log));
  private end: Promise<void> | null = null;

  constructor(private readonly options: ConversationOptions) {
    const { logger, storage, emit, session_id } = options;
    const ports = nodeStorePorts((text) => logger.warn(text));
    this.store = new SessionStore(ports, storage);
    this.marks = sessionMarksIn(ports, storage);
    const rules = new WorkspaceRules(ports.disk, storage, (reason) => this.notRemembered(reason));
    this.means = new TurnMeans(options, this.store.blobs, rules);
    this.slot = new SessionSlot(
      {
        store: this.store,
        tools: () => this.means.tools(),
        publish: (output) => this.publish(output),
        isAlive,
        batch: () => this.means.settings()['approvals.batch'],
        remember: (remembered) => rules.remember(remembered),
        ownerGone: () => this.openAgain(),
        lostSight: () => this.snapshot(),
        onError: (message) => logger.error(message),
      },
      // What a host remembers may be of another version: only an id that can be a file counts.
      session_id !== undefined && isSessionId(session_id) ? session_id : nodeIds.next('session'),
    );
    this.view = new ConversationView({
      emit,
      logger,
      session: () => this.slot.seen,
      givenTitle: (id) => this.marks.of(id).title,
      settings: () => this.means.settings(),
    });
    this.watch = new ProcessWatch({
      turn: () => this.slot.session?.state.turn ?? null,
      isAlive,
      tell: (call, process) => this.view.process(call, process),
      ended: () => void this.slot.session?.session?.recheck(),
    });
    this.turns = new TurnRequests({
      slot: this.slot,
      view: this.view,
      watch: this.watch,
      trusted: options.trusted,
      runPorts: (limits) => this.means.runPorts(limits),
      attach: (given, run) => this.means.attach(given, run),
      skills: () => this.means.skills(),
      reopen: () => this.switchTo(this.slot.id),
    });
    const { slot, view } = this;
    const files = { tools: () => this.means.tools(), blobs: this.store.blobs };
    this.changes = new ChangeReading({ opened: () => slot.showable, ...files });
    this.undo = new UndoRequests({ slot, view, trusted: options.trusted, ...files });
  }

  get sessionId(): string {
    return this.slot.id;
  }

  get logPath(): string {
    return sessionPaths(this.options.storage, this.slot.id).log;
  }

  /** Any message of the presenter: parsed, carried out in order, answered. Never rejects. */
  receive(raw: unknown): Promise<void> {
    return this.turns.stopsCompaction(raw) ? this.answered() : this.inOrder(() => this.answer(raw));
  }

  /** Someone gave a session another name. */
  renamed(): Promise<void> {
    return this.inOrder(() => this.showNamed());
  }

  /** Something happened to the file of the log: one that is gone can only be looked at. */
  async lookForLog(): Promise<void> {
    // What runs comes upon it with its next event, and is over before anybody looks.
    await this.slot.session?.session?.settled();
    return this.inOrder(async () => {
      if ((await this.slot.session?.abandoned()) === true) await this.switchTo(this.slot.id);
    });
  }

  /** Resolves when every message so far has been answered and nothing is under way. */
  async settled(): Promise<void> {
    await this.inbox.answered();
    await this.slot.session?.session?.settled();
    this.view.flush();
  }

  /** Resolves when every message so far has been answered. */
  answered(): Promise<void> {
    return this.inbox.answered();
  }

  /** The state of a turn by the log, for those who ask from outside the protocol. */
  stateOf(clientTurnId: string): TurnState | null {
    return this.slot.session?.session?.find(clientTurnId)?.state ?? null;
  }

  /** Stop, from outside the protocol: what runs ends at once, and so does a turn that is still being started. */
  async stop(): Promise<void> {
    if (this.turns.stopsCompaction({ type: 'stop' })) return this.answered();
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
    this.watch.close();
    await within(PATIENCE_MS, this.slot.close());
    await this.means.leave();
    this.view.flush();
  }

  private inOrder(work: () => Promise<void>): Promise<void> {
    return this.inbox.inOrder(() => (this.end === null ? work() : undefined));
  }

  private async answer(raw: unknown): Promise<void> {
    const parsed = parsePresenterMessage(raw);
    if (!parsed.ok) {
      const text = `The message was not understood and changed nothing. ${parsed.reason}`;
      return this.view.failure(parsed.type, 'bad_message', text, aboutRaw(raw));
    }
    const { message } = parsed;
    await this.answering(message, async () => {
      if (!SWITCHES.has(message.type) && (await within(PATIENCE_MS, this.slot.known)) === 'late') {
        const text = 'The session could not be opened in time. Nothing was sent or changed; try again.';
        return this.view.failure(message.type, 'session_not_ready', text, aboutOf(message));
      }
      await this.handle(message);
    });
  }

  private async answering(message: PresenterMessage, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { kind, text, next_actions, log } = explained(error);
      this.options.logger.error(`${message.type}: ${log}`);
      this.view.failure(message.type, kind, text, { ...aboutOf(message), next_actions });
    }
  }

  private async handle(message: PresenterMessage): Promise<void> {
    if (needsEditor(message)) return this.lacks(message, 'That needs an editor, and here is none.');
    switch (message.type) {
      case 'ready':
        if ((await this.slot.session?.abandoned()) === true) return this.switchTo(this.slot.id);
        await this.slot.readFirst(() => this.snapshot());
        return this.showNamed();
      case 'send':
        return this.turns.send(message);
      case 'stop':
        return this.turns.stop();
      case 'new_session':
        return this.switchTo(nodeIds.next('session'));
      case 'open_session':
        return this.openSession(message.session_id);
      case 'take_over':
        return this.switchTo(this.slot.id, { take_over: true });
      case 'load_before':
        return this.view.before(message.seq);
      case 'load_after':
        return this.view.after(message.seq);
      case 'set':
        this.means.choose(message);
        return this.snapshot();
      case 'decide':
        return this.turns.decide(message);
      case 'fork': {
        const fork = await forkLog(this.store, this.slot.id, message.at_seq ?? null);
        if (fork === null)
          return this.view.failure('fork', 'nothing_to_fork', 'The session has nothing to fork yet.');
        return this.switchTo(fork.session_id);
      }
      case 'undo':
        return this.undo.undo(message);
      case 'compact':
        return this.inbox.beside(this.answering(message, () => this.turns.compact(message)));
      case 'find_skills':
        return this.view.skills(message.query_id, await this.means.skills());
      case 'draft':
        return this.lacks(message, 'Drafts are not kept here: what is not sent stays with whoever wrote it.');
      case 'place':
      case 'focus':
        // For those who show pages; here there is nothing to come back to.
        return;
      case 'run_action':
        return this.turns.runAction(message, (compact) => this.handle(compact));
    }
  }

  private lacks({ type }: PresenterMessage, text: string): void {
    this.view.failure(type, 'not_available', text);
  }

  private notRemembered(reason: string): void {
    this.options.logger.error(`a rule was not remembered: ${reason}`);
    this.view.notice('warning', `The decision counts, but it could not be remembered (${reason}).`);
  }

  /** As what it is now: another's, or free. */
  private openAgain(): void {
    void this.receive({ type: 'open_session', session_id: this.slot.id });
  }

  /** Whoever wants a new one says so. */
  private async openSession(id: string): Promise<void> {
    const missing = id === this.slot.id ? null : await missingSession(this.store, id);
    return missing === null ? this.switchTo(id) : this.view.failure('open_session', ...missing);
  }

  private async switchTo(id: string, how = { take_over: false }): Promise<void> {
    const { session } = this.slot;
    const standing = id === this.slot.id ? await session?.standing() : undefined;
    if (session !== null && (standing === 'trash' || standing === 'nowhere')) {
      const { message, next_actions } = session.deleted(standing);
      this.view.notice('warning', message, next_actions);
      return this.snapshot();
    }
    const failed = await this.slot.switchTo(id, how);
    await this.means.leave();
    this.view.reopened();
    await this.slot.readFirst(() => this.snapshot());
    await this.showNamed();
    if (failed !== null && this.slot.id !== id) this.view.unopened(id, failed);
  }

  /** What a session is called keeps nobody from using it. */
  private async showNamed(): Promise<void> {
    try {
      await this.marks.load();
    } catch (error) {
      this.options.logger.warn(`the names of sessions could not be read: ${String(error)}`);
    }
    this.snapshot();
  }

  private snapshot(): void {
    this.view.snapshot();
    this.watch.tellAll();
  }

  private publish(output: SessionOutput): void {
    this.view.publish(output);
    // What the opening itself recorded is told after the snapshot that follows it.
    if (output.kind === 'committed' && this.slot.session?.access.kind !== 'loading') this.watch.look();
    // Another has the session now: from here on it is looked at.
    if (output.kind === 'append_failed' && output.failure === 'lease_lost') this.openAgain();
    if (output.kind === 'append_failed' && output.failure === 'log_conflict') void this.lookForLog();
  }
}
