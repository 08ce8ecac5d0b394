import * as vscode from 'vscode';
import type { ChangeReading } from '../app/changes.ts';
import type { Resolved } from '../app/attachments.ts';
import type { Conversation } from '../app/conversation.ts';
import type { FoundTemplate } from '../app/workflow-templates.ts';
import { missingSession } from '../app/missing-session.ts';
import {
  parsePresenterMessage,
  type HostMessage,
  type Place,
  type PresenterMessage,
} from '../presenter/protocol.ts';
import type { Attachment } from '../runtime/events.ts';
import { errorFacts } from '../runtime/provider-errors.ts';
import { distinctRoots } from '../tools/distinct-roots.ts';
import { isAboutAgents } from './agent-arguments.ts';
import { allowedArguments } from './allowed-actions.ts';
import { AttachmentSources } from './attachment-sources.ts';
import type { CodeProposals } from './code-proposals.ts';
import { COMMANDS } from './contribution-ids.ts';
import { composedFiles } from './dropped-files.ts';
import { hostConversation, type HostOptions, settingsAction, settingsRefusal } from './host-conversation.ts';
import { hostSettings } from './host-settings.ts';
import { KeptDrafts } from './kept-drafts.ts';
import { insist } from './notifications.ts';
import { byReference, type EditorMessage, isForEditor, isForVsCode, maySendWords } from './page-messages.ts';
import type { ShownDocuments } from './shown-documents.ts';
import { SideConversation } from './side-conversation.ts';
import { isViewRequest, showOf } from './turn-views.ts';
import { unsavedOf } from './unsaved-files.ts';
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
  /** Of the session that is open: this window has its log, and a turn runs in it. */
  private writes = false;
  private running = false;

  constructor(private readonly options: ConversationHostOptions) {
    this.drafts = new KeptDrafts(options);
    const { session_id } = options;
    this.conversation = hostConversation(options, { session_id, emit: (message) => this.emit(message) });
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
    if (message.type === 'draft') return this.drafts.keep(message);
    if (message.type === 'find_attachments') return this.suggest(message);
    if (message.type === 'attach_files') return this.options.emit(await composedFiles(message.paths));
    if (message.type === 'set') return this.choose(message);
    if (message.type === 'undo') return this.undo(message);
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
    const sides = [...this.sides].map((side) => side.dispose());
    await Promise.all([this.drafts.close(), this.conversation.dispose(), ...sides]);
  }

  /** Would end a turn that runs, which nobody asked for. */
  private async leaves(message: PresenterMessage): Promise<boolean> {
    if (!this.running) return false;
    if (message.type !== 'open_session') return message.type === 'new_session';
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

  private emit(message: HostMessage): void {
    const { emit } = this.options;
    if (message.type === 'snapshot') {
      this.running = false;
      this.writes = message.access.kind === 'writer';
    }
    if (message.type === 'turn_state') this.running = this.writes && message.state === 'running';
    emit(message.type === 'snapshot' ? { ...message, ...noFiles() } : message);
    if (message.type !== 'snapshot') return;
    this.drafts.tell(message.session_id);
  }

  private async suggest({
    query_id,
    text,
  }: Extract<PresenterMessage, { type: 'find_attachments' }>): Promise<void> {
    const items = await this.sources.find(text);
    if (items !== null) this.options.emit({ v: 1, type: 'suggestions', query_id, items: [...items] });
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
    const { platform } = process;
    const roots = distinctRoots(workspaceRoots(), platform);
    const { storage: storageDir, proposals } = this.options;
    const refusal = await carryOut(message, { workspace: { roots, storageDir, platform }, proposals });
    if (refusal !== null) this.fail(message.type, refusal.kind, refusal.message);
  }

  /** What is typed in an editor and not saved is a change as well; files without one are put back all the same. */
  private async undo(message: Extract<PresenterMessage, { type: 'undo' }>): Promise<void> {
    const { turn_id, path } = message;
    const undoable = await this.changes.undoable(turn_id);
    const paths = undoable.map((file) => file.path).filter((one) => path === undefined || one === path);
    const { storage: storageDir } = this.options;
    const { platform } = process;
    const roots = distinctRoots(workspaceRoots(), platform);
    const unsaved = unsavedOf(paths, { roots, storageDir, platform });
    if (unsaved.length === 0) return this.conversation.receive(message);
    for (const one of paths.filter((saved) => !unsaved.includes(saved)))
      await this.conversation.receive({ ...message, path: one });
    const why = vscode.l10n.t(
      'Not undone: there are unsaved changes in an editor. Save or revert them first.',
    );
    this.fail('undo', 'unsaved_changes', [why, ...unsaved].join('\n'));
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

  /** What the person should know before the first message: settings that do not count, and a missing key. */
  private async reportObstacles(): Promise<void> {
    const { settings, problems } = hostSettings(this.options.choices);
    for (const problem of problems) {
      this.options.log.warn(problem.message);
      this.options.emit({
        v: 1,
        type: 'notice',
        level: 'warning',
        message: problem.message,
        next_actions: [settingsAction(problem)],
      });
    }
    if (settings.provider === 'offline' || (await this.options.apiKey.read()) !== null) return;
    const { sentence, next_actions } = errorFacts('missing_key');
    this.options.emit({
      v: 1,
      type: 'failure',
      for: 'ready',
      kind: 'missing_key',
      message: sentence,
      // Nothing has failed yet that could be tried again.
      next_actions: next_actions.filter(({ command }) => command !== COMMANDS.retryTurn),
    });
  }

  private fail(what: string, kind: string, message: string): void {
    this.options.emit({ v: 1, type: 'failure', for: what, kind, message, next_actions: [] });
  }
}
