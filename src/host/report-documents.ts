import * as vscode from 'vscode';
import type { ShownCompaction } from '../presenter/compaction-document.ts';
import type { LinkTarget, Report, ReportLink } from '../presenter/report-text.ts';
import type { KnownEvent } from '../runtime/events.ts';
import { allowedArguments, storageArguments } from './allowed-actions.ts';
import type { KeptPreview } from './kept-preview.ts';
import { saidWhileSlow } from './slow-work.ts';
import { nameOf, queryOf, REPORT_SCHEME, topicOf, type ReportTopic } from './report-topics.ts';
import { inLanguage } from './spoken.ts';

interface Made extends Report {
  /** The line that was asked for, counted from 0. */
  readonly at?: number | null;
  /** Of the next request: the last event that it is made of. */
  readonly upto?: number;
}

/** A document that is open: as it was made, and its links as it is shown. */
interface Open {
  readonly made: Made;
  readonly links: readonly ReportLink[];
  readonly isOutgrown: boolean;
}

type CompactionTopic = Extract<ReportTopic, { kind: 'checkpoint' | 'compaction_preview' }>;

/** Read-only documents about sessions, made from the log when they are opened. */
export class ReportDocuments
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly open = new Map<string, Open>();
  /** To be shown as they were made, with the word that the log has more. */
  private readonly outgrown = new Set<string>();
  /** How far the log goes of the session that was last heard of. */
  private log: { readonly session_id: string; readonly last_seq: number } | null = null;
  private preview: KeptPreview | null = null;
  private listed = '';
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(private readonly storage: string) {
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(REPORT_SCHEME, this),
      vscode.languages.registerDocumentLinkProvider({ scheme: REPORT_SCHEME }, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.open.delete(uri.toString())),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** What a compaction would record is in no log. A document that shows an earlier one is made anew. */
  keepPreview(preview: KeptPreview): void {
    this.preview = preview;
    for (const raw of [false, true])
      this.refresh({ kind: 'compaction_preview', session_id: preview.session_id, raw });
  }

  /** The log goes that far. What was made of it as the next request says so once it has more. */
  heard(session_id: string, last_seq: number): void {
    if (this.log?.session_id === session_id && this.log.last_seq === last_seq) return;
    this.log = { session_id, last_seq };
    const uri = uriOf({ kind: 'request', session_id, at: null, raw: false });
    const shown = this.open.get(uri.toString());
    if (shown === undefined || shown.isOutgrown || !this.isOutgrown(session_id, shown.made)) return;
    this.outgrown.add(uri.toString());
    this.changed.fire(uri);
  }

  storageChanged(): void {
    this.refresh({ kind: 'storage' });
  }

  /** Of their document only what came, went or was archived is news: the rest it says of a moment. */
  heardOf(entries: readonly { readonly session_id: string; readonly archived: boolean }[]): void {
    const listed = entries
      .map(({ session_id, archived }) => `${session_id} ${archived}`)
      .toSorted()
      .join();
    if (listed !== this.listed) this.storageChanged();
    this.listed = listed;
  }

  /** Opens it, as the log is now. Answers which line of it was asked for, counted from 0, where one was. */
  async show(
    topic: ReportTopic,
  ): Promise<{ readonly editor: vscode.TextEditor; readonly at: number | null }> {
    const uri = uriOf(topic);
    this.refresh(topic);
    const showing = vscode.window.showTextDocument(uri, { preview: true });
    const editor = await saidWhileSlow(vscode.l10n.t('Reading the log…'), showing);
    return { editor, at: this.open.get(uri.toString())?.made.at ?? null };
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const topic = topicOf(uri.query);
    if (topic === null) return vscode.l10n.t('This address is not one of a report.');
    const key = uri.toString();
    const kept = this.outgrown.delete(key) ? this.open.get(key)?.made : undefined;
    const made = kept ?? (await this.make(topic));
    const about = topic.kind === 'storage' ? '' : topic.session_id;
    const isOutgrown = this.isOutgrown(about, made);
    const { text, links } = isOutgrown ? await outgrown(made, about) : made;
    this.open.set(key, { made, links, isOutgrown });
    return text;
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const topic = topicOf(document.uri.query);
    if (topic === null) return [];
    return (this.open.get(document.uri.toString())?.links ?? []).flatMap(({ offset, length, target }) => {
      const uri = targetUri(target, topic);
      if (uri === null) return [];
      const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
      return [new vscode.DocumentLink(range, uri)];
    });
  }

  private isOutgrown(sessionId: string, { upto }: Made): boolean {
    return upto !== undefined && this.log?.session_id === sessionId && this.log.last_seq > upto;
  }

  private refresh(topic: ReportTopic): void {
    const uri = uriOf(topic);
    const known = vscode.workspace.textDocuments.some((one) => one.uri.toString() === uri.toString());
    if (known) this.changed.fire(uri);
  }

  private async make(topic: ReportTopic): Promise<Made> {
    const { storage } = this;
    switch (topic.kind) {
      case 'request': {
        const { inspectRequest } = await import('./report-texts.ts');
        const report = await inspectRequest(storage, topic.session_id, topic.at);
        if (topic.raw) return asJson(report);
        const { requestDocument } = await import('./report-texts.ts');
        if (topic.at !== null) return requestDocument(report, 'past', inLanguage);
        return { ...requestDocument(report, 'next', inLanguage), upto: report.last_seq };
      }
      case 'diagnosis': {
        const { diagnoseSession } = await import('./report-texts.ts');
        const diagnosis = await diagnoseSession(storage, topic.session_id);
        if (topic.raw) return asJson(diagnosis);
        const { diagnosisDocument } = await import('./report-texts.ts');
        return diagnosisDocument(topic.session_id, diagnosis, inLanguage);
      }
      case 'checkpoint':
      case 'compaction_preview':
        return this.makeCompaction(topic);
      case 'storage': {
        const { storageText } = await import('./report-texts.ts');
        return storageText(storage, inLanguage);
      }
      case 'log': {
        const { logExcerpt } = await import('./report-texts.ts');
        const excerpt = await logExcerpt(storage, topic.session_id, topic.place);
        return { text: excerpt?.lines.join('\n') ?? '', links: [], at: excerpt?.at ?? null };
      }
    }
  }

  private async makeCompaction(topic: CompactionTopic): Promise<Report> {
    const { compactionDocument, missingCompaction } = await import('./report-texts.ts');
    const { kind, session_id, raw } = topic;
    const shown = await this.compaction(topic);
    if (shown === null)
      return missingCompaction(
        { kind: kind === 'checkpoint' ? 'checkpoint' : 'preview', session_id },
        inLanguage,
      );
    return raw ? asJson(shown.data) : compactionDocument(shown, inLanguage);
  }

  private async compaction(topic: CompactionTopic): Promise<ShownCompaction | null> {
    const { session_id } = topic;
    if (topic.kind === 'compaction_preview')
      return this.preview?.session_id === session_id ? previewShown(this.preview) : null;
    const { checkpointAt } = await import('./report-texts.ts');
    const found = await checkpointAt(this.storage, session_id, topic.seq);
    return found === null ? null : checkpointShown(session_id, found);
  }
}

async function outgrown(made: Made, sessionId: string): Promise<Report> {
  const { outgrownReport } = await import('./report-texts.ts');
  return outgrownReport(made, sessionId, inLanguage);
}

function previewShown({ session_id, record, at_seq, standing, next_actions }: KeptPreview): ShownCompaction {
  return { session_id, data: record, source: { kind: 'preview', at_seq, standing, next_actions } };
}

function checkpointShown(session_id: string, event: KnownEvent<'history_compaction'>): ShownCompaction {
  const { seq, ts, data } = event;
  return { session_id, data: { ...data }, source: { kind: 'checkpoint', seq, ts } };
}

function asJson(value: object): Report {
  return { text: `${JSON.stringify(value, undefined, 2)}\n`, links: [] };
}

function uriOf(topic: ReportTopic): vscode.Uri {
  return vscode.Uri.from({
    scheme: REPORT_SCHEME,
    path: `${topic.kind === 'storage' ? '' : `/${topic.session_id}`}/${nameOf(topic, vscode.l10n.t)}`,
    query: queryOf(topic),
  });
}

/** Null where the link would do what no button may. */
function targetUri(target: LinkTarget, topic: ReportTopic): vscode.Uri | null {
  if (target.kind === 'raw')
    return topic.kind === 'log' || topic.kind === 'storage' ? null : uriOf({ ...topic, raw: true });
  const { command, args } = target.action;
  const allowed =
    (topic.kind === 'storage' ? storageArguments(command, args) : null) ?? allowedArguments(command, args);
  return allowed === null
    ? null
    : vscode.Uri.from({ scheme: 'command', path: command, query: JSON.stringify(allowed) });
}
