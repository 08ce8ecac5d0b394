import type { Attachment, EventData, ToolError } from '../events.ts';
import { shortReference } from '../session-images.ts';
import type { CallOutput, ContentPart, InputItem } from './items.ts';

/**
 * Every word that Ledgerline itself puts into the input. Only our own fixed words carry the `developer`
 * role; checkpoints, summaries, notes and children's words are labelled `user` items, because they repeat
 * what others wrote. The bytes are part of the prompt contract and pinned by golden tests.
 */

export function developerItem(context: EventData['developer_context']): InputItem {
  // Values are quoted as JSON: a branch or folder name can hold any text, and must stay a value. So can a mode, in a log from
  // elsewhere.
  const mode = /^[a-z_]{1,20}$/u.test(context.permission_mode)
    ? context.permission_mode
    : JSON.stringify(context.permission_mode);
  const lines = [
    `Workspace root: ${context.workspace === null ? 'none (no folder is open)' : JSON.stringify(context.workspace)}`,
    `Branch: ${context.branch === null ? 'unknown' : JSON.stringify(context.branch)}`,
    `Permission mode: ${mode}`,
  ];
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text: lines.join('\n') }] };
}

export function userItem(text: string, attachments: readonly Attachment[]): InputItem {
  // A lone surrogate has no place in UTF-8: it would make every later request one that is refused.
  const content: ContentPart[] = [{ type: 'input_text', text: text.toWellFormed() }];
  for (const attachment of attachments) content.push(...attachmentParts(attachment));
  return { type: 'message', role: 'user', content };
}

function attachmentParts(attachment: Attachment): readonly ContentPart[] {
  const image = imagePart(attachment);
  if (image !== null) return [...imageLabel(attachment), image];
  const label = `[Attached ${plain(attachment.kind)}: ${plain(nameOf(attachment))}]`;
  return [{ type: 'input_text', text: `${label}\n${quoted((attachment.text ?? '').toWellFormed())}` }];
}

function imagePart({ kind, data, mime = 'image/png' }: Attachment): ContentPart | null {
  if (kind !== 'image' || data === undefined) return null;
  return { type: 'input_image', image_url: `data:${mime};base64,${data}`, detail: 'auto' };
}

/** What it is called, and the reference by which it can be looked at again. */
function imageLabel(attachment: Attachment): readonly ContentPart[] {
  const { sha256 } = attachment;
  if (sha256 === undefined) return [];
  const name = `${plain(nameOf(attachment))}, reference ${shortReference(plain(sha256))}`;
  return [{ type: 'input_text', text: `[Attached image: ${name}]` }];
}

function nameOf({ path, label, start_line, end_line }: Attachment): string {
  const name = path ?? label ?? 'unnamed';
  return start_line === undefined ? name : `${name}, lines ${start_line} to ${end_line ?? start_line}`;
}

/** A name cannot end its label, nor begin a line that looks like one of ours. */
function plain(name: string): string {
  return name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(']', ')');
}

function labelled(label: string, body: string): InputItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: `[${label}]\n${body}` }] };
}

export function interruptionText(note: Omit<EventData['interruption_note'], 'turn_id'>): string {
  const done = note.completed_calls.length === 0 ? 'none' : note.completed_calls.join(', ');
  const excerpt = note.excerpt === '' ? '(no text had arrived)' : note.excerpt;
  return `[Ledgerline note: the previous answer is unfinished]\nIt was interrupted (${note.reason}). Tool calls that had finished: ${done}. What had arrived, cut off and not an answer:\n${excerpt}`;
}

export function interruptionItem(note: EventData['interruption_note']): InputItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: interruptionText(note) }] };
}

export function skillItem(skill: EventData['skill_activation']): InputItem {
  const words = quoted(skill.content.toWellFormed());
  return labelled(`Ledgerline note: skill ${plain(skill.name)} is active for this turn`, words);
}

export function checkpointItem(checkpoint: EventData['history_compaction']): InputItem {
  const limits = checkpoint.limitations.map((line) => `- ${line}`).join('\n');
  return labelled(
    'Ledgerline history checkpoint (lossy)',
    `${checkpoint.summary}\n\nLimitations:\n${limits}`,
  );
}

export function branchItem(branch: EventData['branch_summary']): InputItem {
  const limits = branch.limitations.map((line) => `- ${line}`).join('\n');
  return labelled(
    'Ledgerline note: summary of the branch left behind',
    quoted(`${branch.summary}\n\nLimitations:\n${limits}`).toWellFormed(),
  );
}

export function subagentItem(event: EventData['subagent_event']): InputItem {
  return labelled(
    `Ledgerline note: subagent ${event.subagent_id} ended as ${event.status}`,
    quoted(event.summary ?? '(no summary)').toWellFormed(),
  );
}

/** Also where something that is not seen stands in front of it. */
const FORGED = /^(?=[\t\v\f\p{Zs}\p{Cf}]*\[[\s\p{Cf}]*(?:Ledgerline|Attached)\b)/gimu;

/** Words of others: none of their lines passes for one of our labels. */
function quoted(words: string): string {
  return words.replaceAll(FORGED, '> ');
}

export const PENDING_OUTPUT =
  '[Ledgerline placeholder] This call is still pending and has no result yet. Its real output will replace this text.';

/** What a call came back with. Images stand after the words. */
export function callOutput({ ok, output, error, attachments = [] }: EventData['tool_result']): CallOutput {
  const words = ok ? (output ?? '') : errorOutput(error, output);
  const images = attachments.flatMap((one) => imagePart(one) ?? []);
  return images.length === 0 ? words : [{ type: 'input_text', text: words }, ...images];
}

export function errorOutput(error: ToolError | undefined, output: string | undefined): string {
  const head = error === undefined ? 'Error: the call failed' : `Error (${error.kind}): ${error.message}`;
  return output === undefined || output === '' ? head : `${head}\n${output}`;
}
