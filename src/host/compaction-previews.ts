import * as vscode from 'vscode';
import type { HostMessage } from '../presenter/protocol.ts';
import type { ChatView } from './chat-view.ts';
import type { Choices } from './choices.ts';
import { SETTINGS_SECTION } from './contribution-ids.ts';
import { meansOf, NO_PREVIEW, previewAfter, type PreviewFacts } from './kept-preview.ts';
import type { ReportDocuments } from './report-documents.ts';

export interface CompactionPreviewsOptions {
  readonly chat: Pick<ChatView, 'onDidEmit'>;
  readonly reports: ReportDocuments;
  readonly choices: Pick<Choices, 'valueOf'>;
  readonly log: vscode.LogOutputChannel;
}

/**
 * Shows what a compaction would record when the conversation says so, and keeps that true to the log and the settings.
 * Other reports learn from here how far the log goes.
 */
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
    const { reports, choices, log } = this.options;
    const before = this.facts;
    this.facts = previewAfter(before, message, () => means(choices));
    const { preview, session_id: open, last_seq } = this.facts;
    if (open !== null && last_seq !== null) reports.heard(open, last_seq);
    if (preview === before.preview || preview === null) return;
    reports.keepPreview(preview);
    if (message.type !== 'compaction_preview') return;
    const { session_id } = preview;
    reports
      .show({ kind: 'compaction_preview', session_id, raw: false })
      .catch((error: unknown) => log.error(`showing what a compaction would record: ${String(error)}`));
  }
}

/** As they are set and picked: whether they are valid is for whoever compacts. */
function means(choices: Pick<Choices, 'valueOf'>): string {
  const set = vscode.workspace.getConfiguration(SETTINGS_SECTION);
  return meansOf((name) => choices.valueOf(name) ?? set.get(name));
}
