import * as vscode from 'vscode';
import type { SessionEntry, Sessions } from '../app/sessions.ts';
import type { HostMessage } from '../presenter/protocol.ts';
import type { ChatView } from './chat-view.ts';
import { SESSIONS_VIEW } from './contribution-ids.ts';
import { Paced } from './paced.ts';
import { SessionFiles } from './session-files.ts';
import { sessionsItem } from './session-look.ts';
import { SessionUses } from './session-uses.ts';
import {
  ARCHIVE,
  changedLines,
  lineAbove,
  NO_TREE,
  sessionsTree,
  waitingCount,
  type KnownDamage,
  type SessionsTree,
} from './sessions-tree.ts';

/** News are shown at once, and those that follow within this time together at its end. */
const TOGETHER_MS = 250;
/** What other processes write comes often, and reading it is not free. */
const FOREIGN_MS = 1000;
/** A process that dies tells nobody: while something runs, its lease is looked at again. */
const LOOK_AGAIN_MS = 10_000;
/** How long "5m" may stand; drawing it anew reads nothing. */
const DRAW_AGAIN_MS = 60_000;

export interface SessionsViewOptions {
  readonly chat: ChatView;
  readonly log: vscode.LogOutputChannel;
  readonly storage: vscode.Uri;
}

/** The tree of the workspace's sessions. Costs nothing before it is shown or the chat speaks. */
export class SessionsView implements vscode.TreeDataProvider<string> {
  private readonly changed = new vscode.EventEmitter<string[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly listed = new vscode.EventEmitter<readonly SessionEntry[]>();
  readonly onDidList = this.listed.event;
  private readonly view: vscode.TreeView<string>;
  private readonly subscriptions: vscode.Disposable[] = [];
  private loaded: Promise<Sessions> | null = null;
  private entries: readonly SessionEntry[] | null = null;
  private tree: SessionsTree = NO_TREE;
  private current: string | null = null;
  private damage: KnownDamage | null = null;
  /** Sessions with news; all of them when null. */
  private dirty: Set<string> | null = new Set();
  private readonly pace = new Paced(() => this.update().catch((error: unknown) => this.failed(error)));
  private state: string | null = null;
  private lookAgain: NodeJS.Timeout | null = null;
  private drawAgain: NodeJS.Timeout | null = null;
  private readonly uses = new SessionUses({
    read: async (signal) => {
      const { usedBySession } = await import('./late-commands.ts');
      return usedBySession(this.options.storage.fsPath, signal);
    },
    changed: () => this.draw([...this.tree.nodes.keys()]),
    failed: (error) => this.options.log.error(`reading what sessions take: ${String(error)}`),
  });
  private selected = { session_id: '', archived: false };

  constructor(private readonly options: SessionsViewOptions) {
    this.view = vscode.window.createTreeView(SESSIONS_VIEW, { treeDataProvider: this });
    this.subscriptions.push(
      this.view,
      this.changed,
      this.listed,
      options.chat.onDidEmit((message) => this.note(message)),
      this.view.onDidChangeVisibility(({ visible }) => this.shown(visible)),
    );
  }

  /** What lists, names, searches and deletes. */
  sessions(): Promise<Sessions> {
    this.loaded ??= this.load();
    return this.loaded;
  }

  async logPath(sessionId: string): Promise<string> {
    return (await this.sessions()).logPath(sessionId);
  }

  /** All sessions as they are now. */
  async all(): Promise<readonly SessionEntry[]> {
    return this.list();
  }

  /** Shows news at once, or when this time has passed since the last ones; of all sessions when none is named. */
  refresh(sessionId?: string, every = TOGETHER_MS): void {
    if (sessionId === undefined) this.dirty = null;
    else this.dirty?.add(sessionId);
    this.pace.ask(every);
  }

  dispose(): void {
    this.pace.dispose();
    if (this.lookAgain !== null) clearTimeout(this.lookAgain);
    if (this.drawAgain !== null) clearInterval(this.drawAgain);
    this.uses.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  async getChildren(id?: string): Promise<string[]> {
    if (id === ARCHIVE) return [...this.tree.archived];
    if (id !== undefined) {
      const node = this.tree.nodes.get(id);
      return node?.kind === 'session' ? [...node.children] : [];
    }
    if (this.entries === null) await this.listFirst();
    return [...this.tree.roots];
  }

  getParent(id: string): string | null {
    return lineAbove(this.tree.nodes, id);
  }

  getTreeItem(id: string): vscode.TreeItem {
    const node = this.tree.nodes.get(id);
    return node === undefined ? new vscode.TreeItem('') : sessionsItem(node, this.uses.of(id));
  }

  /** Somebody looks at a line. */
  resolveTreeItem(item: vscode.TreeItem): vscode.TreeItem {
    this.uses.want(Date.now());
    return item;
  }

  private shown(visible: boolean): void {
    if (this.drawAgain !== null) clearInterval(this.drawAgain);
    this.drawAgain = visible
      ? setInterval(() => this.draw([...this.tree.nodes.keys()]), DRAW_AGAIN_MS)
      : null;
    if (visible) this.refresh();
  }

  private draw(lines: readonly string[] | 'all'): void {
    if (lines === 'all') this.changed.fire(undefined);
    else if (lines.length > 0) this.changed.fire([...lines]);
  }

  private build(): void {
    const { current, damage } = this;
    this.tree = sessionsTree({ entries: this.entries ?? [], current, damage });
  }

  /** Asked by VS Code, which would show what is thrown as it is. */
  private async listFirst(): Promise<void> {
    try {
      await this.list();
      this.build();
      this.view.message = '';
    } catch (error) {
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    this.dirty = null;
    this.options.log.error(`listing sessions: ${String(error)}`);
    this.view.message = vscode.l10n.t(
      'The sessions cannot be listed. Check the storage folder and its permissions; the output of Ledgerline has the details.',
    );
  }

  private async load(): Promise<Sessions> {
    const { log, storage } = this.options;
    const { Sessions: Class } = await import('../app/sessions.ts');
    this.subscriptions.push(
      new SessionFiles(storage, {
        // Of the open one the chat tells, and only what changes its line.
        changed: (id) => {
          if (id !== this.current) this.refresh(id, FOREIGN_MS);
        },
        removed: (id) => this.missed(id),
        allChanged: () => this.refresh(),
      }),
    );
    return new Class(storage.fsPath, (message) => log.warn(message));
  }

  /** The chat does not see that its log is gone before it writes, and would say until then that it waits. */
  private missed(sessionId: string): void {
    if (sessionId !== this.current) return;
    this.refresh(sessionId);
    this.options.chat
      .host()
      .then((host) => host.lookForLog())
      .catch((error: unknown) => this.options.log.error(`looking for the log: ${String(error)}`));
  }

  private note(message: HostMessage): void {
    if (message.type === 'snapshot') {
      const { session_id, access } = message;
      const isDamaged = access.kind === 'read_only' && access.reason === 'damaged';
      // What waits in the one that was left is counted here from now on.
      if (this.current !== null && this.current !== session_id) this.refresh(this.current);
      this.current = session_id;
      this.damage = isDamaged ? { session_id, message: access.message } : null;
      this.state = null;
      if (isDamaged) this.noteDamage(session_id, access.message);
      else if (access.kind === 'writer' && this.problemOf(session_id) !== null)
        this.noteDamage(session_id, null);
      this.refresh(session_id);
    } else if (message.type === 'turn_state' && message.state !== this.state && this.current !== null) {
      this.state = message.state;
      this.refresh(this.current);
    }
  }

  private async list(changed?: ReadonlySet<string>): Promise<readonly SessionEntry[]> {
    const entries = await (await this.sessions()).list(changed);
    this.entries = entries;
    this.listed.fire(entries);
    return entries;
  }

  /** Kept with the list: it still is so when another session is open. */
  private noteDamage(sessionId: string, damage: string | null): void {
    this.sessions()
      .then((sessions) => sessions.noteDamage(sessionId, damage))
      .catch((error: unknown) => this.options.log.error(`keeping what is damaged: ${String(error)}`));
  }

  private problemOf(sessionId: string): string | null {
    return this.entries?.find(({ session_id }) => session_id === sessionId)?.problem ?? null;
  }

  private async update(): Promise<void> {
    const { dirty } = this;
    this.dirty = new Set();
    const known = this.entries !== null && dirty !== null ? dirty : undefined;
    const { current } = this;
    const before = this.titleOf(current);
    const entries = await this.list(known);
    // Here or in another window it was given another name.
    if (before !== undefined && before !== this.titleOf(current)) this.beside(this.showTitle());
    this.view.message = '';
    const drawn = this.tree;
    this.build();
    this.draw(changedLines(drawn, this.tree));
    // What waits in the open session is counted where it is shown call by call.
    this.showBadge(waitingCount(this.tree));
    this.watchRunning(entries);
    this.beside(this.select());
  }

  /** News are not held up by what others take their time with. */
  private beside(work: Promise<void>): void {
    work.catch((error: unknown) => this.options.log.error(`showing the open session: ${String(error)}`));
  }

  private showBadge(count: number): void {
    if (count === (this.view.badge?.value ?? 0)) return;
    const tooltip =
      count === 1 ? vscode.l10n.t('1 session needs you') : vscode.l10n.t('{0} sessions need you', count);
    this.view.badge = count === 0 ? undefined : { value: count, tooltip };
  }

  private watchRunning(entries: readonly SessionEntry[]): void {
    const running = entries.filter(({ state }) => state === 'running');
    if (this.lookAgain !== null) clearTimeout(this.lookAgain);
    this.lookAgain =
      running.length === 0
        ? null
        : setTimeout(() => {
            for (const { session_id } of running) this.refresh(session_id);
          }, LOOK_AGAIN_MS);
  }

  /**
   * The open session is the selected one; what a person selects meanwhile stays selected. When it is put into the
   * archive, that stays closed, and says that it has it.
   */
  private async select(): Promise<void> {
    const { current, selected, tree } = this;
    if (!this.view.visible || current === null || !tree.nodes.has(current)) return;
    const archived = tree.archived.includes(current);
    this.selected = { session_id: current, archived };
    const isNew = selected.session_id !== current || (selected.archived && !archived);
    if (isNew) await this.view.reveal(current, { select: true, focus: false });
  }

  private titleOf(sessionId: string | null): string | undefined {
    return this.entries?.find(({ session_id }) => session_id === sessionId)?.title;
  }

  private async showTitle(): Promise<void> {
    await (await this.options.chat.host()).renamed();
  }
}
