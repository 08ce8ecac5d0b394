import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { HostMessage } from '../presenter/protocol.ts';
import type { ApiKey } from './api-key.ts';
import { chatPage } from './chat-page.ts';
import type { Choices } from './choices.ts';
import type { CodeProposals } from './code-proposals.ts';
import {
  CHAT_FOCUSED,
  COMMANDS,
  FOCUS_CHAT_VIEW,
  LAST_SESSION,
  SETTINGS_SECTION,
} from './contribution-ids.ts';
import { KeptPlaces } from './kept-places.ts';
import { type ConversationFacts, factsAfter, NO_FACTS } from './conversation-facts.ts';
import type { ConversationHost } from './conversation-host.ts';
import { knowledgeAfter, withoutKnown, type PageKnowledge } from './page-knowledge.ts';
import { withShortOutputs } from './page-outputs.ts';
import type { ShownDocuments } from './shown-documents.ts';

export interface ChatViewOptions {
  readonly context: vscode.ExtensionContext;
  /** The folder of the workspace's sessions, or of none. */
  readonly storage: string;
  readonly log: vscode.LogOutputChannel;
  readonly apiKey: ApiKey;
  readonly choices: Choices;
  readonly documents: ShownDocuments;
  readonly proposals: CodeProposals;
}

/** The chat in the side bar. Its page may come and go; the conversation behind it stays until the window ends. */
export class ChatView implements vscode.WebviewViewProvider {
  private page: vscode.Webview | null = null;
  private view: vscode.WebviewView | null = null;
  /** The page asked for everything and is in view: only then does it get messages. */
  private listening = false;
  /** What the page that listens was told of the log. */
  private known: PageKnowledge | null = null;
  private started: Promise<ConversationHost> | null = null;
  private facts: ConversationFacts = NO_FACTS;
  /** For the next page that listens: it was asked for, or became known, while there was none. */
  private waiting: HostMessage[] = [];
  private readonly emitted = new vscode.EventEmitter<HostMessage>();
  /** Every message for presenters, whether or not the page is in view. */
  readonly onDidEmit = this.emitted.event;
  private readonly hidden = new vscode.EventEmitter<void>();
  readonly onDidHide = this.hidden.event;
  private readonly subscriptions: vscode.Disposable[] = [];
  private readonly places: KeptPlaces;

  constructor(private readonly options: ChatViewOptions) {
    this.places = new KeptPlaces(options.context.workspaceState, options.log);
    this.subscriptions.push(
      this.emitted,
      this.hidden,
      options.choices.onDidChange(() => this.refresh()),
      options.apiKey.onDidChange(() => this.refresh()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.refresh()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTINGS_SECTION)) this.refresh();
      }),
    );
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extensionUri } = this.options.context;
    const { webview } = view;
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    this.page = webview;
    this.view = view;
    this.listening = false;
    webview.options = {
      enableScripts: true,
      localResourceRoots: [folder, vscode.Uri.joinPath(extensionUri, 'media')],
    };
    const subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => this.receive(message)),
      view.onDidChangeVisibility(() => {
        // A hidden page is thrown away; the next one asks anew.
        if (view.visible) return;
        this.pageWent();
        this.hidden.fire();
      }),
      view.onDidDispose(() => {
        for (const subscription of subscriptions) subscription.dispose();
        if (this.page !== webview) return;
        this.page = null;
        this.view = null;
        this.pageWent();
      }),
    ];
    webview.html = chatPage({
      nonce: randomBytes(16).toString('base64url'),
      source: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'main.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'main.css')).toString(),
      language: vscode.env.language,
      words: vscode.l10n.bundle ?? {},
    });
    // While the page loads. What goes wrong is told to the page, which asks again.
    this.host().catch((error: unknown) =>
      this.options.log.warn(`the chat is not ready yet: ${String(error)}`),
    );
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
  async tell(message: Extract<HostMessage, { type: 'compose' | 'reveal' }>): Promise<void> {
    this.waiting.push(message);
    await vscode.commands.executeCommand(FOCUS_CHAT_VIEW);
    if (this.listening) this.tellWaiting();
  }

  async host(): Promise<ConversationHost> {
    this.started ??= this.start().catch((error: unknown) => {
      // What comes next may try again.
      this.started = null;
      throw error;
    });
    return this.started;
  }

  /** What is known of the conversation; asks for it first when nothing is. */
  async knownFacts(): Promise<ConversationFacts> {
    const host = await this.host();
    if (this.facts.session_id === null) await host.receive({ type: 'ready' });
    return this.facts;
  }

  /** Ends the conversation: what runs is closed as `disconnect` and the log is released. */
  async dispose(): Promise<void> {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.listening = false;
    const { started } = this;
    if (started !== null) await (await started).dispose();
  }

  private pageWent(): void {
    this.listening = false;
    this.focused(false);
  }

  private focused(has: boolean): void {
    vscode.commands.executeCommand('setContext', CHAT_FOCUSED, has).then(undefined, (error: unknown) => {
      this.options.log.error(`telling that the chat has the focus: ${String(error)}`);
    });
  }

  private receive(message: unknown): void {
    if (typeOf(message) === 'ready') {
      this.known = null;
      // It may have been hidden while it loaded: then it is thrown away, and the next one asks anew.
      this.listening = this.isVisible;
    }
    // Not behind what the host has to do first: the page may be gone by then.
    if (typeOf(message) === 'focus') return this.focused(this.isVisible && isFocused(message));
    this.deliver(message).catch((error: unknown) => this.reportFailure(message, error));
  }

  private async deliver(message: unknown): Promise<void> {
    const host = await this.host();
    await host.receive(message);
    if (typeOf(message) === 'ready') this.tellWaiting();
  }

  private tellWaiting(): void {
    for (const message of this.waiting.splice(0)) this.post(message);
  }

  private async start(): Promise<ConversationHost> {
    const { context, storage, log, apiKey, choices, documents, proposals } = this.options;
    const { ConversationHost: Host, sessionToGoOnWith } = await import('./conversation-host.ts');
    const last = context.workspaceState.get<string>(LAST_SESSION) ?? null;
    return new Host({
      storage,
      session_id: await sessionToGoOnWith(storage, last),
      app_version: versionOf(context.extension.packageJSON),
      log,
      apiKey,
      choices,
      documents,
      proposals,
      emit: (message) => this.emit(message),
      keepPlace: (sessionId, place) => this.places.keep(sessionId, place),
    });
  }

  private emit(message: HostMessage): void {
    const before = this.facts.session_id;
    this.facts = factsAfter(this.facts, message);
    this.emitted.fire(message);
    if (this.facts.session_id !== before) {
      this.remember(this.facts.session_id);
      this.waiting = this.waiting.filter((one) => !isOfTier(one));
    }
    // Said once: whoever looks at something else meanwhile would never hear of it.
    if (!this.listening && isOfTier(message))
      this.waiting = [...this.waiting.filter((one) => !isOfTier(one)), message];
    this.post(message);
  }

  private post(message: HostMessage): void {
    if (!this.listening || this.page === null) return;
    const posted = withShortOutputs(withoutKnown(this.known, message));
    this.known = knowledgeAfter(this.known, message);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's webview, not a window
    this.page.postMessage(this.places.addedTo(posted)).then(undefined, (error: unknown) => {
      this.options.log.error(`posting ${message.type}: ${String(error)}`);
    });
  }

  private remember(sessionId: string | null): void {
    this.options.context.workspaceState.update(LAST_SESSION, sessionId).then(undefined, (error: unknown) => {
      this.options.log.error(`remembering the session: ${String(error)}`);
    });
  }

  /** Something around the conversation changed: the page gets all of it again. */
  private refresh(): void {
    const { started } = this;
    if (started === null || !this.listening) return;
    started
      .then((host) => host.refresh())
      .catch((error: unknown) => this.reportFailure({ type: 'ready' }, error));
  }

  private reportFailure(message: unknown, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.options.log.error(error instanceof Error ? (error.stack ?? reason) : reason);
    this.post({
      v: 1,
      type: 'failure',
      for: typeOf(message),
      kind: 'internal',
      message: `Ledgerline could not do this: ${reason}. The log up to here is safe.`,
      next_actions: [{ label: 'Show output', command: COMMANDS.showOutput }],
    });
  }
}

/** How full the window is. What is said of it later takes its place. */
function isOfTier(message: HostMessage): boolean {
  return message.type === 'notice' && message.tier !== undefined;
}

function typeOf(message: unknown): string {
  return typeof message === 'object' &&
    message !== null &&
    'type' in message &&
    typeof message.type === 'string'
    ? message.type
    : 'unknown';
}

function isFocused(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'focused' in message && message.focused === true;
}

function versionOf(manifest: unknown): string {
  return typeof manifest === 'object' &&
    manifest !== null &&
    'version' in manifest &&
    typeof manifest.version === 'string'
    ? manifest.version
    : 'unknown';
}
