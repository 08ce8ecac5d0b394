import * as vscode from 'vscode';
import type { HostMessage } from '../presenter/protocol.ts';
import {
  attention,
  type Call,
  type Glance,
  KNOWN_KEPT,
  knownAfterHiding,
  type NotificationSetting,
} from './attention.ts';
import type { ChatView } from './chat-view.ts';
import { changedKeys } from './context-keys.ts';
import { CALLED_FOR, LAST_TURN, SETTINGS_SECTION } from './contribution-ids.ts';
import { journalLine } from './journal.ts';
import { lastTurnOf, rememberedTurn, type LastTurn } from './last-turn.ts';
import { inform, warn } from './notifications.ts';
import { statusLook } from './status-item.ts';
import { NO_TURN_FACTS, type TurnFacts, turnFactsAfter } from './turn-facts.ts';

/** By then the view is there, if it was open before the reload: it opens the session itself. */
const RECALL_AFTER_MS = 2_000;
const STATUS_PRIORITY = 50;

export interface SurroundingsOptions {
  readonly chat: ChatView;
  readonly memory: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

/** Keeps what is around the chat true to it: context keys, status bar, notifications, the output channel. */
export class Surroundings implements vscode.Disposable {
  private facts: TurnFacts;
  private known: readonly string[];
  private glance: Glance | null = null;
  private readonly item: vscode.StatusBarItem;
  private readonly subscriptions: readonly vscode.Disposable[];
  private readonly recall: NodeJS.Timeout | null;

  constructor(private readonly options: SurroundingsOptions) {
    const { chat, memory } = options;
    const last = rememberedTurn(memory.get<unknown>(LAST_TURN));
    this.facts = { ...NO_TURN_FACTS, has_log: last?.has_log ?? false };
    this.known = stringsIn(memory.get<unknown>(CALLED_FOR));
    this.item = vscode.window.createStatusBarItem(
      'ledgerline.status',
      vscode.StatusBarAlignment.Left,
      STATUS_PRIORITY,
    );
    this.item.name = 'Ledgerline';
    this.subscriptions = [
      chat.onDidEmit((message) => this.take(message)),
      chat.onDidHide(() => this.turnedAway()),
    ];
    this.setKeys(null);
    // What waited or ran when the window closed still needs a person, also when the view is not open.
    this.recall = last?.unfinished === true ? setTimeout(() => this.open(), RECALL_AFTER_MS) : null;
  }

  dispose(): void {
    if (this.recall !== null) clearTimeout(this.recall);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.item.dispose();
  }

  private take(message: HostMessage): void {
    const before = this.facts;
    this.facts = turnFactsAfter(before, message);
    const line = journalLine(before, this.facts, message);
    if (line !== null) this.options.log[line.level](line.text);
    if (this.facts === before) return;
    this.setKeys(before);
    this.showStatus();
    this.notify(before);
    this.remember(before);
  }

  private setKeys(before: TurnFacts | null): void {
    for (const [key, value] of changedKeys(before, this.facts))
      this.settle(`setting ${key}`, vscode.commands.executeCommand('setContext', key, value));
  }

  private showStatus(): void {
    const look = statusLook(this.facts, vscode.l10n.t, (at) =>
      new Date(at).toLocaleTimeString(vscode.env.language),
    );
    if (look === null) return this.item.hide();
    this.item.text = look.text;
    this.item.tooltip = look.tooltip;
    this.item.accessibilityInformation = { label: look.label, role: 'button' };
    this.item.command = look.command;
    this.item.backgroundColor = look.warning
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    this.item.show();
  }

  private notify(before: TurnFacts): void {
    const { chat, memory } = this.options;
    const moment = { before, now: this.facts, visible: chat.isVisible, known: this.known };
    const { call, known, called } = attention({ ...moment, setting: notificationSetting() }, vscode.l10n.t);
    const fresh = known.filter((id) => !this.known.includes(id));
    if (moment.visible && fresh.length > 0) this.glance = { ids: fresh, at: Date.now() };
    this.known = known;
    if (called.length > 0) {
      const all = [...stringsIn(memory.get<unknown>(CALLED_FOR)), ...called].slice(-KNOWN_KEPT);
      this.settle('remembering what was called for', memory.update(CALLED_FOR, all));
    }
    if (call !== null) this.settle('notifying', this.call(call));
  }

  private turnedAway(): void {
    this.known = knownAfterHiding(this.known, this.glance, Date.now());
    this.glance = null;
    this.notify(this.facts);
  }

  private async call({ level, message, command }: Call): Promise<void> {
    const show = vscode.l10n.t('Show');
    const ask = level === 'warning' ? warn : inform;
    if ((await ask(message, show)) === show) await vscode.commands.executeCommand(command);
  }

  private remember(before: TurnFacts): void {
    const last: LastTurn = lastTurnOf(this.facts);
    if (JSON.stringify(last) === JSON.stringify(lastTurnOf(before))) return;
    this.settle('remembering the turn', this.options.memory.update(LAST_TURN, last));
  }

  private open(): void {
    this.settle('opening the last session', this.options.chat.knownFacts());
  }

  private settle(what: string, work: Thenable<unknown>): void {
    work.then(undefined, (error: unknown) => this.options.log.error(`${what}: ${String(error)}`));
  }
}

function notificationSetting(): NotificationSetting {
  const value = vscode.workspace.getConfiguration(SETTINGS_SECTION).get<unknown>('notifications');
  return value === 'all' || value === 'off' ? value : 'decisions';
}

function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one: unknown) => typeof one === 'string') : [];
}
