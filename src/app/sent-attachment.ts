import { imageType } from '../presenter/image-type.ts';
import type { Attachment } from '../runtime/events.ts';
import type { Blobs } from '../storage/blobs.ts';
import { nodeHasher } from './node-ports.ts';
import type { OpenedSession } from './open-session.ts';
import { readTurn } from './turn-log.ts';

/** What went with a message, as it was sent; or why it cannot be shown. */
export type SentAttachment =
  | { readonly kind: 'image'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | { readonly kind: 'refused'; readonly message: string };

export async function sentAttachment(
  opened: OpenedSession,
  { turn_id, index }: { readonly turn_id: string; readonly index: number },
  blobs: Blobs,
): Promise<SentAttachment> {
  const log = await readTurn(opened, turn_id);
  const prompt = log?.own.find((event) => event.type === 'user_message');
  const found = prompt?.type === 'user_message' ? prompt.data.attachments[index] : undefined;
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

/** By its bytes: editors choose by the name how to show it. */
function withExtension(name: string, bytes: Uint8Array): string {
  const extension = imageType(bytes)?.replace('image/', '.').replace('jpeg', 'jpg') ?? '';
  return name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`;
}
