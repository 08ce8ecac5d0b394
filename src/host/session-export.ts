import * as vscode from 'vscode';
import type { CommandParts } from './command-parts.ts';
import { exists } from './file-presence.ts';
import { inform, warn, whileShown } from './notifications.ts';
import { chooseOne } from './pick-lists.ts';
import { askWhere, saved } from './saved-export.ts';
import { titleIn } from './session-picker.ts';
import { sizeText } from './sessions-tree.ts';
import { foreign } from './shown-text.ts';
import { inLanguage } from './spoken.ts';

export type ExportParts = Pick<CommandParts, 'sessions' | 'log' | 'storage' | 'documents' | 'apiKey'>;

export interface ExportedSession {
  readonly session_id: string;
  /** What it is called, for words about it. */
  readonly name: string;
  /** What a person called it, or the first line of its first prompt; may be empty. */
  readonly title: string;
}

type Format = 'markdown' | 'html' | 'bundle' | 'log';

/** Asks in which form; each then asks where. What is damaged is exported as far as it can be read, and says so. */
export async function exportSession(parts: ExportParts, sessionId: string): Promise<void> {
  const entry = (await parts.sessions.all()).find((one) => one.session_id === sessionId);
  const source = vscode.Uri.file(await parts.sessions.logPath(sessionId));
  if (!(await exists(source))) {
    await inform(vscode.l10n.t('This session has no log yet. It begins with the first message.'));
    return;
  }
  const name = entry === undefined ? sessionId : titleIn(entry);
  const session = { session_id: sessionId, name, title: entry?.title ?? '' };
  const format = await askFormat(name);
  switch (format) {
    case undefined:
      return;
    case 'markdown':
    case 'html':
      return exportDocument(parts, session, format);
    case 'bundle': {
      const { exportBundle } = await import('./bundle-export.ts');
      return exportBundle(parts, session);
    }
    case 'log':
      return exportLog(parts, session, source);
  }
}

async function askFormat(name: string): Promise<Format | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly format: Format })[] = [
    {
      format: 'markdown',
      label: vscode.l10n.t('Markdown'),
      detail: vscode.l10n.t('All turns with their evidence, as text for people'),
    },
    {
      format: 'html',
      label: vscode.l10n.t('HTML'),
      detail: vscode.l10n.t('The same as one page that runs nothing and asks for nothing'),
    },
    {
      format: 'bundle',
      label: vscode.l10n.t('Bundle for a bug report'),
      detail: vscode.l10n.t(
        'Without secrets, paths and contents, as you choose; you see it before it is written',
      ),
    },
    {
      format: 'log',
      label: vscode.l10n.t('Log as it is'),
      detail: vscode.l10n.t('Every event, byte for byte, with everything that was said'),
    },
  ];
  const title = vscode.l10n.t('Export “{0}”', name);
  return (await chooseOne(items, { title, placeHolder: vscode.l10n.t('In which form?') }))?.format;
}

/** The log as it is, byte for byte: also of a session that is damaged. */
async function exportLog(
  parts: ExportParts,
  { session_id, name }: ExportedSession,
  source: vscode.Uri,
): Promise<void> {
  const target = await askWhere({
    title: vscode.l10n.t('Export “{0}”', name),
    name: `${session_id}.jsonl`,
    filters: { [vscode.l10n.t('Session log')]: ['jsonl'] },
  });
  if (target === undefined) return;
  await saved(parts, target, () => vscode.workspace.fs.copy(source, target, { overwrite: true }));
}

async function exportDocument(
  parts: ExportParts,
  session: ExportedSession,
  format: 'markdown' | 'html',
): Promise<void> {
  const isHtml = format === 'html';
  const target = await askWhere({
    title: vscode.l10n.t('Export “{0}”', session.name),
    name: `${session.session_id}.${isHtml ? 'html' : 'md'}`,
    filters: isHtml ? { HTML: ['html'] } : { Markdown: ['md'] },
  });
  if (target === undefined) return;
  const made = await whileShown(vscode.ProgressLocation.Notification, vscode.l10n.t('Reading the log…'), () =>
    documentText(parts, session, format),
  );
  // Said when the work is no longer shown: whoever reads it may take their time.
  if (made.kind === 'too_large') return sayTooLarge(made.bytes);
  const bytes = new TextEncoder().encode(made.text);
  await saved(parts, target, () => vscode.workspace.fs.writeFile(target, bytes));
}

type DocumentText =
  | { readonly kind: 'made'; readonly text: string }
  | { readonly kind: 'too_large'; readonly bytes: number };

async function documentText(
  { storage, log }: ExportParts,
  { session_id, title }: ExportedSession,
  format: 'markdown' | 'html',
): Promise<DocumentText> {
  const makers = await import('./export-makers.ts');
  const store = new makers.SessionStore(
    makers.nodeStorePorts((text) => log.warn(text)),
    storage,
  );
  const read = await makers.readTranscript(store, { session_id, title: foreign(title, 200) });
  if (read.kind === 'too_large') return read;
  if (format === 'markdown')
    return { kind: 'made', text: makers.transcriptMarkdown(read.transcript, inLanguage) };
  const style_sha256_base64 = Buffer.from(makers.nodeHasher.sha256(makers.HTML_STYLE), 'hex').toString(
    'base64',
  );
  const options = { say: inLanguage, language: vscode.env.language, style_sha256_base64 };
  return { kind: 'made', text: makers.transcriptHtml(read.transcript, options) };
}

export async function sayTooLarge(bytes: number): Promise<void> {
  await warn(
    vscode.l10n.t(
      'The session was not exported: it would be too large in this form ({0}). The log as it is can be exported.',
      sizeText(bytes, vscode.env.language),
    ),
  );
}
