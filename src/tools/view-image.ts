import * as z from 'zod';
import type { CompactedImage } from '../runtime/context-events.ts';
import type { HiddenPaths } from '../runtime/permissions/hidden-paths.ts';
import { FEWEST_DIGITS, imageFor, imageLine, shortReference } from '../runtime/session-images.ts';
import { fault, ok } from './tool-faults.ts';
import { defineTool, failed, type Tool } from './tool.ts';

const ViewImage = z.strictObject({
  image: z.string().describe('The reference of the image: its sha256, or at least the first 8 digits of it.'),
});

export interface Picture {
  readonly bytes: Uint8Array;
  /** By its bytes, whatever a log claims of it. */
  readonly mime: string;
}

export interface ImageStore {
  /** Null when it is not there, is not what its name says, or is no picture: the storage has other files, too. */
  get(sha256: string): Promise<Picture | null>;
}

/** What an error names at most. */
const MOST_NAMED = 20;

/**
 * Looks again at an image that was in the conversation. Only what the log of this very session names can be looked at:
 * the storage has images of others, too.
 */
export function viewImageTool(blobs: ImageStore, hidden: (start: string) => HiddenPaths): Tool {
  return defineTool({
    name: 'view_image',
    description:
      'Looks again at an image that was attached earlier in this session and is not in the input any more. A history ' +
      'checkpoint lists such images with their references. Not for files of the workspace.',
    effect: 'read',
    schema: ViewImage,
    target: ({ image }) => ok({ subject: image.trim().toLowerCase(), writes: [] }),
    run: async ({ image }, context) => {
      const known = context.images?.() ?? [];
      const found = imageFor(image, known);
      switch (found.kind) {
        case 'found':
          if (isHidden(found.image.sha256, hidden(image.trim().toLowerCase())))
            return failed(
              fault(
                'denied_path',
                `A rule denies this image, or asks about it by another reference than ${image}.`,
              ).error,
            );
          return shown(found.image, await blobs.get(found.image.sha256));
        case 'malformed':
          return failed(
            fault(
              'invalid_arguments',
              `${JSON.stringify(image.slice(0, 80))} is no reference of an image: give its sha256, or at least the first 8 digits of it. ${whatThereIs(known)}`,
            ).error,
          );
        case 'unknown':
          return failed(
            fault('not_found', `No image of this session has the reference ${image}. ${whatThereIs(known)}`)
              .error,
          );
        case 'ambiguous':
          return failed(
            fault('many_matches', `${image} means several images. ${whatThereIs(found.images)}`).error,
          );
      }
    },
  });
}

/** A rule may mean an image by any of its references, whichever the call was permitted for. */
function isHidden(sha256: string, { any, hides }: HiddenPaths): boolean {
  if (!any) return false;
  const references = Array.from({ length: sha256.length - FEWEST_DIGITS + 1 }, (_, more) =>
    sha256.slice(0, FEWEST_DIGITS + more),
  );
  return references.some(hides);
}

function shown(image: CompactedImage, found: Picture | null): Awaited<ReturnType<Tool['run']>> {
  const { sha256, label, width, height } = image;
  if (found === null)
    return failed(
      fault(
        'not_found',
        `The image ${shortReference(sha256)} (${label}) is missing or damaged in storage, so it cannot be looked at. Ask the person to attach it again.`,
      ).error,
    );
  const size = { ...(width === null ? {} : { width }), ...(height === null ? {} : { height }) };
  const { bytes, mime } = found;
  const data = Buffer.from(bytes).toString('base64');
  const attachment = { kind: 'image', label, mime, data, sha256, bytes: bytes.length, ...size };
  return {
    kind: 'success',
    output: `Image ${imageLine({ ...image, mime })}`,
    changes: [],
    attachments: [attachment],
  };
}

function whatThereIs(images: readonly CompactedImage[]): string {
  if (images.length === 0) return 'This session has no images.';
  const named = images.slice(-MOST_NAMED).map((image) => `- ${imageLine(image)}`);
  const more = images.length - named.length;
  const rest = more === 0 ? [] : [`- and ${more} older ones`];
  return ['The images of this session are:', ...named, ...rest].join('\n');
}
