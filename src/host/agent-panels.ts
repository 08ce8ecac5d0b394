import * as vscode from 'vscode';
import { namedSession, type NamedSession } from '../app/parentage.ts';
import type { SessionEntry } from '../app/sessions.ts';
import { AgentPanel, panelTitle, type AgentPanelOptions } from './agent-panel.ts';
import { AGENT_PANEL } from './contribution-ids.ts';
import type { ConversationHost } from './conversation-host.ts';
import { sessionIdIn } from './session-argument.ts';
import type { SessionsView } from './sessions-view.ts';
import type { ForPage } from './shown-conversation.ts';

export interface AgentPanelsOptions extends AgentPanelOptions {
  readonly sessions: SessionsView;
}

type Place = Extract<ForPage, { type: 'reveal' }>;

/** The transcripts that are open, one tab a child. */
export class AgentPanels {
  private readonly open = new Map<string, AgentPanel>();
  /** Those whose log is not released yet. */
  private readonly closing = new Map<string, Promise<void>>();
  private readonly subscription: vscode.Disposable;

  constructor(private readonly options: AgentPanelsOptions) {
    this.subscription = options.sessions.onDidList((entries) => this.follow(entries));
  }

  /** Shows the transcript of a child, and where asked a place in it. Answers what it is that is not shown in a tab. */
  async show(sessionId: string, place?: Place): Promise<'shown' | Exclude<NamedSession['kind'], 'child'>> {
    if (this.open.has(sessionId)) return this.goTo(sessionId, place);
    if (!(await this.isInChat(sessionId))) return this.begin(sessionId, place);
    // One session has one place: there it can be written to.
    await this.options.chat.tell(place ?? { v: 1, type: 'reveal', what: 'composer' });
    return 'shown';
  }

  /** A tab that VS Code brings back after a reload; one that cannot be filled goes. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const sessionId = sessionIdIn(state);
    const isChild = sessionId !== null && (await this.find(sessionId)).kind === 'child';
    // The chat first: what its session had running is settled by whoever opens that.
    if (!isChild || (await this.isInChat(sessionId)) || this.open.has(sessionId)) panel.dispose();
    else this.adopt(panel, sessionId);
  }

  /** The conversation in the tab of a child; null where there is none. */
  async hostOf(sessionId: string): Promise<ConversationHost | null> {
    return (await this.open.get(sessionId)?.host()) ?? null;
  }

  /** Resolves when the logs of all of these are released. */
  async close(sessionIds: readonly string[]): Promise<void> {
    const ends = sessionIds.map((id) => this.open.get(id)?.close() ?? this.closing.get(id));
    await Promise.all(ends.filter((end) => end !== undefined));
  }

  /** Another conversation needs the log of a child: a tab that has it lets go meanwhile, and looks on from then. */
  async lend(sessionId: string, take: () => Promise<void>): Promise<void> {
    await this.closing.get(sessionId);
    const host = await this.hostOf(sessionId);
    if (host === null) return take();
    const taken: Promise<void>[] = [];
    await host.lend(async () => {
      taken.push(take());
      // Whoever wants the log is told; here it is looked at again in any case.
      await Promise.allSettled(taken);
    });
    return taken[0] ?? take();
  }

  async dispose(): Promise<void> {
    this.subscription.dispose();
    await this.close([...this.open.keys()]);
    await Promise.all(this.closing.values());
  }

  private async isInChat(sessionId: string): Promise<boolean> {
    return (await this.options.chat.knownFacts()).session_id === sessionId;
  }

  private find(sessionId: string): Promise<NamedSession> {
    const { storage, log } = this.options;
    return namedSession(storage, sessionId, (text) => log.warn(text));
  }

  private async begin(sessionId: string, place: Place | undefined): ReturnType<AgentPanels['show']> {
    await this.closing.get(sessionId);
    const found = await this.find(sessionId);
    if (found.kind !== 'child') return found.kind;
    // Asked for twice, it may be there by now.
    if (!this.open.has(sessionId)) {
      const title = panelTitle(found.parent.agent, found.title);
      const column = vscode.ViewColumn.Active;
      const how = { enableFindWidget: true };
      this.adopt(vscode.window.createWebviewPanel(AGENT_PANEL, title, column, how), sessionId);
    }
    return this.goTo(sessionId, place);
  }

  private async goTo(sessionId: string, place: Place | undefined): Promise<'shown'> {
    const panel = this.open.get(sessionId);
    if (place === undefined) panel?.reveal();
    else await panel?.tell(place);
    return 'shown';
  }

  private adopt(panel: vscode.WebviewPanel, sessionId: string): void {
    const shown = new AgentPanel(panel, sessionId, this.options, (ended) => {
      this.open.delete(sessionId);
      const released = ended.finally(() => this.closing.delete(sessionId));
      this.closing.set(sessionId, released);
    });
    this.open.set(sessionId, shown);
  }

  /** Names are given, and logs go, also in other windows. */
  private follow(entries: readonly SessionEntry[]): void {
    if (this.open.size === 0) return;
    const titles = new Map(entries.map(({ session_id, title }) => [session_id, title]));
    for (const panel of this.open.values()) {
      const title = titles.get(panel.sessionId);
      if (panel.title === null || title === panel.title) continue;
      panel
        .host()
        .then((host) => (title === undefined ? host.lookForLog() : host.renamed()))
        .catch((error: unknown) => this.options.log.error(`looking at ${panel.sessionId}: ${String(error)}`));
    }
  }
}
