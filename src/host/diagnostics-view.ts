import * as vscode from 'vscode';
import type { LiveInspection } from '../app/live-inspection.ts';
import type { HostMessage } from '../presenter/protocol.ts';
import type { TreeNode } from '../runtime/inspection/tree-node.ts';
import type { ChatView } from './chat-view.ts';
import { DIAGNOSTICS_VIEW } from './contribution-ids.ts';
import { neededInAll, needsAfter, NOTHING_NEEDED, type NeedsPerson } from './needs-person.ts';
import { tooltipOf, treeItem, type Doing } from './node-look.ts';
import { changedNodes } from './tree-changes.ts';

export interface DiagnosticsViewOptions {
  readonly chat: ChatView;
  readonly storage: string;
  readonly log: vscode.LogOutputChannel;
}

/** Least time between two looks at the log, while it grows. */
const PAUSE_MS = 100;
/** A log that takes longer to read than this is said to be read. */
const PATIENCE_MS = 300;

/**
 * The tree of the session that is open. It folds the log itself, and only while someone sees it: hidden, it
 * counts what needs a person and does nothing else.
 */
export class DiagnosticsView implements vscode.TreeDataProvider<string>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<string[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly tree: vscode.TreeView<string>;
  private readonly subscriptions: readonly vscode.Disposable[];
  private inspection: LiveInspection | null = null;
  private nodes: ReadonlyMap<string, TreeNode> = new Map();
  /** The session that the nodes are of. */
  private drawnSession: string | null = null;
  private needs: NeedsPerson = NOTHING_NEEDED;
  private doing: (Doing & { readonly turn_id: string }) | null = null;
  /** By child: only those that are doing something. */
  private readonly childrenDoing = new Map<string, Doing>();
  private sessionId: string | null = null;
  /** The log may have more than was read, or another may have it. */
  private behind = { log: true, lease: true };
  private timer: NodeJS.Timeout | null = null;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: DiagnosticsViewOptions) {
    this.tree = vscode.window.createTreeView(DIAGNOSTICS_VIEW, {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.subscriptions = [
      this.changed,
      this.tree,
      this.tree.onDidChangeVisibility(({ visible }) => {
        if (visible) this.wake();
      }),
      options.chat.onDidEmit((message) => this.hear(message)),
    ];
  }

  dispose(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.inspection?.close().catch((error: unknown) => this.report(error));
  }

  /** What a menu was opened on; null when it is gone meanwhile, or never was. */
  node(id: unknown): TreeNode | null {
    return typeof id === 'string' ? (this.nodes.get(id) ?? null) : null;
  }

  /** Of what is shown, which may be a moment behind the conversation. */
  get shownSession(): string | null {
    return this.drawnSession;
  }

  async getChildren(id?: string): Promise<string[]> {
    if (id !== undefined) return [...(this.nodes.get(id)?.children ?? [])];
    // VS Code would show what is thrown as it is.
    if (this.behind.log)
      await this.inOrder(() => this.readOn({ tell: false })).catch((error: unknown) => this.failed(error));
    return this.nodes.has('session') ? ['session'] : [];
  }

  getParent(id: string): string | null {
    return this.nodes.get(id)?.parent ?? null;
  }

  getTreeItem(id: string): vscode.TreeItem {
    const node = this.nodes.get(id);
    return node === undefined
      ? new vscode.TreeItem('')
      : treeItem(node, this.shownSession ?? '', this.doingOf(node));
  }

  resolveTreeItem(item: vscode.TreeItem, id: string): vscode.TreeItem {
    const node = this.nodes.get(id);
    if (node !== undefined) item.tooltip = tooltipOf(node);
    return item;
  }

  async showEarlierTurns(): Promise<void> {
    await this.inOrder(async () => {
      await this.inspection?.showEarlier();
      this.rebuild({ tell: true });
    });
  }

  private hear(message: HostMessage): void {
    const needs = needsAfter(this.needs, message);
    if (needs !== this.needs) this.showBadge(needs);
    this.needs = needs;
    if (message.type === 'turn_state') this.hearActivity(message);
    if (message.type === 'children') this.hearChildren(message);
    if (message.type !== 'snapshot' && message.type !== 'append') return;
    if (message.type === 'snapshot') this.opens(message.session_id);
    this.behind = { log: true, lease: this.behind.lease || message.type === 'snapshot' };
    this.wake();
  }

  /** What is being read of another is of no use any more. */
  private opens(sessionId: string): void {
    this.sessionId = sessionId;
    this.childrenDoing.clear();
    if (this.inspection?.sessionId !== sessionId) this.inspection?.leave();
  }

  private hearActivity({ turn_id, activity }: Extract<HostMessage, { type: 'turn_state' }>): void {
    const before = this.doing;
    this.doing = turn_id === null || activity === undefined ? null : { turn_id, ...activity };
    const id = `turn:${turn_id ?? ''}`;
    if (this.tree.visible && before?.text !== this.doing?.text && this.nodes.has(id)) this.changed.fire([id]);
  }

  private hearChildren({ session_id, items }: Extract<HostMessage, { type: 'children' }>): void {
    if (this.sessionId !== null && session_id !== this.sessionId) return;
    const others = new Set<string>();
    for (const { subagent_id, activity } of items) {
      if (activity?.text !== this.childrenDoing.get(subagent_id)?.text) others.add(subagent_id);
      if (activity === null) this.childrenDoing.delete(subagent_id);
      else this.childrenDoing.set(subagent_id, activity);
    }
    if (!this.tree.visible || others.size === 0) return;
    const ids = [...this.nodes.values()]
      .filter(({ subagent_id }) => subagent_id !== null && others.has(subagent_id))
      .map(({ id }) => id);
    if (ids.length > 0) this.changed.fire(ids);
  }

  private doingOf({ kind, turn_id, subagent_id }: TreeNode): Doing | null {
    if (kind === 'turn') return this.doing?.turn_id === turn_id ? this.doing : null;
    return subagent_id === null ? null : (this.childrenDoing.get(subagent_id) ?? null);
  }

  private showBadge(needs: NeedsPerson): void {
    const value = neededInAll(needs);
    const tooltip = value === 0 ? '' : badgeWords(needs);
    const { badge } = this.tree;
    if (value === (badge?.value ?? 0) && tooltip === (badge?.tooltip ?? '')) return;
    this.tree.badge = value === 0 ? undefined : { value, tooltip };
  }

  /** Looks at the log soon, if someone sees the tree. What comes meanwhile is part of the same look. */
  private wake(): void {
    if (!this.tree.visible || !this.behind.log || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.inOrder(() => this.readOn({ tell: true })).catch((error: unknown) => this.failed(error));
    }, PAUSE_MS);
  }

  private readLater(): void {
    this.behind.log = true;
    this.wake();
  }

  private async inOrder(work: () => Promise<void>): Promise<void> {
    const next = this.work.then(work);
    this.work = next.catch(() => undefined);
    return next;
  }

  private async readOn({ tell }: { readonly tell: boolean }): Promise<void> {
    const inspection = await this.present();
    const { lease } = this.behind;
    this.behind = { log: false, lease: false };
    const slow = setTimeout(() => {
      this.tree.message = vscode.l10n.t('Reading the log…');
    }, PATIENCE_MS);
    try {
      if (lease) await inspection.lookAtLease();
      if (await inspection.glimpse()) {
        this.rebuild({ tell });
        // Whoever asks for the lines gets these; the rest comes when it has been read.
        if (!tell) return this.readLater();
      }
      await inspection.readOn();
    } catch (error) {
      this.behind = { log: true, lease: true };
      throw error;
    } finally {
      clearTimeout(slow);
      this.tree.message = '';
    }
    this.rebuild({ tell });
  }

  /** The inspection of the session that is open now. */
  private async present(): Promise<LiveInspection> {
    const { chat, storage } = this.options;
    // Asked, the conversation opens its session first: until then nobody has the log.
    const id = this.sessionId ?? (await chat.knownFacts()).session_id ?? (await chat.host()).sessionId;
    if (this.inspection?.sessionId === id && !this.inspection.left) return this.inspection;
    const { LiveInspection: Inspection } = await import('../app/live-inspection.ts');
    await this.inspection?.close();
    this.inspection = new Inspection(storage, id);
    this.behind = { log: true, lease: true };
    return this.inspection;
  }

  private rebuild({ tell }: { readonly tell: boolean }): void {
    const before = this.nodes;
    const session = this.inspection?.sessionId ?? null;
    const another = this.drawnSession !== session;
    this.drawnSession = session;
    this.nodes = this.inspection?.tree() ?? new Map();
    if (!tell) return;
    const changes = another ? 'all' : changedNodes(before, this.nodes);
    if (changes === 'all') this.changed.fire(undefined);
    else if (changes.length > 0) this.changed.fire([...changes]);
  }

  /** What was read of this session before still stands; what was read of another one is not of this one. */
  private failed(error: unknown): void {
    this.report(error);
    this.tree.message = vscode.l10n.t(
      'The log of this session cannot be read. Check the storage folder and its permissions, then open the session again; the output of Ledgerline has the details.',
    );
    const session = this.inspection?.sessionId ?? null;
    if (session === this.drawnSession) return;
    const had = this.nodes.size > 0;
    this.drawnSession = session;
    this.nodes = new Map();
    if (had) this.changed.fire(undefined);
  }

  private report(error: unknown): void {
    this.options.log.error(
      `diagnostics: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
}

function badgeWords({ approvals, questions, unknown_outcomes }: NeedsPerson): string {
  const parts = [
    approvals === 0
      ? ''
      : approvals === 1
        ? vscode.l10n.t('1 approval')
        : vscode.l10n.t('{0} approvals', approvals),
    questions === 0
      ? ''
      : questions === 1
        ? vscode.l10n.t('1 question')
        : vscode.l10n.t('{0} questions', questions),
    unknown_outcomes === 0
      ? ''
      : unknown_outcomes === 1
        ? vscode.l10n.t('1 unknown outcome')
        : vscode.l10n.t('{0} unknown outcomes', unknown_outcomes),
  ];
  return vscode.l10n.t('Needs you: {0}', parts.filter((part) => part !== '').join(', '));
}
