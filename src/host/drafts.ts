import type * as vscode from 'vscode';
import type { KeptDraft } from '../presenter/attachment.ts';
import { draftOf } from '../presenter/attachment.ts';
import { DRAFTS } from './contribution-ids.ts';

const KEPT = 20;
const LONGEST = 200_000;
/** Of images that are not sent yet, in memory. */
const BYTES_KEPT = 100 * 1024 * 1024;

/**
 * What is in the composer of each session, and not sent. Words and references outlive the window; the bytes of
 * images only the page, which comes and goes while the window stays.
 */
export class Drafts {
  private readonly images = new Map<string, string>();

  constructor(private readonly memory: vscode.Memento) {}

  read(sessionId: string): KeptDraft {
    const known = this.all().find(({ session_id }) => session_id === sessionId);
    if (known === undefined) return { session_id: sessionId, text: '', attachments: [], at: 0 };
    const attachments = known.attachments.map((one) => {
      const data = this.images.get(one.id);
      return data === undefined ? one : { ...one, data };
    });
    return { ...known, attachments };
  }

  async write(draft: KeptDraft): Promise<void> {
    const { session_id, text, attachments, at } = draft;
    for (const { id, data } of attachments) if (data !== undefined) this.images.set(id, data);
    const others = this.all().filter((one) => one.session_id !== session_id);
    const isEmpty = text === '' && attachments.length === 0;
    const kept = {
      session_id,
      text: text.slice(0, LONGEST),
      attachments: attachments.map((one) => ({ ...one, data: undefined })),
      at,
    };
    const drafts = [...(isEmpty ? [] : [kept]), ...others].slice(0, KEPT);
    this.forget(drafts);
    await this.memory.update(DRAFTS, drafts);
  }

  /** Images of no draft, and the oldest where there are too many. */
  private forget(drafts: readonly KeptDraft[]): void {
    const used = new Set(drafts.flatMap(({ attachments }) => attachments.map(({ id }) => id)));
    let total = 0;
    for (const [id, data] of [...this.images].toReversed()) {
      total += data.length;
      if (!used.has(id) || total > BYTES_KEPT) this.images.delete(id);
    }
  }

  private all(): readonly KeptDraft[] {
    const kept = this.memory.get<unknown>(DRAFTS);
    return Array.isArray(kept) ? kept.flatMap((one: unknown) => draftOf(one) ?? []) : [];
  }
}
