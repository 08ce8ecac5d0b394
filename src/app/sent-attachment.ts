import { imageType } from '../presenter/image-type.ts';
import type { Attachment } from '../runtime/events.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { ImageStore } from '../tools/view-image.ts';
import { nodeHasher } from './node-ports.ts';
import type { OpenedSession } from './open-session.ts';
import { readTurn } from './turn-log.ts';

/** What went with a message, as it was sent; or why it cannot be shown. */
export type SentAttachment =
  | { readonly kind: 'image'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | { readonly kind: 'refused'; readonly message: string };

/** One of a prompt, or of what a call came back with. */
export interface AttachmentPlace {
  readonly turn_id: string;
  readonly call_id?: string | undefined;
  readonly index: number;
}

/** As the log has it. */
export async function recordedAttachment(
  opened: OpenedSession,
  { turn_id, call_id, index }: AttachmentPlace,
): Promise<Attachment | undefined> {
  const log = await readTurn(opened, turn_id);
  for (const event of log?.own ?? []) {
    if (call_id === undefined && event.type === 'user_message') return event.data.attachments[index];
    if (event.type === 'tool_result' && event.data.call_id === call_id)
      return event.data.attachments?.[index];
  }
  return undefined;
}

export async function sentAttachment(
  opened: OpenedSession,
  place: AttachmentPlace,
  blobs: Blobs,
): Promise<SentAttachment> {
  const found = await recordedAttachment(opened, place);
  if (found === undefined) return { kind: 'refused', message: 'The log has no such attachment.' };
  const name = found.label ?? found.path ?? found.kind;
  const bytes = found.kind === 'image' ? await imageBytes(found, blobs) : null;
  if (bytes !== null) return { kind: 'image', name: withExtension(name, bytes), bytes };
  if (found.text !== undefined) return { kind: 'text', name, text: found.text };
  return { kind: 'refused', message: 'This attachment is no longer in storage.' };
}

async function imageBytes({ data, sha256 }: Attachment, blobs: Blobs): Promise<Uint8Array | null> {
  const bytes = data === undefined ? null : Buffer.from(data, 'base64');
  if (bytes !== null && (sha256 === undefined || nodeHasher.sha256(bytes) === sha256)) return bytes;
  return sha256 === undefined ? null : blobs.get(sha256);
}

/** What a model may look at again. A log can name any file in storage as an image: only one that is a picture is shown. */
export function picturesIn(blobs: Blobs): ImageStore {
  return {
    get: async (sha256) => {
      const bytes = await blobs.get(sha256);
      const mime = bytes === null ? null : imageType(bytes);
      return bytes === null || mime === null ? null : { bytes, mime };
    },
  };
}

/** By its bytes: editors choose by the name how to show it. */
function withExtension(name: string, bytes: Uint8Array): string {
  const extension = imageType(bytes)?.replace('image/', '.').replace('jpeg', 'jpg') ?? '';
  return name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`;
}
