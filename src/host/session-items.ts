import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import { COMMANDS } from './contribution-ids.ts';
import { stateWords } from './session-words.ts';
import { contextOf, lookOf, relativeTime, sizeText, type SessionNode } from './sessions-tree.ts';

/** The lines of the tree of sessions, as VS Code draws them. */

export function archiveItem(count: number): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Archived'), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = 'archive';
  item.description = String(count);
  item.iconPath = new vscode.ThemeIcon('archive', new vscode.ThemeColor('descriptionForeground'));
  item.contextValue = contextOf({ kind: 'archive', count });
  return item;
}

export function sessionItem(node: SessionNode): vscode.TreeItem {
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
