import type { KeptDraft } from '../presenter/attachment.ts';
import { draftOf } from '../presenter/attachment.ts';
import { DRAFTS } from './contribution-ids.ts';

const KEPT = 20;
/** Characters of all drafts together: VS Code's memory is not made for more. The oldest go first. */
const LONGEST = 400_000;
/** Of images that are not sent yet, in memory. */
const BYTES_KEPT = 100 * 1024 * 1024;

/** The part of VS Code's `Memento` that is used here. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/**
 * What is in the composer of each session, and not sent. Words and references outlive the window; the bytes of
 * images only the page, which comes and goes while the window stays.
 */
export class Drafts {
  private readonly images = new Map<string, string>();

  constructor(private readonly memory: Memory) {}

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
    const drafts = withinLimits([...(isEmpty ? [] : [kept]), ...others]);
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
    const kept = this.memory.get(DRAFTS);
    return Array.isArray(kept) ? kept.flatMap((one: unknown) => draftOf(one) ?? []) : [];
  }
}

/** The latest first. */
function withinLimits(drafts: readonly KeptDraft[]): readonly KeptDraft[] {
  let total = 0;
  return drafts.slice(0, KEPT).filter(({ text }) => (total += text.length) <= LONGEST);
}
