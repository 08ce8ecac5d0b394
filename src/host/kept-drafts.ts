import * as vscode from 'vscode';
import type { Logger } from '../app/conversation-options.ts';
import { DraftImages } from '../app/draft-images.ts';
import { Drafts } from '../app/drafts.ts';
import type { KeptDraft } from '../presenter/attachment.ts';
import type { HostMessage } from '../presenter/protocol.ts';
import { NodeDisk } from '../storage/node-disk.ts';

export interface KeptDraftsOptions {
  readonly storage: string;
  readonly log: Logger;
  readonly emit: (message: HostMessage) => void;
}

/** The drafts of all sessions: kept in the storage, and told to the page that shows one of them. */
export class KeptDrafts {
  private readonly drafts: Drafts;
  private readonly images = new DraftImages();
  /** Sessions whose draft is too long to be kept, which was said. */
  private readonly tooLong = new Set<string>();

  constructor(private readonly options: KeptDraftsOptions) {
    const { storage, log } = options;
    const lost = (reason: string): void => log.warn(`drafts are not kept: ${reason}`);
    this.drafts = new Drafts(new NodeDisk(), `${storage}/drafts.json`, lost);
  }

  load(): Promise<void> {
    return this.drafts.load();
  }

  close(): Promise<void> {
    return this.drafts.close();
  }

  pageBegan(): void {
    this.images.pageBegan();
  }

  tell(sessionId: string): void {
    this.options.emit({ v: 1, type: 'draft', ...this.images.forPage(this.drafts.read(sessionId)) });
  }

  keep(draft: KeptDraft): void {
    const { session_id } = draft;
    this.images.told(draft);
    const isKept = this.drafts.write(draft) === 'kept';
    if (isKept) this.tooLong.delete(session_id);
    if (isKept || this.tooLong.has(session_id)) return;
    this.tooLong.add(session_id);
    const message = vscode.l10n.t(
      'This draft is too long to be kept: it is lost when the window is closed or reloaded. Attach a long text as a file instead.',
    );
    this.options.emit({ v: 1, type: 'notice', level: 'warning', message, next_actions: [] });
  }
}
