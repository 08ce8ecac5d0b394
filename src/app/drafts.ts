import { randomUUID } from 'node:crypto';
import { draftOf, type KeptDraft } from '../presenter/attachment.ts';
import { DiskError, folderOf, readWhole, replaceFile, type Disk } from '../storage/disk.ts';
import { KeptImages, type ImageNames } from './kept-images.ts';

/** Of drafts; and as many where nothing is left to send, for which no words have to go. */
const KEPT = 50;
/** Characters of one draft. A longer one is there only while the window is: no other draft has to go for it. */
export const LONGEST_DRAFT = 256_000;
const SAVE_MS = 200;

/**
 * What is in the composer of each session, and not sent. It is in files, which do not depend on how a window ends:
 * words and references in one, each image in one of its own beside it.
 */
export class Drafts {
  private drafts = new Map<string, KeptDraft>();
  private readonly images: KeptImages;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private saving: Promise<void> = Promise.resolve();
  private reading: Promise<void> | null = null;

  constructor(
    private readonly disk: Disk,
    private readonly path: string,
    private readonly failed: (reason: string) => void,
  ) {
    this.images = new KeptImages(disk, path.replace(/\.json$/, ''));
  }

  /** Before anything is asked for. */
  load(): Promise<void> {
    this.reading ??= this.begin();
    return this.reading;
  }

  read(sessionId: string): KeptDraft {
    const known = this.drafts.get(sessionId);
    if (known === undefined) return { session_id: sessionId, text: '', attachments: [], at: 0 };
    const attachments = known.attachments.map((one) => {
      const data = this.images.get(one.id);
      return data === undefined ? one : { ...one, data };
    });
    return { ...known, attachments };
  }

  /**
   * A page that was loaded again may come with older words than it had last: those are not news. Answers whether
   * the draft will outlive the window.
   */
  write(draft: KeptDraft): 'kept' | 'too_long' {
    const { session_id, attachments, at } = draft;
    if ((this.drafts.get(session_id)?.at ?? 0) > at) return 'kept';
    for (const { id, data } of attachments) if (data !== undefined) this.images.set(id, data);
    const named = attachments.map((one) => ({ ...one, data: undefined }));
    const { text, walk } = draft;
    const kept: KeptDraft = { session_id, text, attachments: named, at, walk };
    this.drafts.set(session_id, kept);
    this.images.forgetBut(this.used());
    this.timer ??= setTimeout(() => void this.save(), SAVE_MS);
    return isTooLong(kept) ? 'too_long' : 'kept';
  }

  /**
   * For a session that is gone for good. What is left is that it has none, since now: another window may still hold the
   * words, and of two drafts the later one counts.
   */
  async forget(sessionId: string, now: number): Promise<void> {
    await this.take();
    const known = this.drafts.get(sessionId);
    if (known === undefined) return;
    this.write({ session_id: sessionId, text: '', attachments: [], at: Math.max(now, known.at + 1) });
    await this.close();
  }

  /** Resolves when all of it is in the file. */
  close(): Promise<void> {
    return this.timer === undefined ? this.saving : this.save();
  }

  private save(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.saving = this.saving.then(() => this.put());
    return this.saving;
  }

  /** Another window may have written: each draft is the later one of the two. */
  private async put(): Promise<void> {
    const before = await this.take();
    try {
      await this.disk.makeFolder(folderOf(this.path));
      const images = await this.images.named(this.used());
      const drafts = [...this.drafts.values()].filter((one) => !isTooLong(one));
      await replaceFile(this.disk, this.path, Buffer.from(JSON.stringify({ v: 1, drafts, images })), {
        temporary: `${this.path}.${randomUUID()}.tmp`,
        durable: false,
      });
      await this.images.remove(before, images);
    } catch (error) {
      this.told(error);
    }
  }

  private async begin(): Promise<void> {
    const images = await this.take();
    try {
      await this.images.removeLeftBehind(images);
    } catch (error) {
      this.told(error);
    }
  }

  /** The images that the file names. */
  private async take(): Promise<ImageNames> {
    try {
      const found = await this.stored();
      const all = [...found.drafts, ...this.drafts.values()].toSorted((a, b) => a.at - b.at);
      const latest = new Map(all.map((draft) => [draft.session_id, draft]));
      const sorted = [...latest].toSorted(([, a], [, b]) => a.at - b.at);
      const lasting = sorted.filter(([, one]) => !isEmpty(one)).slice(-KEPT);
      this.drafts = new Map([...sorted.filter(([, one]) => isEmpty(one)).slice(-KEPT), ...lasting]);
      await this.images.take(found.images, this.used());
      return found.images;
    } catch (error) {
      this.told(error);
      return {};
    }
  }

  private async stored(): Promise<{ drafts: readonly KeptDraft[]; images: ImageNames }> {
    const bytes = await readWhole(this.disk, this.path);
    const value: unknown = bytes === null ? {} : JSON.parse(Buffer.from(bytes).toString('utf8'));
    return { drafts: draftsIn(value), images: namesIn(value) };
  }

  /** A draft that cannot be kept is still on screen: it is not worth failing for. */
  private told(error: unknown): void {
    if (!(error instanceof DiskError || error instanceof SyntaxError)) throw error;
    this.failed(error.message);
  }

  /** The ids of all that is attached anywhere. */
  private used(): ReadonlySet<string> {
    return new Set([...this.drafts.values()].flatMap(({ attachments }) => attachments.map(({ id }) => id)));
  }
}

function draftsIn(value: unknown): readonly KeptDraft[] {
  const list =
    typeof value === 'object' && value !== null && 'drafts' in value && Array.isArray(value.drafts)
      ? value.drafts
      : [];
  return list.flatMap((one: unknown) => draftOf(one) ?? []);
}

function namesIn(value: unknown): ImageNames {
  const images =
    typeof value === 'object' && value !== null && 'images' in value
      ? Object.entries(value.images ?? {})
      : [];
  return Object.fromEntries(
    images.flatMap(([id, name]: [string, unknown]) => (typeof name === 'string' ? [[id, name]] : [])),
  );
}

function isEmpty({ text, attachments, walk }: KeptDraft): boolean {
  return text === '' && attachments.length === 0 && walk === undefined;
}

function isTooLong({ text, attachments, walk }: KeptDraft): boolean {
  const others = [...attachments.map((one) => one.text ?? ''), ...Object.values(walk?.texts ?? {})];
  return others.reduce((sum, words) => sum + words.length, text.length) > LONGEST_DRAFT;
}
