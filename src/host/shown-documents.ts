import * as vscode from 'vscode';
import { REDO_SCHEME, SHOWN_SCHEME, UNDO_SCHEME } from './contribution-ids.ts';
import { ShownImages } from './shown-images.ts';

/** Texts, and images, that are shown in editors and are no files: read-only, by the name of the file they are of. */
export class ShownDocuments {
  private readonly texts = new Map<string, string>();
  private made = 0;
  readonly images = new ShownImages();
  private readonly subscriptions: vscode.Disposable;

  constructor() {
    // After a reload VS Code opens its editors again; what they showed is in the log, not here.
    const content: vscode.TextDocumentContentProvider = {
      provideTextDocumentContent: (uri) =>
        this.texts.get(uri.toString()) ??
        vscode.l10n.t('This is not kept between windows. Open it again from the conversation.'),
    };
    const providers = [SHOWN_SCHEME, UNDO_SCHEME, REDO_SCHEME].map((scheme) =>
      vscode.workspace.registerTextDocumentContentProvider(scheme, content),
    );
    const closed = vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString()));
    this.subscriptions = vscode.Disposable.from(...providers, closed);
  }

  /** The name tells VS Code the language; the rest of the address makes it one of its kind. */
  add(path: string, what: string, text: string, scheme: string = SHOWN_SCHEME): vscode.Uri {
    this.made += 1;
    const uri = vscode.Uri.from({
      scheme,
      path: `/${path.replace(/^\/+/, '')}`,
      query: `${what}-${this.made}`,
    });
    this.texts.set(uri.toString(), text);
    return uri;
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.images.dispose();
  }
}
