import { randomUUID } from 'node:crypto';
import { draftOf, type KeptDraft } from '../presenter/attachment.ts';
import { DiskError, folderOf, readWhole, replaceFile, type Disk } from '../storage/disk.ts';

const KEPT = 50;
/** Characters of all drafts together. The oldest go first. */
const LONGEST = 2_000_000;
/** Characters of images that are not sent yet, in memory. */
const IMAGES_KEPT = 100 * 1024 * 1024;
const SAVE_MS = 200;

/**
 * What is in the composer of each session, and not sent. Words and references are in a file, which does not
 * depend on how a window ends; the bytes of images only in memory, for a page that comes and goes while its
 * window stays.
 */
export class Drafts {
  private drafts = new Map<string, KeptDraft>();
  private readonly images = new Map<string, string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private saving: Promise<void> = Promise.resolve();
  private reading: Promise<void> | null = null;

  constructor(
    private readonly disk: Disk,
    private readonly path: string,
    private readonly failed: (reason: string) => void,
  ) {}

  /** Before anything is asked for. */
  load(): Promise<void> {
    this.reading ??= this.take();
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

  /** A page that was loaded again may come with older words than it had last: those are not news. */
  write({ session_id, text, attachments, at, walk }: KeptDraft): void {
    if ((this.drafts.get(session_id)?.at ?? 0) > at) return;
    for (const { id, data } of attachments) if (data !== undefined) this.images.set(id, data);
    const named = attachments.map((one) => ({ ...one, data: undefined }));
    this.drafts.set(session_id, { session_id, text: text.slice(0, LONGEST), attachments: named, at, walk });
    this.forgetImages();
    this.timer ??= setTimeout(() => void this.save(), SAVE_MS);
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
    await this.take();
    try {
      await this.disk.makeFolder(folderOf(this.path));
      const bytes = Buffer.from(JSON.stringify({ v: 1, drafts: [...this.drafts.values()] }));
      await replaceFile(this.disk, this.path, bytes, {
        temporary: `${this.path}.${randomUUID()}.tmp`,
        durable: false,
      });
    } catch (error) {
      this.told(error);
    }
  }

  private async take(): Promise<void> {
    const found = await this.stored();
    const all = [...found, ...this.drafts.values()].toSorted((a, b) => a.at - b.at);
    const latest = [...new Map(all.map((draft) => [draft.session_id, draft])).values()];
    this.drafts = new Map(withinLimits(latest).map((draft) => [draft.session_id, draft]));
  }

  private async stored(): Promise<readonly KeptDraft[]> {
    try {
      const bytes = await readWhole(this.disk, this.path);
      return bytes === null ? [] : draftsIn(JSON.parse(Buffer.from(bytes).toString('utf8')));
    } catch (error) {
      this.told(error);
      return [];
    }
  }

  /** A draft that cannot be kept is still on screen: it is not worth failing for. */
  private told(error: unknown): void {
    if (!(error instanceof DiskError || error instanceof SyntaxError)) throw error;
    this.failed(error.message);
  }

  /** Images of no draft, and the oldest where there are too many. */
  private forgetImages(): void {
    const used = new Set(
      [...this.drafts.values()].flatMap(({ attachments }) => attachments.map(({ id }) => id)),
    );
    let total = 0;
    for (const [id, data] of [...this.images].toReversed()) {
      total += data.length;
      if (!used.has(id) || total > IMAGES_KEPT) this.images.delete(id);
    }
  }
}

function draftsIn(value: unknown): readonly KeptDraft[] {
  const list =
    typeof value === 'object' && value !== null && 'drafts' in value && Array.isArray(value.drafts)
      ? value.drafts
      : [];
  return list.flatMap((one: unknown) => draftOf(one) ?? []);
}

/** The latest last. */
function withinLimits(drafts: readonly KeptDraft[]): readonly KeptDraft[] {
  let total = 0;
  return drafts
    .slice(-KEPT)
    .toReversed()
    .filter(({ text }) => (total += text.length) <= LONGEST)
    .toReversed();
}
