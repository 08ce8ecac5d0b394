import type { KeptDraft } from '../../src/presenter/attachment.ts';

type Attached = KeptDraft['attachments'];

/** The bytes of an image go over once: what comes without them has those that are known under its id. */
export function withBytesOf(
  attachments: readonly Attached[number][],
  known: readonly Attached[number][],
): Attached {
  const bytes = new Map(known.map(({ id, data }) => [id, data]));
  return attachments.map((one) => {
    const data = one.data ?? bytes.get(one.id);
    return data === one.data ? one : { ...one, data };
  });
}

/** Two may come before the page draws: the later one has no bytes of what the earlier one had. */
export function keptAfter(known: KeptDraft | null, told: KeptDraft): KeptDraft {
  if (known?.session_id !== told.session_id) return told;
  return { ...told, attachments: withBytesOf(told.attachments, known.attachments) };
}
