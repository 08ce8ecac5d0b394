import type { Attachment, LogEvent } from '../../runtime/events.ts';
import type { BytesHasher } from '../../storage/blobs.ts';

const HASH = /^[0-9a-f]{64}$/u;

/**
 * Images are looked up by their hash among all bodies of a storage, and a model that asks for one gets it. So those of a
 * bundle are called by the hash of the bytes that it has; what it has no bytes of gets a name that nothing has.
 */
export class ImageNames {
  private readonly known = new Map<string, string>();

  constructor(
    events: readonly LogEvent[],
    private readonly blobs: ReadonlyMap<string, unknown>,
    private readonly hasher: BytesHasher,
    /** Names nothing else in this storage. */
    private readonly salt: string,
  ) {
    for (const { data, sha256 } of events.flatMap(attachmentsOf))
      if (typeof data === 'string' && typeof sha256 === 'string') this.known.set(sha256, this.hashOf(data));
  }

  /** An entry of `attachments` or `images`. */
  of(entry: object): object {
    if (!('sha256' in entry) || typeof entry.sha256 !== 'string') return entry;
    if ('kind' in entry && entry.kind !== 'image') return entry;
    const data = 'data' in entry && typeof entry.data === 'string' ? entry.data : null;
    return { ...entry, sha256: data === null ? this.nameFor(entry.sha256) : this.hashOf(data) };
  }

  private nameFor(sha256: string): string {
    if (!HASH.test(sha256) || this.blobs.has(sha256)) return sha256;
    return this.known.get(sha256) ?? this.hasher.sha256(`${this.salt} ${sha256}`);
  }

  private hashOf(base64: string): string {
    return this.hasher.sha256(Buffer.from(base64, 'base64'));
  }
}

function attachmentsOf(event: LogEvent): readonly Attachment[] {
  if (event.type === 'user_message') return event.data.attachments;
  return event.type === 'tool_result' ? (event.data.attachments ?? []) : [];
}
