import * as vscode from 'vscode';
import type { SessionEntry, Sessions } from '../app/sessions.ts';
import type { HostMessage } from '../presenter/protocol.ts';
import type { ChatView } from './chat-view.ts';
import { COMMANDS, SESSIONS_VIEW } from './contribution-ids.ts';
import { SessionFiles } from './session-files.ts';
import { stateWords } from './session-words.ts';
import {
  archivedNodes,
  contextOf,
  lookOf,
  relativeTime,
  sizeText,
  treeRoots,
  waitingCount,
  type KnownDamage,
  type SessionNode,
  type TreeFacts,
  type TreeNode,
} from './sessions-tree.ts';

/** News that come together are shown together. */
const COALESCE_MS = 250;
/** What other processes write comes often, and reading it is not free. */
const FOREIGN_MS = 1000;
/** A process that dies tells nobody: while something runs, its lease is looked at again. */
const LOOK_AGAIN_MS = 10_000;
/** How long "5m ago" may stand; drawing it anew reads nothing. */
const DRAW_AGAIN_MS = 60_000;

export interface SessionsViewOptions {
  readonly chat: ChatView;
  readonly log: vscode.LogOutputChannel;
  readonly storage: vscode.Uri;
}

/** The tree of the workspace's sessions. Costs nothing before it is shown or the chat speaks. */
export class SessionsView implements vscode.TreeDataProvider<TreeNode> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<TreeNode>;
  private readonly subscriptions: vscode.Disposable[] = [];
  private loaded: Promise<Sessions> | null = null;
  private entries: readonly SessionEntry[] | null = null;
  private current: string | null = null;
  private damage: KnownDamage | null = null;
  /** Sessions with news; all of them when null. */
  private dirty: Set<string> | null = new Set();
  private timer: NodeJS.Timeout | null = null;
  private due = 0;
  private state: string | null = null;
  private lookAgain: NodeJS.Timeout | null = null;
  private drawAgain: NodeJS.Timeout | null = null;
  private selected: string | null = null;

  constructor(private readonly options: SessionsViewOptions) {
    this.view = vscode.window.createTreeView(SESSIONS_VIEW, { treeDataProvider: this });
    this.subscriptions.push(
      this.view,
      this.changed,
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
    this.entries = await (await this.sessions()).list();
    return this.entries;
  }

  /** Shows news soon; of all sessions when none is named. */
  refresh(sessionId?: string, after = COALESCE_MS): void {
    if (sessionId === undefined) this.dirty = null;
    else this.dirty?.add(sessionId);
    const due = Date.now() + after;
    if (this.timer !== null && this.due <= due) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.update().catch((error: unknown) => this.options.log.error(`listing sessions: ${String(error)}`));
    }, after);
  }

  dispose(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.lookAgain !== null) clearTimeout(this.lookAgain);
    if (this.drawAgain !== null) clearInterval(this.drawAgain);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    this.entries ??= await (await this.sessions()).list();
    return [...(node === undefined ? treeRoots(this.facts()) : archivedNodes(this.facts()))];
  }

  getParent(node: TreeNode): TreeNode | null {
    if (node.kind === 'archive' || !node.entry.archived) return null;
    return treeRoots(this.facts()).find((one) => one.kind === 'archive') ?? null;
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    return node.kind === 'archive' ? archiveItem(node.count) : sessionItem(node);
  }

  private shown(visible: boolean): void {
    if (this.drawAgain !== null) clearInterval(this.drawAgain);
    this.drawAgain = visible ? setInterval(() => this.changed.fire(), DRAW_AGAIN_MS) : null;
    if (visible) this.refresh();
  }

  private facts(): TreeFacts {
    return { entries: this.entries ?? [], current: this.current, damage: this.damage };
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
    this.entries = await (await this.sessions()).list(known);
    // Here or in another window it was given another name.
    if (before !== undefined && before !== this.titleOf(current)) await this.showTitle();
    this.changed.fire();
    // What waits in the open session is counted where it is shown call by call.
    this.showBadge(waitingCount(this.entries.filter(({ session_id }) => session_id !== current)));
    this.watchRunning(this.entries);
    await this.select();
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

  /** The open session is the selected one; what a person selects meanwhile stays selected. */
  private async select(): Promise<void> {
    if (!this.view.visible || this.selected === this.current) return;
    const node = treeRoots(this.facts()).find((one) => one.kind === 'session' && one.current);
    if (node === undefined) return;
    this.selected = this.current;
    await this.view.reveal(node, { select: true, focus: false });
  }

  private titleOf(sessionId: string | null): string | undefined {
    return this.entries?.find(({ session_id }) => session_id === sessionId)?.title;
  }

  private async showTitle(): Promise<void> {
    await (await this.options.chat.host()).renamed();
  }
}

function archiveItem(count: number): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Archived'), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = 'archive';
  item.description = String(count);
  item.iconPath = new vscode.ThemeIcon('archive', new vscode.ThemeColor('descriptionForeground'));
  item.contextValue = contextOf({ kind: 'archive', count });
  return item;
}

function sessionItem(node: SessionNode): vscode.TreeItem {
  const { entry, current } = node;
  const { language } = vscode.env;
  const title = entry.title === '' ? vscode.l10n.t('Without a message') : entry.title;
  const { icon, color } = lookOf(entry);
  const time = relativeTime(entry.updated_at, Date.now(), language);
  const size = sizeText(entry.size, language);
  const state = stateWords(entry);
  const item = new vscode.TreeItem(title);
  item.id = entry.session_id;
  item.description = [
    ...(current ? [vscode.l10n.t('open')] : []),
    ...(entry.pinned ? [vscode.l10n.t('pinned')] : []),
    ...(entry.problem === null ? [] : [state]),
    time,
    size,
  ].join(' · ');
  item.iconPath = new vscode.ThemeIcon(icon, color === null ? undefined : new vscode.ThemeColor(color));
  item.contextValue = contextOf(node);
  item.tooltip = tooltipOf(title, state, entry);
  item.accessibilityInformation = { label: [title, state, item.description].join(', ') };
  item.command = {
    command: COMMANDS.openSession,
    title: vscode.l10n.t('Open'),
    arguments: [entry.session_id],
  };
  return item;
}

/** Plain text in Markdown's clothes: what a log says must not become links or commands. */
function tooltipOf(title: string, state: string, entry: SessionEntry): vscode.MarkdownString {
  const { language } = vscode.env;
  // A log may say anything where a time should be.
  const exact = (iso: string): string =>
    Number.isNaN(Date.parse(iso))
      ? iso
      : new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(iso));
  const lines = [
    state,
    vscode.l10n.t('Last used: {0}', exact(entry.updated_at)),
    vscode.l10n.t('Created: {0}', exact(entry.created_at)),
    vscode.l10n.t('Size: {0}', sizeText(entry.size, language)),
    vscode.l10n.t('Id: {0}', entry.session_id),
  ];
  const tooltip = new vscode.MarkdownString('', false);
  tooltip.isTrusted = false;
  tooltip.supportHtml = false;
  tooltip.appendText(title);
  for (const line of lines) tooltip.appendMarkdown('\n\n').appendText(line);
  return tooltip;
}
