import * as vscode from 'vscode';
import type { LinkTarget, Report, ReportLink } from '../presenter/report-text.ts';
import { allowedArguments } from './allowed-actions.ts';
import { saidWhileSlow } from './slow-work.ts';
import { nameOf, queryOf, REPORT_SCHEME, topicOf, type ReportTopic } from './report-topics.ts';
import { inLanguage } from './spoken.ts';

/** What a document has beside its text. */
interface Made {
  readonly links: readonly ReportLink[];
  readonly at?: number | null;
}

/** Read-only documents about sessions, made from the log when they are opened. */
export class ReportDocuments
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly made = new Map<string, Made>();
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(private readonly storage: string) {
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(REPORT_SCHEME, this),
      vscode.languages.registerDocumentLinkProvider({ scheme: REPORT_SCHEME }, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.made.delete(uri.toString())),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Opens it, as the log is now. Answers which line of it was asked for, counted from 0, where one was. */
  async show(
    topic: ReportTopic,
  ): Promise<{ readonly editor: vscode.TextEditor; readonly at: number | null }> {
    const uri = uriOf(topic);
    const known = vscode.workspace.textDocuments.some((one) => one.uri.toString() === uri.toString());
    if (known) this.changed.fire(uri);
    const showing = vscode.window.showTextDocument(uri, { preview: true });
    const editor = await saidWhileSlow(vscode.l10n.t('Reading the log…'), showing);
    return { editor, at: this.made.get(uri.toString())?.at ?? null };
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const topic = topicOf(uri.query);
    if (topic === null) return vscode.l10n.t('This address is not one of a report.');
    const { text, ...made } = await this.make(topic);
    this.made.set(uri.toString(), made);
    return text;
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const topic = topicOf(document.uri.query);
    if (topic === null) return [];
    return (this.made.get(document.uri.toString())?.links ?? []).flatMap(({ offset, length, target }) => {
      const uri = targetUri(target, topic);
      if (uri === null) return [];
      const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
      return [new vscode.DocumentLink(range, uri)];
    });
  }

  private async make(topic: ReportTopic): Promise<Report & Made> {
    const { storage } = this;
    switch (topic.kind) {
      case 'request': {
        const { inspectRequest } = await import('../app/inspect.ts');
        const report = await inspectRequest(storage, topic.session_id, topic.at);
        if (topic.raw) return asJson(report);
        const { requestDocument } = await import('../presenter/request-document.ts');
        return requestDocument(report, topic.at === null ? 'next' : 'past', inLanguage);
      }
      case 'diagnosis': {
        const { diagnoseSession } = await import('../app/inspect.ts');
        const diagnosis = await diagnoseSession(storage, topic.session_id);
        if (topic.raw) return asJson(diagnosis);
        const { diagnosisDocument } = await import('../presenter/diagnosis-document.ts');
        return diagnosisDocument(topic.session_id, diagnosis, inLanguage);
      }
      case 'log': {
        const { logExcerpt } = await import('../app/log-excerpt.ts');
        const excerpt = await logExcerpt(storage, topic.session_id, topic.place);
        return { text: excerpt?.lines.join('\n') ?? '', links: [], at: excerpt?.at ?? null };
      }
    }
  }
}

function asJson(value: object): Report {
  return { text: `${JSON.stringify(value, undefined, 2)}\n`, links: [] };
}

function uriOf(topic: ReportTopic): vscode.Uri {
  return vscode.Uri.from({
    scheme: REPORT_SCHEME,
    path: `/${topic.session_id}/${nameOf(topic, vscode.l10n.t)}`,
    query: queryOf(topic),
  });
}

/** Null where the link would do what no button may. */
function targetUri(target: LinkTarget, topic: ReportTopic): vscode.Uri | null {
  if (target.kind === 'raw') return topic.kind === 'log' ? null : uriOf({ ...topic, raw: true });
  const { command, args } = target.action;
  const allowed = allowedArguments(command, args);
  return allowed === null
    ? null
    : vscode.Uri.from({ scheme: 'command', path: command, query: JSON.stringify(allowed) });
}
