import type { PresenterMessage } from './protocol.ts';

const TYPES = [
  'open',
  'code',
  'show_change',
  'preview_undo',
  'merge_undo',
  'open_output',
  'open_attachment',
  'open_skill',
  'check_sent',
  'load_image',
  'check_attachments',
  'find_attachments',
  'attach_files',
  'edit_prompt',
] as const;

type EditorType = (typeof TYPES)[number];

/** Pure: what only a host with an editor can do. */
export function needsEditor(
  message: PresenterMessage,
): message is Extract<PresenterMessage, { type: EditorType }> {
  return TYPES.some((type) => type === message.type);
}
