import type * as vscode from 'vscode';
import type { HostMessage } from '../presenter/protocol.ts';
import type { ChatView } from './chat-view.ts';
import { NO_PREVIEW, previewAfter, type PreviewFacts } from './kept-preview.ts';
import type { ReportDocuments } from './report-documents.ts';

export interface CompactionPreviewsOptions {
  readonly chat: ChatView;
  readonly reports: ReportDocuments;
  readonly log: vscode.LogOutputChannel;
}

/** Shows what a compaction would record when the conversation says so, and keeps that true to the log. */
export class CompactionPreviews implements vscode.Disposable {
  private facts: PreviewFacts = NO_PREVIEW;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly options: CompactionPreviewsOptions) {
    this.subscription = options.chat.onDidEmit((message) => this.take(message));
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private take(message: HostMessage): void {
    const { reports, log } = this.options;
    const before = this.facts;
    this.facts = previewAfter(before, message);
    const { preview } = this.facts;
    if (preview === before.preview || preview === null) return;
    reports.keepPreview(preview);
    if (message.type !== 'compaction_preview') return;
    const { session_id } = preview;
    reports
      .show({ kind: 'compaction_preview', session_id, raw: false })
      .catch((error: unknown) => log.error(`showing what a compaction would record: ${String(error)}`));
  }
}
