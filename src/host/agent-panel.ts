import * as vscode from 'vscode';
import { forkSession, NOTHING_TO_FORK } from '../app/fork-session.ts';
import { failureMessage } from '../presenter/failure.ts';
import { parsePresenterMessage, type HostMessage } from '../presenter/protocol.ts';
import { hostOptions, type ChatView, type ChatViewOptions } from './chat-view.ts';
import { CompactionPreviews } from './compaction-previews.ts';
import type { ConversationFacts } from './conversation-facts.ts';
import { ConversationHost } from './conversation-host.ts';
import { undoTurn } from './edit-commands.ts';
import { panelWork, type PanelWork } from './panel-messages.ts';
import { draftInFork, NOTHING_TO_EDIT } from './prompt-draft.ts';
import type { ReportDocuments } from './report-documents.ts';
import { agentWords } from './session-words.ts';
import { ShownConversation, type ForPage } from './shown-conversation.ts';
import { foreign } from './shown-text.ts';

export interface AgentPanelOptions extends ChatViewOptions {
  readonly chat: ChatView;
  readonly reports: ReportDocuments;
}

/** A tab is narrow. */
const LONGEST_TASK = 40;

/** Its role and what it is to do. */
export function panelTitle(agent: string, task: string): string {
  const words = foreign(task, LONGEST_TASK);
  return words === '' ? agentWords(agent) : `${agentWords(agent)}: ${words}`;
}

/**
 * The transcript of a child in a tab of its own: a conversation on its session, beside the chat. While the child works for its
 * parent it is looked at; once that is over, one can go on with it here.
 */
export class AgentPanel {
  private readonly shown: ShownConversation;
  readonly onDidEmit: vscode.Event<HostMessage>;
  private readonly subscriptions: readonly vscode.Disposable[];
  private ended: Promise<void> | null = null;
  /** A tab that is closed no longer says which page it had. */
  private readonly page: vscode.Webview;
  private named: string | null = null;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    readonly sessionId: string,
    private readonly options: AgentPanelOptions,
    private readonly closed: (ended: Promise<void>) => void,
  ) {
    const { context, chat, reports, choices, log, apiKey } = options;
    const { extensionUri } = context;
    this.page = panel.webview;
    this.shown = new ShownConversation({
      extensionUri,
      log,
      apiKey,
      choices,
      places: chat.places,
      session_id: sessionId,
      begin: async (emit) =>
        new ConversationHost({ ...hostOptions(options, chat.places), session_id: sessionId, emit }),
      carryOut: (host, message) => this.carryOut(host, message),
      isVisible: () => panel.visible,
      // Keys that are for the chat are not for this.
      focused: () => undefined,
    });
    this.onDidEmit = this.shown.onDidEmit;
    panel.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'media', 'transcript-light.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'media', 'transcript-dark.svg'),
    };
    this.subscriptions = [
      this.onDidEmit((message) => this.rename(message)),
      new CompactionPreviews({ chat: this, reports, choices, log }),
      this.shown.show(this.page),
      panel.onDidChangeViewState(() => {
        if (!panel.visible) this.shown.left();
      }),
      panel.onDidDispose(() => void this.end()),
    ];
  }

  /** What its session is called, as it was last shown; null before. */
  get title(): string | null {
    return this.named;
  }

  reveal(): void {
    this.panel.reveal();
  }

  tell(message: ForPage): Promise<void> {
    return this.shown.tell(message, async () => this.reveal());
  }

  host(): Promise<ConversationHost> {
    return this.shown.host();
  }

  knownFacts(): Promise<ConversationFacts> {
    return this.shown.knownFacts();
  }

  async present(message: unknown): Promise<void> {
    this.reveal();
    await (await this.host()).receive(message);
  }

  /** Resolves when its log is released. */
  close(): Promise<void> {
    this.panel.dispose();
    return this.end();
  }

  private end(): Promise<void> {
    if (this.ended !== null) return this.ended;
    for (const subscription of this.subscriptions) subscription.dispose();
    this.shown.gone(this.page);
    this.ended = this.shown
      .dispose()
      .catch((error: unknown) =>
        this.options.log.error(`closing the transcript of ${this.sessionId}: ${String(error)}`),
      );
    this.closed(this.ended);
    return this.ended;
  }

  private rename(message: HostMessage): void {
    if (message.type !== 'snapshot' || message.session_id !== this.sessionId) return;
    this.named = message.title;
    const title = panelTitle(message.parent?.agent ?? '', message.title);
    if (this.panel.title !== title) this.panel.title = title;
  }

  private async carryOut(host: ConversationHost, raw: unknown): Promise<void> {
    const parsed = parsePresenterMessage(raw);
    // Told by the host to be none.
    if (!parsed.ok) return host.receive(raw);
    return this.work(host, panelWork(parsed.message, this.sessionId));
  }

  private work(host: ConversationHost, work: PanelWork): Promise<void> {
    switch (work.kind) {
      case 'message':
        return host.receive(work.message);
      case 'fork':
        return this.fork(work);
      case 'edit':
        return this.edit(host, work.seq);
      case 'undo':
        return undoTurn(this, work.way);
      case 'reveal':
        return this.tell({ v: 1, type: 'reveal', ...work.place });
    }
  }

  /** The tab stays with its child. */
  private async fork({ at_seq, summary }: Extract<PanelWork, { kind: 'fork' }>): Promise<void> {
    const { storage, log, chat } = this.options;
    const { sessionId: session_id } = this;
    const fork = await forkSession(storage, { session_id, at_seq, summary }, (text) => log.warn(text));
    if (fork === null) this.shown.emit(failureMessage(...NOTHING_TO_FORK));
    else await chat.present({ type: 'open_session', session_id: fork });
  }
  private async edit(host: ConversationHost, seq: number): Promise<void> {
    const { chat } = this.options;
    const prompt = await host.changes.prompt(seq);
    const draft = await draftInFork(this.options, { session_id: this.sessionId, seq, prompt });
    if (draft === null) return this.shown.emit(failureMessage(...NOTHING_TO_EDIT));
    await chat.present({ type: 'draft', ...draft });
    await chat.present({ type: 'open_session', session_id: draft.session_id });
  }
}
