import * as vscode from 'vscode';
import type { ChangeReading } from '../app/changes.ts';
import type { Resolved } from '../app/attachments.ts';
import type { Conversation } from '../app/conversation.ts';
import type { ToldSkills } from '../app/told-skills.ts';
import type { FoundTemplate } from '../app/workflow-templates.ts';
import { missingSession } from '../app/missing-session.ts';
import {
  parsePresenterMessage,
  type HostMessage,
  type Place,
  type PresenterMessage,
} from '../presenter/protocol.ts';
import type { Attachment } from '../runtime/events.ts';
import { distinctRoots } from '../tools/distinct-roots.ts';
import type { Workspace } from '../tools/workspace-paths.ts';
import { isAboutAgents } from './agent-arguments.ts';
import { allowedArguments } from './allowed-actions.ts';
import { answerAbout, isAttachmentQuestion } from './attachment-answers.ts';
import { AttachmentSources } from './attachment-sources.ts';
import type { CodeProposals } from './code-proposals.ts';
import { composedFiles } from './dropped-files.ts';
import { hostConversation, type HostOptions, settingsRefusal } from './host-conversation.ts';
import { KeptDrafts } from './kept-drafts.ts';
import { insist } from './notifications.ts';
import { obstacles } from './obstacles.ts';
import { draftInFork, NOTHING_TO_EDIT, withToolsAgain } from './prompt-draft.ts';
import { byReference, type EditorMessage, isForEditor, isForVsCode, maySendWords } from './page-messages.ts';
import type { ShownDocuments } from './shown-documents.ts';
import { SideConversation } from './side-conversation.ts';
import { isViewRequest, showOf } from './turn-views.ts';
import { isAboutUndo, UndoHost } from './undo-host.ts';
import { noFiles, workspaceRoots } from './workspace-roots.ts';

export { sessionToGoOnWith } from '../app/last-session.ts';

export interface ConversationHostOptions extends HostOptions {
  readonly session_id: string | null;
  readonly documents: ShownDocuments;
  readonly proposals: CodeProposals;
  readonly emit: (message: HostMessage) => void;
  readonly keepPlace: (sessionId: string, place: Place) => void;
}

/**
 * A conversation with VS Code around it: its settings, its workspace, its key. This file and what it imports
 * is loaded when the view is first shown, not when VS Code starts.
 */
export class ConversationHost {
  private readonly conversation: Conversation;
  private readonly drafts: KeptDrafts;
  private readonly sources = new AttachmentSources();
  private readonly sides = new Set<SideConversation>();
  private readonly undo: UndoHost;
  /** Of the session that is open: this window has its log, and a turn runs in it. */
  private writes = false;
  private running = false;

  constructor(private readonly options: ConversationHostOptions) {
    this.drafts = new KeptDrafts(options);
    const { session_id } = options;
    this.conversation = hostConversation(options, { session_id, emit: (message) => this.emit(message) });
    this.undo = new UndoHost({
      conversation: this.conversation,
      documents: options.documents,
      workspace: () => this.workspace(),
      fail: (what, kind, message) => this.fail(what, kind, message),
      failed: (error) => options.log.error(`recording a merge: ${String(error)}`),
    });
  }

  get sessionId(): string {
    return this.conversation.sessionId;
  }

  get changes(): ChangeReading {
    return this.conversation.changes;
  }

  /** Any message of the page. What only VS Code can do is done here, the rest is the conversation's. */
  async receive(raw: unknown): Promise<void> {
    const parsed = parsePresenterMessage(raw);
    if (!parsed.ok) return this.conversation.receive(raw);
    const { message } = parsed;
    await this.drafts.load();
    if (message.type === 'run_action' && !this.isMeant(message)) return;
    if (isForVsCode(message)) return this.runAction(message);
    if (isForEditor(message)) return this.askEditor(message);
    if (isViewRequest(message)) return this.show(message);
    if (isAttachmentQuestion(message)) return this.answer(message);
    if (message.type === 'draft') return this.drafts.keep(message);
    if (message.type === 'find_attachments') return this.suggest(message);
    if (message.type === 'attach_files') return this.options.emit(await composedFiles(message.paths));
    if (message.type === 'set') return this.choose(message);
    if (isAboutUndo(message)) return this.undo.carryOut(message);
    if (message.type === 'edit_prompt') return this.edit(message.seq);
    if (message.type === 'place') return this.options.keepPlace(message.session_id, message.place);
    if ((await this.leaves(message)) && !(await this.stopped())) return;
    if (maySendWords(message) && this.refuse(message)) return;
    if (message.type === 'ready') this.drafts.pageBegan();
    await this.conversation.receive(byReference(message));
    if (message.type === 'ready') await this.reportObstacles();
  }

  /** Resolves when every message so far has been answered, however long a model took. */
  answered(): Promise<void> {
    return this.conversation.answered();
  }

  /** Something around the conversation changed: the page that is there gets all of it again. */
  async refresh(): Promise<void> {
    await this.drafts.load();
    await this.conversation.receive({ type: 'ready' });
    await this.reportObstacles();
  }

  /** Someone gave a session another name: the page shows it. */
  renamed(): Promise<void> {
    return this.conversation.renamed();
  }

  /** Another conversation of this window needs the log: this one looks on from then. */
  lend(take: () => Promise<void>): Promise<void> {
    return this.conversation.lend(take);
  }

  lookForLog(): Promise<void> {
    return this.conversation.lookForLog();
  }

  /** What each of these would carry if it were sent. */
  lookUp(given: readonly Attachment[]): Promise<readonly Resolved<Attachment>[]> {
    return this.conversation.means.lookUp(given);
  }

  /** The workflows that can be started by their names, and the files that should be one. */
  templates(): Promise<readonly FoundTemplate[]> {
    return this.conversation.means.templates();
  }

  /** The skills there are, with what the model is told of them. */
  skills(): Promise<ToldSkills> {
    return this.conversation.means.toldSkills();
  }

  /** A session of its own for some work; it is closed with the work, or with the window. */
  async aside<T>(
    emit: (message: HostMessage) => void,
    work: (side: SideConversation) => Promise<T>,
  ): Promise<T> {
    const side = new SideConversation(this.options, emit);
    this.sides.add(side);
    try {
      return await work(side);
    } finally {
      this.sides.delete(side);
      await side.dispose();
    }
  }

  async dispose(): Promise<void> {
    this.sources.dispose();
    this.undo.dispose();
    const sides = [...this.sides].map((side) => side.dispose());
    await Promise.all([this.drafts.close(), this.conversation.dispose(), ...sides]);
  }

  /** Would end a turn that runs, which nobody asked for. */
  private async leaves(message: PresenterMessage): Promise<boolean> {
    if (!this.running) return false;
    if (message.type !== 'open_session') return message.type === 'new_session' || message.type === 'fork';
    const { session_id } = message;
    if (session_id === this.sessionId) return false;
    return (await missingSession(this.conversation.store, session_id)) === null;
  }

  private async stopped(): Promise<boolean> {
    const stay = { title: vscode.l10n.t('Stay here'), isCloseAffordance: true };
    const leave = { title: vscode.l10n.t('Stop and leave') };
    const question = vscode.l10n.t('A turn is running in this session. Leaving it stops the turn.');
    if ((await insist(question, stay, leave)) !== leave) return false;
    await this.conversation.receive({ type: 'stop' });
    return true;
  }

  /** The words of a prompt, in a fork that has all before it: nothing is sent before the person does. */
  private async edit(seq: number): Promise<void> {
    const prompt = await this.changes.prompt(seq);
    if (prompt !== null && this.running && !(await this.stopped())) return;
    const draft = await draftInFork(this.options, { session_id: this.sessionId, seq, prompt });
    if (draft === null) return this.fail(...NOTHING_TO_EDIT);
    this.drafts.keep(draft);
    await this.conversation.receive({ type: 'open_session', session_id: draft.session_id });
    this.options.emit({ v: 1, type: 'reveal', what: 'composer' });
    // A composer has no way to send without them.
    if (prompt?.tools === 'none') this.options.emit(withToolsAgain());
  }

  private emit(message: HostMessage): void {
    const { emit } = this.options;
    if (message.type === 'snapshot') {
      this.running = false;
      this.writes = message.access.kind === 'writer';
    }
    if (message.type === 'turn_state') this.running = this.writes && message.state === 'running';
    emit(message.type === 'snapshot' ? { ...message, ...noFiles() } : message);
    if (message.type === 'snapshot') this.drafts.tell(message.session_id);
  }

  private async suggest({
    query_id,
    text,
  }: Extract<PresenterMessage, { type: 'find_attachments' }>): Promise<void> {
    const items = await this.sources.find(text);
    if (items !== null) this.options.emit({ v: 1, type: 'suggestions', query_id, items: [...items] });
  }

  private async answer(message: Parameters<typeof answerAbout>[0]): Promise<void> {
    const { changes } = this;
    const told = await answerAbout(message, { changes, means: this.conversation.means });
    if (told !== null) this.options.emit(told);
  }

  /** Like a pick in the chat: kept for this workspace, whose settings can still make it stricter. */
  private async choose({ model, mode }: Extract<PresenterMessage, { type: 'set' }>): Promise<void> {
    await this.options.choices.choose({
      ...(model === undefined ? {} : { model }),
      ...(mode === undefined ? {} : { permissionMode: mode }),
    });
  }

  private async runAction({
    command,
    args,
  }: Extract<PresenterMessage, { type: 'run_action' }>): Promise<void> {
    const allowed = allowedArguments(command, args);
    if (allowed === null) {
      return this.fail('run_action', 'not_available', `This version has no command ${command} for a button.`);
    }
    try {
      await vscode.commands.executeCommand(command, ...allowed);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.options.log.error(`${command}: ${message}`);
      this.fail('run_action', 'command_failed', `${command} failed: ${message}`);
    }
  }

  /** What is about a child or a workflow names it, and nothing else. */
  private isMeant({ command, args }: Extract<PresenterMessage, { type: 'run_action' }>): boolean {
    const isFit = !isAboutAgents(command) || allowedArguments(command, args) !== null;
    if (!isFit)
      this.fail('run_action', 'bad_arguments', 'The button does not say what it is about. Nothing was done.');
    return isFit;
  }

  private async askEditor(message: EditorMessage): Promise<void> {
    const { carryOut } = await import('./page-editor.ts');
    const { proposals } = this.options;
    const refusal = await carryOut(message, { workspace: this.workspace(), proposals });
    if (refusal !== null) this.fail(message.type, refusal.kind, refusal.message);
  }

  private workspace(): Workspace {
    const { platform } = process;
    return { roots: distinctRoots(workspaceRoots(), platform), storageDir: this.options.storage, platform };
  }

  private async show(message: Parameters<typeof showOf>[0]): Promise<void> {
    const refusals = await showOf(message, { changes: this.changes, documents: this.options.documents });
    if (refusals.length > 0) this.fail(message.type, 'not_shown', refusals.join('\n'));
  }

  private refuse(message: PresenterMessage): boolean {
    const refusal = settingsRefusal(message, this.options.choices);
    if (refusal !== null) this.options.emit(refusal);
    return refusal !== null;
  }

  private async reportObstacles(): Promise<void> {
    for await (const message of obstacles(this.options)) this.options.emit(message);
  }

  private fail(what: string, kind: string, message: string): void {
    this.options.emit({ v: 1, type: 'failure', for: what, kind, message, next_actions: [] });
  }
}
