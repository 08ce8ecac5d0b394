import type { CompactedImage } from './context-events.ts';
import type { Attachment, LogEvent } from './events.ts';
import { list, numberOrNull, text } from './loose-fields.ts';
import { lineOf } from './text-size.ts';

/**
 * Images are called by the hash of their bytes. What people and models read is a short form of it; whoever refers to one
 * may give as many digits as make it clear.
 */
const SHORT_DIGITS = 12;
export const FEWEST_DIGITS = 8;
const LABEL_CHARS = 120;
const ASKED_CHARS = 100;

export function shortReference(sha256: string): string {
  return sha256.slice(0, SHORT_DIGITS);
}

/** The images that go with an event and can be called by a reference. */
export function imagesIn(event: LogEvent): readonly Attachment[] {
  return attachmentsOf(event).filter((one) => isImage(one) && /^[0-9a-f]{64}$/u.test(one.sha256 ?? ''));
}

/** Those of logs that say nothing of what an image is. */
export function namelessImagesIn(event: LogEvent): number {
  return attachmentsOf(event).filter(isImage).length - imagesIn(event).length;
}

function attachmentsOf(event: LogEvent): readonly Attachment[] {
  if (event.type === 'user_message') return event.data.attachments;
  return event.type === 'tool_result' ? (event.data.attachments ?? []) : [];
}

function isImage({ kind }: Attachment): boolean {
  return kind === 'image';
}

/**
 * Pure: the images that a checkpoint listed and those of the events after it, each once, in the order in which the model
 * had them last.
 */
export function imagesOf(
  checkpoint: unknown,
  events: readonly LogEvent[],
  prompts: readonly LogEvent[] = events,
): readonly CompactedImage[] {
  const asked = new Map(
    prompts.flatMap((one) =>
      one.type === 'user_message' ? [[one.data.turn_id, one.data.text] as const] : [],
    ),
  );
  const found = events.flatMap((event) => {
    const turn_id = 'turn_id' in event.data ? (event.data.turn_id ?? '') : '';
    return imagesIn(event).map((image) => listed(image, turn_id, asked.get(turn_id) ?? ''));
  });
  const images = new Map<string, CompactedImage>();
  for (const image of [...list(checkpoint, 'images').flatMap(listedIn), ...found]) {
    images.delete(image.sha256);
    images.set(image.sha256, image);
  }
  return [...images.values()];
}

function listed(image: Attachment, turn_id: string, asked: string): CompactedImage {
  const { sha256 = '', mime = '', bytes = null, width = null, height = null } = image;
  const label = lineOf((image.label ?? image.path ?? 'image').toWellFormed(), LABEL_CHARS);
  return {
    sha256,
    label,
    mime,
    bytes,
    width,
    height,
    turn_id,
    asked: lineOf(asked, ASKED_CHARS).toWellFormed(),
  };
}

/** Of a checkpoint, which may be another version's. */
function listedIn(value: unknown): readonly CompactedImage[] {
  const sha256 = text(value, 'sha256');
  if (!/^[0-9a-f]{64}$/u.test(sha256)) return [];
  return [
    {
      sha256,
      label: lineOf(text(value, 'label'), LABEL_CHARS),
      mime: text(value, 'mime'),
      bytes: numberOrNull(value, 'bytes'),
      width: numberOrNull(value, 'width'),
      height: numberOrNull(value, 'height'),
      turn_id: text(value, 'turn_id'),
      asked: lineOf(text(value, 'asked'), ASKED_CHARS),
    },
  ];
}

/** An image in a line: what it is called, what it is, and its reference. */
export function imageLine({ sha256, label, mime, width, height, asked }: CompactedImage): string {
  const size = width === null || height === null ? '' : `, ${width} x ${height} pixels`;
  const turn = asked === '' ? '' : `, last seen with the request ${JSON.stringify(asked)}`;
  return `${shortReference(sha256)}: ${label}${mime === '' ? '' : `, ${mime}`}${size}${turn}`;
}

export type ImageLookUp =
  | { readonly kind: 'found'; readonly image: CompactedImage }
  | { readonly kind: 'malformed' | 'unknown' }
  | { readonly kind: 'ambiguous'; readonly images: readonly CompactedImage[] };

/** Pure: the image that a reference means. */
export function imageFor(reference: string, images: readonly CompactedImage[]): ImageLookUp {
  const digits = reference.trim().toLowerCase();
  if (!/^[0-9a-f]+$/u.test(digits) || digits.length < FEWEST_DIGITS || digits.length > 64)
    return { kind: 'malformed' };
  const [image, ...others] = images.filter(({ sha256 }) => sha256.startsWith(digits));
  if (image === undefined) return { kind: 'unknown' };
  return others.length === 0 ? { kind: 'found', image } : { kind: 'ambiguous', images: [image, ...others] };
}
