import type { KeptDraft } from '../presenter/attachment.ts';

/**
 * Which images of the draft that is shown the page has the bytes of, so that they go over once: a page keeps
 * them for as long as it lives and shows the same session.
 */
export class DraftImages {
  private sessionId: string | null = null;
  private onPage: ReadonlySet<string> = new Set();

  /** A page that has just come has none. */
  pageBegan(): void {
    this.onPage = new Set();
  }

  /**
   * The page told its draft: it has what it gives, and keeps nothing that the draft no longer names. Words about
   * a session that it has left are late: it has nothing of that any more.
   */
  told({ session_id, attachments }: KeptDraft): void {
    if (session_id !== this.sessionId) return;
    const known = attachments.filter(({ id, data }) => data !== undefined || this.onPage.has(id));
    this.onPage = new Set(known.map(({ id }) => id));
  }

  /** The draft as it is sent to the page, which has it from then on. */
  forPage(draft: KeptDraft): KeptDraft {
    if (draft.session_id !== this.sessionId) this.pageBegan();
    this.sessionId = draft.session_id;
    const known = this.onPage;
    this.told(draft);
    const attachments = draft.attachments.map((one) =>
      known.has(one.id) ? { ...one, data: undefined } : one,
    );
    return { ...draft, attachments };
  }
}
