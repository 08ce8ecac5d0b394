import { needsEditor } from '../presenter/editor-messages.ts';
import { aboutOf, aboutRaw } from '../presenter/failure.ts';
import { parsePresenterMessage, type PresenterMessage } from '../presenter/protocol.ts';
import type { SessionOutput } from '../runtime/outputs.ts';
import type { TurnState } from '../runtime/turn.ts';
import { forkLog } from '../storage/fork-log.ts';
import { sessionMarksIn, type SessionMarks } from '../storage/session-marks.ts';
import { isSessionId } from '../storage/session-paths.ts';
import { SessionStore } from '../storage/session-store.ts';
import { isAlive } from '../tools/recorded-process.ts';
import { ConversationAgents } from './agents/conversation-agents.ts';
import { ChangeReading } from './changes.ts';
import type { ConversationOptions } from './conversation-options.ts';
import { ConversationView } from './conversation-view.ts';
import { explained } from './faults.ts';
import { NOTHING_TO_FORK } from './fork-session.ts';
import { Inbox } from './inbox.ts';
import { missingSession } from './missing-session.ts';
import { nodeIds, nodeStorePorts } from './node-ports.ts';
import type { OpenedSession, SessionWatch } from './open-session.ts';
import { PATIENCE_MS, within } from './patience.ts';
import { ProcessWatch } from './process-watch.ts';
import { SessionSlot, type Switch } from './session-slot.ts';
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
  private readonly agents: ConversationAgents;
  private readonly watch: ProcessWatch;
  private readonly turns: TurnRequests;
  readonly undo: UndoRequests;
  /** What was changed, for a presenter that can show it. */
  readonly changes: ChangeReading;
  private readonly inbox = new Inbox((error) => this.options.logger.error(explained(error).log));
  private end: Promise<void> | null = null;

  constructor(private readonly options: ConversationOptions) {
    const { logger, storage, emit, session_id, borrow, trusted } = options;
    const ports = nodeStorePorts((text) => logger.warn(text));
    this.store = new SessionStore(ports, storage);
    this.marks = sessionMarksIn(ports, storage);
    const rules = new WorkspaceRules(ports.disk, storage, (reason) => this.view.notRemembered(reason));
    this.means = new TurnMeans(options, this.store.blobs, rules, () => this.agents.tools());
    const watch: Pick<SessionWatch, 'isAlive' | 'remember' | 'batch'> = {
      isAlive,
      batch: () => this.means.settings()['approvals.batch'],
      remember: (remembered) => rules.remember(remembered),
    };
    const { store, means } = this;
    const onError = (message: string): void => logger.error(message);
    this.agents = new ConversationAgents({ store, means, watch, emit, onError, borrow });
    this.slot = new SessionSlot(
      {
        store,
        ...watch,
        tools: () => this.means.tools(),
        publish: (output) => this.publish(output),
        keeper: (opened) => this.agents.supervise(opened),
        ownerGone: () => this.openAgain(),
        lostSight: () => this.snapshot(),
        onError,
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
    const { slot, view, agents } = this;
    const reopen = (): Promise<void> => this.switchTo(slot.id);
    this.turns = new TurnRequests({ slot, view, watch: this.watch, agents, trusted, means, reopen });
    const unsaved = (path: string): boolean => means.unsaved(path);
    const files = { tools: () => means.tools(), blobs: this.store.blobs, unsaved };
    const asking = (targetId: string): OpenedSession | null => agents.asking(targetId);
    this.changes = new ChangeReading({ opened: () => slot.showable, asking, ...files });
    const inOrder = (work: () => Promise<void>): Promise<void> => this.inOrder(work);
    this.undo = new UndoRequests({ slot, view, trusted, inOrder, ...files });
  }

  get sessionId(): string {
    return this.slot.id;
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

  /** Another here needs the log. What is idle lets go of it while that takes it, and looks on from then. */
  lend(meanwhile: () => Promise<void>): Promise<void> {
    return this.inOrder(() => {
      if (this.slot.session?.session?.running === true) return meanwhile();
      return this.switchTo(this.slot.id, { take_over: false, meanwhile });
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

  /** Nothing can go on before a person decides what children of the session ask. */
  get isHeldUp(): boolean {
    return this.agents.isHeldUp;
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
    await this.view.answering(message, async () => {
      if (!SWITCHES.has(message.type) && (await within(PATIENCE_MS, this.slot.known)) === 'late') {
        const text = 'The session could not be opened in time. Nothing was sent or changed; try again.';
        return this.view.failure(message.type, 'session_not_ready', text, aboutOf(message));
      }
      await this.handle(message);
    });
  }

  private async handle(message: PresenterMessage): Promise<void> {
    if (needsEditor(message)) return this.view.lacks(message, 'That needs an editor, and here is none.');
    switch (message.type) {
      case 'ready':
        if ((await this.slot.session?.abandoned()) === true) return this.switchTo(this.slot.id);
        await this.slot.readFirst(() => this.snapshot());
        return this.showNamed();
      case 'send':
        return this.turns.send(message);
      case 'run_workflow':
        return this.turns.runWorkflow(message);
      case 'stop':
        return this.turns.stop();
      case 'new_session':
        return this.switchTo(nodeIds.next('session'));
      case 'open_session':
        return this.openSession(message.session_id);
      case 'take_over':
        if (this.slot.session?.atWork === true) return this.view.refuse('take_over');
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
        const { at_seq = null, summary } = message;
        const fork = await forkLog(this.store, this.slot.id, at_seq, { summary });
        return fork === null ? this.view.failure(...NOTHING_TO_FORK) : this.switchTo(fork.session_id);
      }
      case 'undo':
      case 'redo':
        return this.undo.carryOut(message);
      case 'compact':
        return this.inbox.beside(this.view.answering(message, () => this.turns.compact(message)));
      case 'find_skills':
        return this.view.skills(message.query_id, await this.means.skills());
      case 'draft':
        return this.view.lacks(
          message,
          'Drafts are not kept here: what is not sent stays with whoever wrote it.',
        );
      case 'place':
      case 'focus':
        // For those who show pages; here there is nothing to come back to.
        return;
      case 'run_action':
        return this.turns.runAction(message, (compact) => this.handle(compact));
    }
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

  private async switchTo(id: string, how: Switch = { take_over: false }): Promise<void> {
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

  private async showNamed(): Promise<void> {
    await this.marks.loadOrTell((text) => this.options.logger.warn(text));
    this.snapshot();
  }

  private snapshot(): void {
    this.view.snapshot();
    this.watch.tellAll();
    this.agents.tellAll();
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
