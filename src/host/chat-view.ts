import * as vscode from 'vscode';
import type { HostMessage } from '../presenter/protocol.ts';
import type { ApiKey } from './api-key.ts';
import type { Choices } from './choices.ts';
import type { CodeProposals } from './code-proposals.ts';
import { CHAT_FOCUSED, FOCUS_CHAT_VIEW, LAST_SESSION } from './contribution-ids.ts';
import type { ConversationFacts } from './conversation-facts.ts';
import type { ConversationHost, ConversationHostOptions } from './conversation-host.ts';
import type { Borrow } from './host-conversation.ts';
import { KeptPlaces } from './kept-places.ts';
import type { ShownDocuments } from './shown-documents.ts';
import { ShownConversation, type ForPage } from './shown-conversation.ts';

export interface ChatViewOptions {
  readonly context: vscode.ExtensionContext;
  /** The folder of the workspace's sessions, or of none. */
  readonly storage: string;
  readonly log: vscode.LogOutputChannel;
  readonly apiKey: ApiKey;
  readonly choices: Choices;
  readonly documents: ShownDocuments;
  readonly proposals: CodeProposals;
  readonly borrow: Borrow;
}

/** The chat in the side bar. Its page may come and go; the conversation behind it stays until the window ends. */
export class ChatView implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | null = null;
  private readonly shown: ShownConversation;
  /** Every message for presenters, whether or not the page is in view. */
  readonly onDidEmit: vscode.Event<HostMessage>;
  private readonly hidden = new vscode.EventEmitter<void>();
  readonly onDidHide = this.hidden.event;
  /** Where one was reading: of all sessions, wherever they are shown. */
  readonly places: KeptPlaces;
  private remembered: string | null = null;
  private readonly remembering: vscode.Disposable;

  constructor(private readonly options: ChatViewOptions) {
    const { context, log, apiKey, choices } = options;
    this.places = new KeptPlaces(context.workspaceState, log);
    this.shown = new ShownConversation({
      extensionUri: context.extensionUri,
      log,
      apiKey,
      choices,
      places: this.places,
      session_id: null,
      begin: (emit) => this.begin(emit),
      carryOut: (host, message) => host.receive(message),
      isVisible: () => this.isVisible,
      focused: (has) => this.focused(has),
    });
    this.onDidEmit = this.shown.onDidEmit;
    this.remembering = this.onDidEmit((message) => {
      if (message.type === 'snapshot') this.remember(message.session_id);
    });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { webview } = view;
    this.view = view;
    const subscriptions = [
      this.shown.show(webview),
      view.onDidChangeVisibility(() => {
        if (view.visible) return;
        this.shown.left();
        this.hidden.fire();
      }),
      view.onDidDispose(() => {
        for (const subscription of subscriptions) subscription.dispose();
        if (this.shown.gone(webview)) this.view = null;
      }),
    ];
  }

  /** Shows the view and hands it a message as if the page had sent it. */
  async present(message: unknown): Promise<void> {
    await vscode.commands.executeCommand(FOCUS_CHAT_VIEW);
    await (await this.host()).receive(message);
  }

  /** Also while its page is still being loaded. */
  get isVisible(): boolean {
    return this.view?.visible ?? false;
  }

  /** Shows the view and tells the page something, as soon as there is one that listens. */
  tell(message: ForPage): Promise<void> {
    return this.shown.tell(message, () => vscode.commands.executeCommand(FOCUS_CHAT_VIEW));
  }

  host(): Promise<ConversationHost> {
    return this.shown.host();
  }

  /** What is known of the conversation; asks for it first when nothing is. */
  knownFacts(): Promise<ConversationFacts> {
    return this.shown.knownFacts();
  }

  /** Ends the conversation: what runs is closed as `disconnect` and the log is released. */
  async dispose(): Promise<void> {
    this.remembering.dispose();
    this.hidden.dispose();
    await this.shown.dispose();
  }

  private async begin(emit: (message: HostMessage) => void): Promise<ConversationHost> {
    const { context, storage } = this.options;
    const { ConversationHost: Host, sessionToGoOnWith } = await import('./conversation-host.ts');
    const last = context.workspaceState.get<string>(LAST_SESSION) ?? null;
    const session_id = await sessionToGoOnWith(storage, last);
    return new Host({ ...hostOptions(this.options, this.places), session_id, emit });
  }

  private focused(has: boolean): void {
    vscode.commands.executeCommand('setContext', CHAT_FOCUSED, has).then(undefined, (error: unknown) => {
      this.options.log.error(`telling that the chat has the focus: ${String(error)}`);
    });
  }

  private remember(sessionId: string): void {
    if (sessionId === this.remembered) return;
    this.remembered = sessionId;
    this.options.context.workspaceState.update(LAST_SESSION, sessionId).then(undefined, (error: unknown) => {
      this.options.log.error(`remembering the session: ${String(error)}`);
    });
  }
}

/** What every conversation of a window is given. */
export function hostOptions(
  options: ChatViewOptions,
  places: KeptPlaces,
): Omit<ConversationHostOptions, 'session_id' | 'emit'> {
  const { context, storage, log, apiKey, choices, documents, proposals, borrow } = options;
  return {
    storage,
    app_version: versionOf(context.extension.packageJSON),
    log,
    apiKey,
    choices,
    documents,
    proposals,
    borrow,
    keepPlace: (sessionId, place) => places.keep(sessionId, place),
  };
}

function versionOf(manifest: unknown): string {
  return typeof manifest === 'object' &&
    manifest !== null &&
    'version' in manifest &&
    typeof manifest.version === 'string'
    ? manifest.version
    : 'unknown';
}
