import * as vscode from 'vscode';
import { translatedSentence } from '../presenter/host-sentences.ts';
import { STATE_LOOKS, themeIcon } from '../presenter/state-looks.ts';
import type { NodeState } from '../runtime/inspection/node-state.ts';
import type { TreeNode } from '../runtime/inspection/tree-node.ts';
import { allowedArguments } from './allowed-actions.ts';
import { COMMANDS } from './contribution-ids.ts';
import { foreign } from './shown-text.ts';
import { inLanguage } from './spoken.ts';

/** What a turn or a child is doing, as it was last told. */
export interface Doing {
  readonly text: string;
  readonly since: number;
}

/** A view may be as wide as the window. */
const LONGEST_LABEL = 300;

/** What is open or closed in the tree is remembered by id: another session begins with its own. */
export function treeItem(node: TreeNode, sessionId: string, doing: Doing | null): vscode.TreeItem {
  const item = new vscode.TreeItem(foreign(shownLabel(node), LONGEST_LABEL), collapsible(node));
  const { color } = STATE_LOOKS[node.state];
  item.id = `${sessionId}/${node.id}`;
  item.iconPath = new vscode.ThemeIcon(
    themeIcon(node.state),
    color === null ? undefined : new vscode.ThemeColor(color),
  );
  const description = described(node, doing);
  item.description = description;
  item.contextValue = abilities(node).join(' ');
  item.accessibilityInformation = { label: spoken(node, description) };
  const command = clicked(node);
  if (command !== null) item.command = command;
  return item;
}

/** Made when it is asked for: a tree has many, and few are looked at. */
export function tooltipOf(node: TreeNode): string {
  const evidence = node.evidence.length === 0 ? [] : ['', ...node.evidence.map(inLanguage)];
  return [shownLabel(node), ...evidence].join('\n');
}

export function shownLabel({ label }: TreeNode): string {
  return inLanguage(label);
}

function collapsible({ children, open }: TreeNode): vscode.TreeItemCollapsibleState {
  if (children.length === 0) return vscode.TreeItemCollapsibleState.None;
  return open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}

function stateWords({ kind, state }: TreeNode): string {
  const { phrase } = STATE_LOOKS[state];
  if (phrase === '') return '';
  return vscode.l10n.t(state === 'interrupted' && kind !== 'turn' ? 'Interrupted' : phrase);
}

function described(node: TreeNode, doing: Doing | null): string {
  const { kind, state } = node;
  const detail = inLanguage(node.detail);
  const words = stateWords(node);
  switch (kind) {
    case 'session':
    case 'warnings':
    case 'earlier_turns':
    case 'diagnostic':
    case 'compaction':
      return detail;
    case 'check':
    case 'finding':
    case 'earlier_calls':
    case 'more':
      return '';
    case 'turn':
      return state === 'running' && doing !== null ? working(doing) : joined(words, detail, state);
    case 'call':
      return state === 'completed' ? detail : joined(words, detail, state);
    case 'subagent':
      if (state === 'running' && doing !== null) return beside(working(doing), detail);
      return beside(words, detail);
    case 'workflow':
    case 'step':
      return beside(words, detail);
  }
}

function working({ text, since }: Doing): string {
  const what = lowerFirst(translatedSentence(text, vscode.l10n.t));
  return vscode.l10n.t('Working: {0}, since {1}', what, clockTime(since));
}

function beside(words: string, detail: string): string {
  return detail === '' ? words : `${words}, ${detail}`;
}

function joined(words: string, detail: string, state: NodeState): string {
  if (detail === '') return words;
  if (state === 'timed_out') return vscode.l10n.t('Timed out after {0}', detail);
  if (state === 'completed') return beside(words, detail);
  // Its phrase has a colon already.
  return state === 'partial_failed' ? `${words}. ${detail}` : `${words}: ${detail}`;
}

/** The state in words, also where the icon alone says it. */
function spoken(node: TreeNode, description: string): string {
  const words = stateWords(node);
  const state = description.startsWith(words) ? '' : words;
  return [shownLabel(node), state, description].filter((part) => part !== '').join(', ');
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

function clockTime(ms: number): string {
  return new Date(ms).toLocaleTimeString(vscode.env.language);
}

/** What can be done with it, for the `when` clauses of the menu. */
function abilities(node: TreeNode): readonly string[] {
  return [
    node.kind,
    ...(node.seq === null && node.line === null ? [] : ['log']),
    ...(node.request_at === null ? [] : ['request']),
    ...(node.fork_at === null ? [] : ['fork']),
    ...(node.turn_id === null ? [] : ['chat']),
    ...(node.child_session_id === null ? [] : ['transcript']),
    ...(offeredActions(node).length === 0 ? [] : ['actions']),
  ];
}

/** Actions may come from a log: only those that a button may run are offered. */
export function offeredActions({ next_actions }: TreeNode): TreeNode['next_actions'] {
  return next_actions.filter(({ command, args }) => allowedArguments(command, args) !== null);
}

function clicked(node: TreeNode): vscode.Command | null {
  if (node.kind === 'earlier_turns')
    return { title: vscode.l10n.t('Show earlier turns'), command: COMMANDS.showEarlierTurns };
  const leaf = node.children.length === 0 && (node.seq !== null || node.line !== null);
  if (!leaf) return null;
  if (node.kind === 'compaction')
    return {
      title: vscode.l10n.t('Open checkpoint'),
      command: COMMANDS.openCheckpoint,
      arguments: [node.id],
    };
  const title = vscode.l10n.t('Reveal log line');
  return { title, command: COMMANDS.revealLogLine, arguments: [node.id] };
}
