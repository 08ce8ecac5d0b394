import { imageFacts, imageFault } from '../presenter/image-facts.ts';
import type { PermissionRules } from '../runtime/extensions/permissions.ts';
import type { Attachment, NextAction, PermissionMode } from '../runtime/events.ts';
import { denialOf } from '../runtime/permissions/denied-paths.ts';
import { permissionFor } from '../runtime/permissions/permission.ts';
import type { ToolBox } from '../runtime/ports.ts';
import { headOf } from '../runtime/text-size.ts';
import { readWhole } from '../tools/opened-files.ts';
import { pathsOf } from '../tools/path-syntax.ts';
import { formatBytes, sniff } from '../tools/text-encoding.ts';
import { resolvePath, type Workspace, type WorkspacePath } from '../tools/workspace-paths.ts';
import { askedLines } from './asked-lines.ts';
import { withText } from './attached-text.ts';
import { ATTACHMENT_LIMITS } from './attachment-limits.ts';
import type { EditorSource } from './conversation-options.ts';
import { nodeHasher } from './node-ports.ts';
import { problemsText } from './problems-text.ts';

export interface AttachmentPorts {
  readonly workspace: Workspace;
  readonly editor: EditorSource | null;
  readonly tools: ToolBox;
  readonly rules: PermissionRules;
  readonly mode: PermissionMode;
  readonly signal: AbortSignal;
}

type Refusal = { readonly ok: false; readonly code: string } & Refused;

export type Resolved<T> = { readonly ok: true; readonly value: T } | Refusal;

interface Refused {
  /** What is wrong with it, for those who ask before anything is sent. */
  readonly why: string;
  /** The same, for those who sent it. */
  readonly message: string;
  readonly next_actions?: readonly NextAction[];
  /** What kept it from being read. */
  readonly because?: string;
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
  const { count } = ATTACHMENT_LIMITS;
  if (given.length > count) return tooMuch('too_many', `At most ${count} attachments fit into a message.`);
  const found: Attachment[] = [];
  for (const attachment of given) {
    const one = await resolveAttachment(attachment, ports);
    if (!one.ok) return one;
    found.push(one.value);
  }
  return exceeded(found) ?? { ok: true, value: found };
}

/** Pure: what all of them together have too much of; null where they fit. */
export function exceeded(found: readonly Attachment[]): Refusal | null {
  const { images, imagesBytes, totalBytes } = ATTACHMENT_LIMITS;
  const pictures = found.filter(({ kind }) => kind === 'image');
  if (pictures.length > images) return tooMuch('too_many', `At most ${images} images fit into a message.`);
  const pixels = pictures.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  if (pixels > imagesBytes)
    return tooMuch('too_large', `The images have ${formatBytes(pixels)}; ${formatBytes(imagesBytes)} fit.`);
  const total = found.reduce(
    (sum, { text = '', label = '', path = '' }) => sum + Buffer.byteLength(`${text}${label}${path}`),
    0,
  );
  if (total <= totalBytes) return null;
  const why = `The attachments have ${formatBytes(total)} of text; ${formatBytes(totalBytes)} fit.`;
  return tooMuch('too_large', why);
}

/** It stays with the draft: who sends that again has to know what is in the way. */
function refused(code: string, why: string, next_actions: readonly NextAction[] = []): Refusal {
  const message = `${why} Nothing was sent: remove the attachment and send again.`;
  return { ok: false, code: `attachment_${code}`, why, message, next_actions };
}

function tooMuch(code: string, why: string): Refusal {
  return {
    ok: false,
    code: `attachment_${code}`,
    why,
    message: `${why} Nothing was sent: remove some and send again.`,
  };
}

/** What one of them would carry. */
export async function resolveAttachment(
  given: Attachment,
  ports: AttachmentPorts,
): Promise<Resolved<Attachment>> {
  const found = await resolved(given, ports);
  // What is an image by its name alone would be listed and looked for as one ever after.
  return found.ok && found.value.kind === 'image' && found.value.data === undefined
    ? imageOf(found.value, Buffer.alloc(0))
    : found;
}

async function resolved(given: Attachment, ports: AttachmentPorts): Promise<Resolved<Attachment>> {
  const { text, data, ...attachment } = withoutClaims(given);
  const { kind, path, start_line } = attachment;
  if (data !== undefined) return imageOf(attachment, Buffer.from(data, 'base64'));
  if (text !== undefined && start_line === undefined) return asGiven(attachment, text, ports);
  if (kind === 'problems') return problemsOf(attachment, ports);
  if (path !== undefined) return fromWorkspace(attachment, path, ports);
  return refused('unknown', `${nameOf(attachment)} says neither what it is nor where it is.`);
}

/** A presenter names things. What is known of them, such as a hash, is found out here or not said. */
function withoutClaims({ kind, label, path, start_line, end_line, text, data }: Attachment): Attachment {
  return {
    kind,
    ...(label === undefined ? {} : { label: headOf(label, ATTACHMENT_LIMITS.labelChars) }),
    ...(path === undefined ? {} : { path }),
    ...(start_line === undefined ? {} : { start_line }),
    ...(end_line === undefined ? {} : { end_line }),
    ...(text === undefined ? {} : { text }),
    ...(data === undefined ? {} : { data }),
  };
}

/** Text that a presenter gives is its own words, but not those of a file that tools may not read. */
function asGiven(attachment: Attachment, text: string, ports: AttachmentPorts): Resolved<Attachment> {
  const { path } = attachment;
  const value = withText(attachment, { text });
  if (path === undefined) return { ok: true, value };
  // Also where no folder is a workspace, or none is trusted.
  const named = denialOf(path.split(/[\\/]/)) !== undefined;
  const found = resolvePath(ports.workspace, path);
  if (named || (!found.ok && found.error.kind === 'denied_path'))
    return refused('denied', notAttached(nameOf(attachment)));
  const subject = found.ok ? found.value.display : path;
  return deniedByRule('read_file', subject, ports) ?? { ok: true, value };
}

function deniedByRule(
  tool: 'read_file' | 'list_files',
  subject: string,
  { mode, rules }: AttachmentPorts,
): Refusal | null {
  const permission = permissionFor({ name: tool, effect: 'read', subject }, { mode, ...rules() });
  if (permission.decision !== 'deny') return null;
  const isSet = rules().rules.deny.some(({ text }) => text === permission.rule);
  const why = `A rule keeps ${subject} from being read (${permission.rule}).`;
  return refused('denied', why, isSet ? [RULE_SETTINGS] : []);
}

function nameOf({ label, path, kind }: Attachment): string {
  return label ?? path ?? kind;
}

function imageOf(attachment: Attachment, bytes: Buffer): Resolved<Attachment> {
  const facts = imageFacts(bytes);
  const name = nameOf(attachment);
  if (facts === null) return refused('not_an_image', `${name} is no PNG, JPEG, GIF or WebP image.`);
  if (bytes.length > ATTACHMENT_LIMITS.imageBytes) {
    const limit = formatBytes(ATTACHMENT_LIMITS.imageBytes);
    return refused('too_large', `${name} has ${formatBytes(bytes.length)}; an image may have ${limit}.`);
  }
  const fault = imageFault(facts, name);
  if (fault !== null) return refused(facts.animated ? 'animated' : 'damaged', fault);
  const { mime, size } = facts;
  const evidence = { sha256: nodeHasher.sha256(bytes), bytes: bytes.length, ...size };
  return {
    ok: true,
    value: { ...attachment, kind: 'image', mime, data: bytes.toString('base64'), ...evidence },
  };
}

function problemsOf(attachment: Attachment, ports: AttachmentPorts): Resolved<Attachment> {
  const { editor, workspace } = ports;
  if (editor === null) return refused('not_available', 'Problems come from an editor, and here is none.');
  const { text, shown, told } = problemsText(editor.problems(), (path) => {
    const found = resolvePath(workspace, path);
    // What a rule keeps from being read is not told by its problems either: they quote it.
    if (!found.ok || deniedByRule('read_file', found.value.display, ports) !== null) return null;
    return found.value.display;
  });
  const label = `Problems (${shown})`;
  return { ok: true, value: withText({ ...attachment, label }, { text, cut: shown > told }) };
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
  const denied = deniedByRule(tool, display, ports);
  if (denied !== null) return denied;
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
  if (outcome.kind === 'success') {
    const { output: text, truncated: cut = false } = outcome;
    return { ok: true, value: withText(attachment, { text, cut }) };
  }
  const { kind, message } = outcome.kind === 'failure' ? outcome.error : { kind: '', message: '' };
  return { ...refused('unreadable', `${path} could not be listed. ${message}`), because: kind };
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
    const refusal = refused('unreadable', sentence(path.display, read.error));
    return { ...refusal, because: read.error.kind };
  }
  const { bytes } = read.value;
  if (imageFacts(bytes) !== null) return imageOf(attachment, bytes);
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
  const empty = whole === '' ? '[The file is empty.]' : '';
  const note = `${unsaved ? '[As it stands in the editor, with changes that are not saved.]\n' : ''}${ends}${empty}`;
  const value = withText(named, { text, whole: bytes, note });
  return { ok: true, value: { ...value, ...(unsaved ? { unsaved } : {}) } };
}

/** For the person: what tools say of a path is meant for the model. */
function sentence(path: string, { kind, message }: { kind: string; message: string }): string {
  switch (kind) {
    case 'denied_path':
      return notAttached(path);
    case 'outside_workspace':
      return `${path} is outside the workspace, so it is not attached.`;
    case 'not_found':
      return `${path} does not exist any more.`;
    case 'too_large':
      return `${path} is too large: a file may have ${formatBytes(ATTACHMENT_LIMITS.fileBytes)}. Name it in your message instead: tools read parts of it.`;
    default:
      return message;
  }
}

function notAttached(path: string): string {
  return `${path} may hold secrets or belongs to version control, so it is not attached.`;
}
