import * as vscode from 'vscode';
import { isImported } from '../storage/session-paths.ts';
import type { ShownUse } from './session-uses.ts';
import { COMMANDS } from './contribution-ids.ts';
import { agentWords, childWords, forkWords, stateWords } from './session-words.ts';
import {
  ARCHIVE,
  contextOf,
  lookOf,
  relativeTime,
  shortAge,
  sizeText,
  type ArchiveNode,
  type SessionNode,
  type TreeNode,
} from './sessions-tree.ts';
import { foreign } from './shown-text.ts';

/** A view may be as wide as the window. */
const LONGEST_TITLE = 200;

export function sessionsItem(node: TreeNode, use: ShownUse | null = null): vscode.TreeItem {
  return node.kind === 'archive' ? archiveItem(node) : sessionItem(node, use);
}

/**
 * Without an icon: VS Code then draws the icons of the other lines where this one has its arrow, which is where they are
 * when nothing is archived. With one it would move them all to the right.
 */
function archiveItem(node: ArchiveNode): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Archived'), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = ARCHIVE;
  item.description = [String(node.count), ...(node.current ? [vscode.l10n.t('open')] : [])].join(' · ');
  item.contextValue = contextOf(node);
  return item;
}

/** What is last in the description is cut off first. */
function sessionItem(node: SessionNode, use: ShownUse | null): vscode.TreeItem {
  const { entry, current } = node;
  const { language } = vscode.env;
  const known = foreign(entry.title, LONGEST_TITLE);
  const title = known === '' ? vscode.l10n.t('Without a message') : known;
  const { icon, color } = lookOf(entry);
  const state = stateWords(entry);
  const size = sizeText(entry.size, language);
  const { children, asking, child_of, fork_of, forks } = node;
  const agents = children.length - forks;
  const family = [
    ...(entry.parent === null ? [] : [agentWords(entry.parent.agent)]),
    ...(entry.parent === null && entry.fork !== null
      ? [fork_of === null ? vscode.l10n.t('fork') : forkWords(fork_of)]
      : []),
    ...(agents === 0 ? [] : [countWords(agents)]),
    ...(forks === 0 ? [] : [forkCountWords(forks)]),
    ...(asking === 0 ? [] : [askingWords(asking)]),
    ...(child_of === null ? [] : [childWords(child_of)]),
  ];
  const imported = isImported(entry.session_id) ? [vscode.l10n.t('imported')] : [];
  const marks = [
    ...(current ? [vscode.l10n.t('open')] : []),
    ...(entry.pinned ? [vscode.l10n.t('pinned')] : []),
  ];
  const { None, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(title, children.length === 0 ? None : Collapsed);
  item.id = entry.session_id;
  item.description = [
    ...imported,
    shortAge(entry.updated_at, Date.now(), language),
    ...family,
    size,
    ...marks,
    ...(entry.problem === null ? [] : [foreign(state)]),
  ]
    .filter((part) => part !== '')
    .join(' · ');
  item.iconPath = new vscode.ThemeIcon(icon, color === null ? undefined : new vscode.ThemeColor(color));
  item.contextValue = contextOf(node);
  item.tooltip = tooltipOf(title, state, node, use);
  const time = relativeTime(entry.updated_at, Date.now(), language);
  item.accessibilityInformation = {
    label: [title, state, ...imported, ...family, ...marks, time, size].join(', '),
  };
  item.command = {
    command: entry.parent === null ? COMMANDS.openSession : COMMANDS.openAgent,
    title: vscode.l10n.t('Open'),
    arguments: [entry.session_id],
  };
  return item;
}

function countWords(children: number): string {
  return children === 1 ? vscode.l10n.t('1 agent') : vscode.l10n.t('{0} agents', children);
}

function forkCountWords(forks: number): string {
  return forks === 1 ? vscode.l10n.t('1 fork') : vscode.l10n.t('{0} forks', forks);
}

function askingWords(asking: number): string {
  return asking === 1 ? vscode.l10n.t('1 needs you') : vscode.l10n.t('{0} need you', asking);
}

function useWords(use: ShownUse): readonly string[] {
  const { language } = vscode.env;
  return [
    vscode.l10n.t('Stored for it alone: {0}', sizeText(use.alone, language)),
    ...(use.shared === 0 ? [] : [vscode.l10n.t('Shared with others: {0}', sizeText(use.shared, language))]),
  ];
}

/** Plain text in Markdown's clothes: what a log says must not become links or commands. */
function tooltipOf(
  title: string,
  state: string,
  node: SessionNode,
  use: ShownUse | null,
): vscode.MarkdownString {
  const { language } = vscode.env;
  const { entry, child_of, fork_of } = node;
  const { fork } = entry;
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
    ...(use === null ? [] : useWords(use)),
    vscode.l10n.t('Id: {0}', entry.session_id),
    ...(child_of === null ? [] : [childWords(child_of)]),
    ...(entry.parent === null ? [] : [vscode.l10n.t('Parent: {0}', entry.parent.session_id)]),
    ...(fork_of === null ? [] : [forkWords(fork_of)]),
    ...(fork === null
      ? []
      : [vscode.l10n.t('Forked from {0}, up to its event {1}', fork.session_id, String(fork.to_seq))]),
  ];
  const tooltip = new vscode.MarkdownString('', false);
  tooltip.isTrusted = false;
  tooltip.supportHtml = false;
  tooltip.appendText(title);
  for (const line of lines) tooltip.appendMarkdown('\n\n').appendText(line);
  return tooltip;
}
