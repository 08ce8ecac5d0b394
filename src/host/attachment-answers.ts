import type { ChangeReading } from '../app/changes.ts';
import type { TurnMeans } from '../app/turn-means.ts';
import type { HostMessage, PresenterMessage } from '../presenter/protocol.ts';

type Question = Extract<PresenterMessage, { type: 'check_sent' | 'load_image' | 'check_attachments' }>;

export function isAttachmentQuestion(message: PresenterMessage): message is Question {
  const { type } = message;
  return type === 'check_sent' || type === 'load_image' || type === 'check_attachments';
}

interface Sources {
  readonly changes: ChangeReading;
  readonly means: TurnMeans;
}

/** What the page asks about attachments. Null where there is nothing to say. */
export async function answerAbout(
  message: Question,
  { changes, means }: Sources,
): Promise<HostMessage | null> {
  switch (message.type) {
    case 'check_sent': {
      const { turn_id, index } = message;
      const sent = await changes.recorded({ turn_id, index });
      const standing = sent === undefined ? 'none' : await means.standingOf(sent);
      return { v: 1, type: 'attachment_standing', turn_id, index, standing };
    }
    case 'load_image': {
      const sent = await changes.recorded(message);
      if (sent?.kind !== 'image' || sent.sha256 === undefined) return null;
      const found = await changes.attachment(message);
      const data = found.kind === 'image' ? Buffer.from(found.bytes).toString('base64') : null;
      return { v: 1, type: 'image', sha256: sent.sha256, mime: sent.mime ?? 'image/png', data };
    }
    case 'check_attachments': {
      const items = await means.unfit(message.attachments, message.fresh);
      return items.length === 0 ? null : { v: 1, type: 'unfit_attachments', items: [...items] };
    }
  }
}
