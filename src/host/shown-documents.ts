import * as vscode from 'vscode';
import { SHOWN_SCHEME } from './contribution-ids.ts';

/** Texts that are shown in editors and are no files: read-only, by the name of the file they are of. */

const MOST = 60;
const texts = new Map<string, string>();
let made = 0;

/** The name tells VS Code the language; the rest of the address makes it one of its kind. */
export function shownDocument(path: string, what: string, text: string): vscode.Uri {
  made += 1;
  const uri = vscode.Uri.from({
    scheme: SHOWN_SCHEME,
    path: `/${path.replace(/^\/+/, '')}`,
    query: `${what}-${made}`,
  });
  texts.set(uri.toString(), text);
  const [oldest] = texts.keys();
  if (texts.size > MOST && oldest !== undefined) texts.delete(oldest);
  return uri;
}

/** After a reload VS Code opens its editors again; what they showed is in the log, not here. */
export function provideShownDocuments(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SHOWN_SCHEME, {
    provideTextDocumentContent: (uri) =>
      texts.get(uri.toString()) ??
      vscode.l10n.t('This is not kept between windows. Open it again from the conversation.'),
  });
}
