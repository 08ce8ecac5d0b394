import type { Attachment } from '../runtime/events.ts';
import { exceeded, resolveAttachment, type AttachmentPorts, type Resolved } from './attachments.ts';

/** What became of what was sent: whether the same would be found now. `none` where there is nothing to compare it with. */
export type AttachmentStanding = 'same' | 'changed' | 'gone' | 'denied' | 'none';

/** Looked up again, under the rules that hold now. Nothing is recorded and nothing is sent. */
export async function standingOf(sent: Attachment, ports: AttachmentPorts): Promise<AttachmentStanding> {
  const { kind, label, path, start_line, end_line, sha256, truncated } = sent;
  if (sha256 === undefined || (path === undefined && kind !== 'problems')) return 'none';
  const isGiven = kind === 'selection' && start_line === undefined;
  if (isGiven && truncated === true) return 'none';
  const lines = { start_line, ...(start_line === undefined ? {} : { end_line }) };
  const now = await resolveAttachment(
    isGiven ? { kind: 'file', path } : { kind, label, path, ...lines },
    ports,
  );
  if (!now.ok) return isGiven && now.because === 'too_large' ? 'none' : standingWithout(now);
  if (isGiven) return holds(now.value, sent) ? 'same' : now.value.truncated === true ? 'none' : 'changed';
  return now.value.sha256 === sha256 ? 'same' : 'changed';
}

/** Lines that were given with their text are still there, wherever that is by now. */
function holds({ text = '' }: Attachment, given: Attachment): boolean {
  return plainLines(text).includes(plainLines(given.text ?? ''));
}

function plainLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function standingWithout({
  code,
  because,
}: Extract<Resolved<Attachment>, { ok: false }>): AttachmentStanding {
  switch (code) {
    case 'attachment_denied':
      return 'denied';
    case 'attachment_unreadable':
      if (because === 'not_found') return 'gone';
      // Of what only cannot be read just now, nothing is known.
      return because === 'too_large' || because === 'not_a_file' ? 'changed' : 'none';
    case 'attachment_not_available':
      return 'none';
    default:
      return 'changed';
  }
}

export interface Unfit {
  readonly id: string;
  readonly why: string;
}

type Chosen = Attachment & { readonly id: string };

/** Which of the attachments that have just come to a draft could not be sent with it, and why. */
export async function unfitAttachments(
  chosen: readonly Chosen[],
  fresh: ReadonlySet<string>,
  ports: AttachmentPorts,
): Promise<readonly Unfit[]> {
  const found: Attachment[] = [];
  const unfit: Unfit[] = [];
  for (const one of chosen) {
    // Those of a page have their bytes there, and were looked at there.
    if (one.kind === 'image' && one.path === undefined) continue;
    const now = await resolveAttachment(one, ports);
    const refusal = now.ok ? exceeded([...found, now.value]) : now;
    if (refusal === null && now.ok) found.push(now.value);
    else if (refusal !== null && fresh.has(one.id)) unfit.push({ id: one.id, why: refusal.why });
  }
  return unfit;
}
