import * as z from 'zod/mini';

const line = z.optional(z.int().check(z.minimum(1)));

/**
 * Something beside the words of a message. By reference (`path`, lines) it is looked up when the message is
 * sent; with `text` or `data` it is taken as given.
 */
export const attachmentSchema = z.object({
  kind: z.string().check(z.minLength(1), z.maxLength(40)),
  label: z.optional(z.string()),
  path: z.optional(z.string()),
  start_line: line,
  end_line: line,
  text: z.optional(z.string()),
  mime: z.optional(z.string()),
  data: z.optional(z.string()),
});

export type MessageAttachment = z.infer<typeof attachmentSchema>;

/** Words that are not sent yet, of one session. What was attached keeps an id, so that its bytes go over once. */
export const draftFields = {
  session_id: z.string().check(z.minLength(1), z.maxLength(200)),
  text: z.string(),
  attachments: z.array(z.extend(attachmentSchema, { id: z.string() })),
  /** Where the person stands among earlier prompts (0: at the draft), and the words left behind for them. */
  walk: z.optional(z.object({ back: z.int().check(z.minimum(0)), texts: z.record(z.string(), z.string()) })),
  /** When it was written (milliseconds since 1970): the later one counts. */
  at: z.number(),
};

export type KeptDraft = z.infer<typeof keptDraftSchema>;

const keptDraftSchema = z.object(draftFields);

/** Null for what is no draft of this version. */
export function draftOf(value: unknown): KeptDraft | null {
  const parsed = keptDraftSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}
