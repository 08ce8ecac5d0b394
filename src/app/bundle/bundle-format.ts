import * as z from 'zod/mini';
import { REMOVED_KINDS, type RedactionChoice } from '../../runtime/redaction/choices.ts';

/**
 * A bundle is one text file of JSON lines, so that whoever sends it can read it first: a manifest, then events as a log has
 * them, with all their bodies in place, then the blobs that they name.
 */
export const BUNDLE_FORMAT = 'ledgerline-bundle';
export const BUNDLE_VERSION = 1;

/** Editors show no more than this, and what is not shown does not leave. */
export const LARGEST_BUNDLE = 32 * 1024 * 1024;
/** Of all blobs together: what comes after it is left out, and says so. */
export const LARGEST_BODIES = 12 * 1024 * 1024;
export const MOST_LINES = 200_000;
export const LONGEST_LINE = 16 * 1024 * 1024;
export const DEEPEST = 64;

export const CHOICES = [
  'secrets',
  'paths',
  'file_names',
  'contents',
] as const satisfies readonly RedactionChoice[];

const count = z.number().check(z.int(), z.nonnegative());
const shortText = z.string().check(z.maxLength(300));

export const manifestSchema = z.object({
  format: z.literal(BUNDLE_FORMAT),
  version: z.literal(BUNDLE_VERSION),
  app_version: shortText,
  made_at: shortText,
  session_id: shortText,
  /** What was chosen to be removed. */
  removed: z.array(z.enum(CHOICES)).check(z.maxLength(CHOICES.length)),
  /** How often, by kind. */
  counts: z.record(z.enum(REMOVED_KINDS), count),
  events: count,
  blobs: count,
  /** Lines of the log that are not here, because they could not be read. */
  damaged: z.array(z.object({ line: count, reason: shortText })).check(z.maxLength(MOST_LINES)),
  torn_bytes: count,
  /** Of all that follows the first line. */
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/u)),
});

export type Manifest = z.infer<typeof manifestSchema>;

export const blobSchema = z.object({
  blob: z.string().check(z.regex(/^[0-9a-f]{64}$/u)),
  encoding: z.enum(['utf8', 'base64']),
  body: z.string(),
});

export type BlobLine = z.infer<typeof blobSchema>;

/** Line ends of others' making, changes of direction, and what has no shape: whoever reads a bundle sees that they are there. */
const UNSEEN =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export function bundleLine(value: unknown): string {
  return `${JSON.stringify(value).replaceAll(UNSEEN, escaped)}\n`;
}

/** As JSON has it: what is beyond the first plane takes two. */
function escaped(sign: string): string {
  return sign
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
