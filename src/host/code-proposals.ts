import * as vscode from 'vscode';
import { PROPOSED_CODE } from './contribution-ids.ts';
import type { ShownDocuments } from './shown-documents.ts';
import { inform } from './notifications.ts';

/** What a block of code would make of a file. */
export interface Proposal {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** What is asked, in the person's language. */
  readonly question: string;
  /** Of the diff. */
  readonly title: string;
}

interface Pending {
  readonly shown: vscode.Uri;
  readonly settle: (wanted: boolean) => void;
}

/**
 * Code from the chat, as a diff that can be applied for as long as it is open: the buttons are in its title, and the
 * notification that goes away by itself only repeats them. There is one at a time; another one, or closing the diff,
 * withdraws it.
 */
export class CodeProposals {
  private pending: Pending | null = null;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly documents: ShownDocuments,
    private readonly failed: (error: unknown) => void,
  ) {
    this.subscription = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      const { pending } = this;
      const isGone = pending !== null && closed.some((tab) => isOf(tab, pending.shown));
      if (isGone && tabsOf(pending.shown).length === 0) this.settle(pending, false);
    });
  }

  /** Whether the person wants what the diff shows. */
  async isWanted({ path, before, after, question, title }: Proposal): Promise<boolean> {
    this.discard();
    const shown = this.documents.add(path, 'after', after);
    const answer = new Promise<boolean>((resolve) => {
      this.pending = { shown, settle: resolve };
    });
    this.tellMenus([shown.toString()]);
    const { pending } = this;
    const old = this.documents.add(path, 'before', before);
    try {
      await vscode.commands.executeCommand('vscode.diff', old, shown, title, { preview: true });
    } catch (error) {
      this.discard();
      throw error;
    }
    if (pending !== null) this.notify(question, pending).catch(this.failed);
    return answer;
  }

  apply(): void {
    if (this.pending !== null) this.settle(this.pending, true);
  }

  discard(): void {
    if (this.pending !== null) this.settle(this.pending, false);
  }

  dispose(): void {
    this.discard();
    this.subscription.dispose();
  }

  /** A notification cannot be taken back; one that is answered too late changes nothing, and says so. */
  private async notify(question: string, pending: Pending): Promise<void> {
    const apply = vscode.l10n.t('Apply');
    const discard = vscode.l10n.t('Discard');
    const answer = await inform(question, apply, discard);
    if (answer === undefined) return;
    if (this.pending === pending) return this.settle(pending, answer === apply);
    if (answer !== apply) return;
    await inform(
      vscode.l10n.t('This code is no longer shown, so it was not applied. Choose Apply to file again.'),
    );
  }

  private settle(pending: Pending, wanted: boolean): void {
    if (this.pending !== pending) return;
    this.pending = null;
    this.tellMenus([]);
    pending.settle(wanted);
    const tabs = tabsOf(pending.shown);
    if (tabs.length > 0) vscode.window.tabGroups.close(tabs).then(undefined, this.failed);
  }

  private tellMenus(shown: readonly string[]): void {
    vscode.commands.executeCommand('setContext', PROPOSED_CODE, shown).then(undefined, this.failed);
  }
}

function tabsOf(uri: vscode.Uri): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter((tab) => isOf(tab, uri)));
}

function isOf({ input }: vscode.Tab, uri: vscode.Uri): boolean {
  return input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString();
}
