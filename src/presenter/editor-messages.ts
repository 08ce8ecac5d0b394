import type { PresenterMessage } from './protocol.ts';

const TYPES = [
  'open',
  'code',
  'show_change',
  'open_output',
  'open_attachment',
  'find_attachments',
  'attach_files',
] as const;

type EditorType = (typeof TYPES)[number];

/** Pure: what only a host with an editor can do. */
export function needsEditor(
  message: PresenterMessage,
): message is Extract<PresenterMessage, { type: EditorType }> {
  return TYPES.some((type) => type === message.type);
}
