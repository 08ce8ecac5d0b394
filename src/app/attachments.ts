import type { PermissionRules } from '../runtime/extensions/permissions.ts';
import type { Attachment, NextAction, PermissionMode } from '../runtime/events.ts';
import { imageType } from '../presenter/image-type.ts';
import { denialOf } from '../runtime/permissions/denied-paths.ts';
import { permissionFor } from '../runtime/permissions/permission.ts';
import type { ToolBox } from '../runtime/ports.ts';
import { cutToBytes } from '../tools/line-window.ts';
import { readWhole } from '../tools/opened-files.ts';
import { pathsOf } from '../tools/path-syntax.ts';
import { formatBytes, sniff } from '../tools/text-encoding.ts';
import { resolvePath, type Workspace, type WorkspacePath } from '../tools/workspace-paths.ts';
import { askedLines } from './asked-lines.ts';
import type { EditorSource } from './conversation-options.ts';
import { nodeHasher } from './node-ports.ts';
import { problemsText } from './problems-text.ts';

export const ATTACHMENT_LIMITS = {
  count: 20,
  images: 10,
  imageBytes: 5 * 1024 * 1024,
  /** Of one file; a longer one is cut, and says so. */
  textBytes: 128 * 1024,
  /** Of all texts of one message. */
  totalBytes: 512 * 1024,
  /** A file that is larger is not read at all. */
  fileBytes: 8 * 1024 * 1024,
} as const;

export interface AttachmentPorts {
  readonly workspace: Workspace;
  readonly editor: EditorSource | null;
  readonly tools: ToolBox;
  readonly rules: PermissionRules;
  readonly mode: PermissionMode;
  readonly signal: AbortSignal;
}

export type Resolved<T> =
  | { readonly ok: true; readonly value: T }
  | ({ readonly ok: false; readonly code: string } & Refused);

interface Refused {
  readonly message: string;
  readonly next_actions?: readonly NextAction[];
}

const RULE_SETTINGS: NextAction = {
  label: 'Open settings',
  command: 'workbench.action.openSettings',
  args: ['ledgerline.permissions'],
};

/**
 * What a message really carries: references are looked up, under the rules that hold for tools. One that
 * cannot be had refuses the whole message, so that nobody is answered about less than was sent.
 */
export async function resolveAttachments(
  given: readonly Attachment[],
  ports: AttachmentPorts,
): Promise<Resolved<readonly Attachment[]>> {
  const { count, images, totalBytes } = ATTACHMENT_LIMITS;
  if (given.length > count) return refused('too_many', `At most ${count} attachments fit into a message.`);
  const found: Attachment[] = [];
  for (const attachment of given) {
    const one = await resolved(attachment, ports);
    if (!one.ok) return one;
    found.push(one.value);
  }
  if (found.filter(({ kind }) => kind === 'image').length > images)
    return refused('too_many', `At most ${images} images fit into a message.`);
  const total = found.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ''), 0);
  return total > totalBytes
    ? refused(
        'too_large',
        `The attachments have ${formatBytes(total)} of text; ${formatBytes(totalBytes)} fit.`,
      )
    : { ok: true, value: found };
}

function refused(
  code: string,
  message: string,
  next_actions: readonly NextAction[] = [],
): { readonly ok: false; readonly code: string } & Refused {
  return { ok: false, code: `attachment_${code}`, message: `${message} Nothing was sent.`, next_actions };
}

async function resolved(attachment: Attachment, ports: AttachmentPorts): Promise<Resolved<Attachment>> {
  const { kind, path, text, data, start_line } = attachment;
  if (data !== undefined) return imageOf(attachment, Buffer.from(data, 'base64'));
  if (text !== undefined && start_line === undefined) return asGiven(attachment, ports.workspace);
  if (kind === 'problems') return problemsOf(attachment, ports);
  if (path !== undefined) return fromWorkspace(attachment, path, ports);
  return refused('unknown', `${nameOf(attachment)} says neither what it is nor where it is.`);
}

/** Text that a presenter gives is its own words, but not those of a file that holds secrets. */
function asGiven(attachment: Attachment, workspace: Workspace): Resolved<Attachment> {
  const { path } = attachment;
  if (path === undefined) return { ok: true, value: attachment };
  // Also where no folder is a workspace, or none is trusted.
  if (denialOf(path.split(/[\\/]/)) !== undefined) return refused('denied', denied(nameOf(attachment)));
  const found = resolvePath(workspace, path);
  return found.ok || found.error.kind !== 'denied_path'
    ? { ok: true, value: attachment }
    : refused('denied', sentence(nameOf(attachment), found.error));
}

function nameOf({ label, path, kind }: Attachment): string {
  return label ?? path ?? kind;
}

function imageOf(attachment: Attachment, bytes: Buffer): Resolved<Attachment> {
  const mime = imageType(bytes);
  const name = nameOf(attachment);
  if (mime === null) return refused('not_an_image', `${name} is no PNG, JPEG, GIF or WebP image.`);
  if (bytes.length > ATTACHMENT_LIMITS.imageBytes) {
    const limit = formatBytes(ATTACHMENT_LIMITS.imageBytes);
    return refused('too_large', `${name} has ${formatBytes(bytes.length)}; an image may have ${limit}.`);
  }
  const evidence = { sha256: nodeHasher.sha256(bytes), bytes: bytes.length };
  return {
    ok: true,
    value: { ...attachment, kind: 'image', mime, data: bytes.toString('base64'), ...evidence },
  };
}

function problemsOf(attachment: Attachment, { editor, workspace }: AttachmentPorts): Resolved<Attachment> {
  if (editor === null) return refused('not_available', 'Problems come from an editor, and here is none.');
  const { text, shown } = problemsText(editor.problems(), (path) => {
    const found = resolvePath(workspace, path);
    return found.ok ? found.value.display : null;
  });
  return { ok: true, value: withText({ ...attachment, label: `Problems (${shown})` }, text) };
}

async function fromWorkspace(
  attachment: Attachment,
  path: string,
  ports: AttachmentPorts,
): Promise<Resolved<Attachment>> {
  const found = resolvePath(ports.workspace, path);
  if (!found.ok) return refused('denied', sentence(nameOf(attachment), found.error));
  const { display } = found.value;
  const tool = attachment.kind === 'folder' ? 'list_files' : 'read_file';
  const { mode, rules } = ports;
  const permission = permissionFor({ name: tool, effect: 'read', subject: display }, { mode, ...rules() });
  if (permission.decision === 'deny') {
    const isSet = rules().rules.deny.some(({ text }) => text === permission.rule);
    const why = `A rule keeps ${display} from being read (${permission.rule}).`;
    return refused('denied', why, isSet ? [RULE_SETTINGS] : []);
  }
  const named = { ...attachment, path: display };
  return attachment.kind === 'folder' ? folderOf(named, display, ports) : fileOf(named, found.value, ports);
}

async function folderOf(
  attachment: Attachment,
  path: string,
  { tools, signal }: AttachmentPorts,
): Promise<Resolved<Attachment>> {
  const args = JSON.stringify({ path, glob: null });
  const prepared = tools.prepare({ call_id: 'attachment', name: 'list_files', args });
  if (!prepared.ok) return refused('denied', sentence(path, prepared.error));
  const outcome = await tools.run(prepared.call, {
    signal,
    progress: () => undefined,
    started: async () => undefined,
  });
  if (outcome.kind === 'success') return { ok: true, value: withText(attachment, outcome.output) };
  const why = outcome.kind === 'failure' ? outcome.error.message : '';
  return refused('unreadable', `${path} could not be listed. ${why}`);
}

async function fileOf(
  attachment: Attachment,
  path: WorkspacePath,
  ports: AttachmentPorts,
): Promise<Resolved<Attachment>> {
  const { platform } = ports.workspace;
  const asOpened = pathsOf(platform).join(path.root.path, ...path.segments);
  const unsaved = ports.editor?.unsaved([path.real, asOpened]) ?? null;
  if (unsaved !== null) return textOf(attachment, Buffer.from(unsaved), unsaved, true);
  const read = await readWhole(path, {
    platform,
    limit: ATTACHMENT_LIMITS.fileBytes,
    signal: ports.signal,
  });
  if (!read.ok) {
    if (read.error.kind === 'is_directory')
      return folderOf({ ...attachment, kind: 'folder' }, path.display, ports);
    return refused('unreadable', sentence(path.display, read.error));
  }
  const { bytes } = read.value;
  if (imageType(bytes) !== null) return imageOf(attachment, bytes);
  const sniffed = sniff(bytes.subarray(0, SNIFF_BYTES));
  if (sniffed.kind === 'binary')
    return refused('not_text', `${path.display} is not text (${sniffed.what}), so it cannot be attached.`);
  return textOf(attachment, bytes, new TextDecoder(sniffed.encoding).decode(bytes), false);
}

const SNIFF_BYTES = 8 * 1024;

function textOf(
  attachment: Attachment,
  bytes: Uint8Array,
  whole: string,
  unsaved: boolean,
): Resolved<Attachment> {
  const asked = askedLines(attachment, whole);
  if (asked.kind === 'none') return refused('no_such_line', asked.message);
  const { end_line, text, ends } = asked;
  const named = end_line === undefined ? attachment : { ...attachment, end_line };
  const note = `${unsaved ? '[As it stands in the editor, with changes that are not saved.]\n' : ''}${ends}`;
  const evidence = { sha256: nodeHasher.sha256(bytes), bytes: bytes.length };
  return {
    ok: true,
    value: { ...withText(named, text, note), ...evidence, ...(unsaved ? { unsaved } : {}) },
  };
}

/** Bounded, with the hash of all of it. Whatever is left out is said in the text itself. */
function withText(attachment: Attachment, text: string, note = ''): Attachment {
  const { textBytes } = ATTACHMENT_LIMITS;
  const bytes = Buffer.byteLength(text);
  const evidence = { sha256: nodeHasher.sha256(text), bytes };
  if (bytes <= textBytes) return { ...attachment, text: `${note}${text}`, ...evidence };
  const cut = `[Only the first ${formatBytes(textBytes)} of ${formatBytes(bytes)} are attached.]\n`;
  return { ...attachment, text: `${note}${cut}${cutToBytes(text, textBytes)}`, ...evidence, truncated: true };
}

/** For the person: what tools say of a path is meant for the model. */
function sentence(path: string, { kind, message }: { kind: string; message: string }): string {
  switch (kind) {
    case 'denied_path':
      return denied(path);
    case 'outside_workspace':
      return `${path} is outside the workspace, so it is not attached.`;
    case 'not_found':
      return `${path} does not exist any more.`;
    case 'too_large':
      return `${path} is too large: a file may have ${formatBytes(ATTACHMENT_LIMITS.fileBytes)}.`;
    default:
      return message;
  }
}

function denied(path: string): string {
  return `${path} may hold secrets or belongs to version control, so it is not attached.`;
}
