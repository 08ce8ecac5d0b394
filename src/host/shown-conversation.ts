import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { HostMessage } from '../presenter/protocol.ts';
import type { ApiKey } from './api-key.ts';
import { chatPage } from './chat-page.ts';
import type { Choices } from './choices.ts';
import { COMMANDS, SETTINGS_SECTION } from './contribution-ids.ts';
import { type ConversationFacts, factsAfter, NO_FACTS } from './conversation-facts.ts';
import type { ConversationHost } from './conversation-host.ts';
import type { KeptPlaces } from './kept-places.ts';
import { knowledgeAfter, withoutKnown, type PageKnowledge } from './page-knowledge.ts';
import { withShortOutputs } from './page-outputs.ts';

export interface ShownOptions {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly apiKey: ApiKey;
  readonly choices: Choices;
  readonly places: KeptPlaces;
  /** The session that a page which VS Code brings back is of; null for one that shows whichever is open. */
  readonly session_id: string | null;
  readonly begin: (emit: (message: HostMessage) => void) => Promise<ConversationHost>;
  /** Carries out what the page says. */
  readonly carryOut: (host: ConversationHost, message: unknown) => Promise<void>;
  /** Also while the page is still being loaded. */
  readonly isVisible: () => boolean;
  readonly focused: (has: boolean) => void;
}

/** What is said to the page alone. */
export type ForPage = Extract<HostMessage, { type: 'compose' | 'reveal' }>;

/** A conversation, and the page that shows it. The page may come and go; the conversation stays until it is disposed of. */
export class ShownConversation {
  private page: vscode.Webview | null = null;
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
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(private readonly options: ShownOptions) {
    this.subscriptions = [
      this.emitted,
      options.choices.onDidChange(() => this.refresh()),
      options.apiKey.onDidChange(() => this.refresh()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.refresh()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTINGS_SECTION)) this.refresh();
      }),
    ];
  }

  /** Puts the page into a place for it. Answers with what is to be disposed of when that is gone. */
  show(webview: vscode.Webview): vscode.Disposable {
    const { extensionUri, log, session_id } = this.options;
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    this.page = webview;
    this.listening = false;
    webview.options = {
      enableScripts: true,
      localResourceRoots: [folder, vscode.Uri.joinPath(extensionUri, 'media')],
    };
    const subscription = webview.onDidReceiveMessage((message: unknown) => this.receive(message));
    webview.html = chatPage({
      nonce: randomBytes(16).toString('base64url'),
      source: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'main.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'main.css')).toString(),
      language: vscode.env.language,
      words: vscode.l10n.bundle ?? {},
      session_id,
    });
    // While the page loads. What goes wrong is told to the page, which asks again.
    this.host().catch((error: unknown) => log.warn(`the conversation is not ready yet: ${String(error)}`));
    return subscription;
  }

  /** A hidden page is thrown away; the next one asks anew. */
  left(): void {
    this.listening = false;
    this.options.focused(false);
  }

  /** Answers whether it was the page that is shown. */
  gone(webview: vscode.Webview): boolean {
    if (this.page !== webview) return false;
    this.page = null;
    this.left();
    return true;
  }

  /** Brings the page into view and tells it something, as soon as there is one that listens. */
  async tell(message: ForPage, reveal: () => Thenable<unknown>): Promise<void> {
    this.waiting.push(message);
    await reveal();
    if (this.listening) this.tellWaiting();
  }

  async host(): Promise<ConversationHost> {
    this.started ??= this.options
      .begin((message) => this.emit(message))
      .catch((error: unknown) => {
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

  emit(message: HostMessage): void {
    const before = this.facts.session_id;
    this.facts = factsAfter(this.facts, message);
    this.emitted.fire(message);
    if (this.facts.session_id !== before) this.waiting = this.waiting.filter((one) => !isOfTier(one));
    // Said once: whoever looks at something else meanwhile would never hear of it.
    if (!this.listening && isOfTier(message))
      this.waiting = [...this.waiting.filter((one) => !isOfTier(one)), message];
    this.post(message);
  }

  private receive(message: unknown): void {
    const { isVisible, focused } = this.options;
    if (typeOf(message) === 'ready') {
      this.known = null;
      // It may have been hidden while it loaded: then it is thrown away, and the next one asks anew.
      this.listening = isVisible();
    }
    // Not behind what the host has to do first: the page may be gone by then.
    if (typeOf(message) === 'focus') return focused(isVisible() && isFocused(message));
    this.deliver(message).catch((error: unknown) => this.reportFailure(message, error));
  }

  private async deliver(message: unknown): Promise<void> {
    const host = await this.host();
    await this.options.carryOut(host, message);
    if (typeOf(message) === 'ready') this.tellWaiting();
  }

  private tellWaiting(): void {
    for (const message of this.waiting.splice(0)) this.post(message);
  }

  private post(message: HostMessage): void {
    if (!this.listening || this.page === null) return;
    const posted = withShortOutputs(withoutKnown(this.known, message));
    this.known = knowledgeAfter(this.known, message);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's webview, not a window
    this.page.postMessage(this.options.places.addedTo(posted)).then(undefined, (error: unknown) => {
      this.options.log.error(`posting ${message.type}: ${String(error)}`);
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
