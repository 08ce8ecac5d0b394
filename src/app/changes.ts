import type { LogEvent } from '../runtime/events.ts';
import { changedFiles, madeChanges, type ChangedFile } from '../runtime/turn-changes.ts';
import type { ChangeFact } from '../runtime/turn-evidence.ts';
import type { Blobs } from '../storage/blobs.ts';
import { cleanText } from '../tools/command-output.ts';
import { sha256 } from '../tools/file-replacement.ts';
import type { WorkspaceToolBox } from '../tools/tool-box.ts';
import type { ToolFaultKind } from '../tools/tool-faults.ts';
import type { OpenedSession } from './open-session.ts';
import { sentAttachment, type SentAttachment } from './sent-attachment.ts';
import { readTurn, type TurnLog } from './turn-log.ts';

/** Both sides of a change, for a diff editor; or why they cannot be shown. */
export type ShownChange =
  | {
      readonly kind: 'shown';
      readonly path: string;
      readonly before: string;
      readonly after: string;
      /** What is shown was not made yet; or it was, and the file is what it made, or something else by now. */
      readonly standing: 'proposed' | 'made' | 'undone' | 'changed_since';
    }
  | { readonly kind: 'refused'; readonly message: string };

export interface ChangeRequest {
  readonly turn_id: string;
  readonly call_id?: string | undefined;
  readonly path?: string | undefined;
  /** Of what a child asks: then the call is one of the child's last turn. */
  readonly target_id?: string | undefined;
}

export interface ReadingPorts {
  readonly opened: () => Promise<OpenedSession>;
  readonly tools: () => Promise<WorkspaceToolBox>;
  readonly blobs: Blobs;
  /** The session of the child that asks so; null where none does. */
  readonly asking?: (targetId: string) => OpenedSession | null;
}

/** What a session changed and what its calls gave, as far as the log and the storage have it. Changes nothing. */
export class ChangeReading {
  constructor(private readonly ports: ReadingPorts) {}

  /** The change that a call proposes or made, all that a turn did to a file, or to all of them. */
  async shown(request: ChangeRequest): Promise<readonly ShownChange[]> {
    const { blobs, asking } = this.ports;
    const means = { tools: await this.ports.tools(), blobs };
    const { target_id } = request;
    if (target_id === undefined) return shownChanges(await this.ports.opened(), request, means);
    const child = asking?.(target_id) ?? null;
    const turn_id = child?.state.turn?.turn_id;
    return child === null || turn_id === undefined
      ? [refused('This is not asked any more.')]
      : shownChanges(child, { ...request, turn_id }, means);
  }

  /** All that a call gave, where a presenter has only a part. */
  async output(request: { readonly turn_id: string; readonly call_id: string }): Promise<WholeOutput> {
    return wholeOutput(await this.ports.opened(), request, this.ports.blobs);
  }

  /** What went with the message of a turn. */
  async attachment(request: { readonly turn_id: string; readonly index: number }): Promise<SentAttachment> {
    return sentAttachment(await this.ports.opened(), request, this.ports.blobs);
  }

  /** The files of a turn with a change that can be taken back; none when there is no such turn. */
  async undoable(turnId: string): Promise<readonly ChangedFile[]> {
    const log = await readTurn(await this.ports.opened(), turnId);
    const files = log === null ? [] : changedFiles(log.evidence.changes);
    return files.filter(({ standing }) => standing !== 'undone');
  }
}

interface ChangePorts {
  readonly tools: WorkspaceToolBox;
  readonly blobs: Blobs;
}

async function shownChanges(
  opened: OpenedSession,
  { turn_id, call_id, path }: ChangeRequest,
  ports: ChangePorts,
): Promise<readonly ShownChange[]> {
  const log = await readTurn(opened, turn_id);
  if (log === null) return [refused('This session has no such turn.')];
  const { changes } = log.evidence;
  if (call_id !== undefined) {
    const made = changes.filter((one) => one.call_id === call_id && one.undo_of.length === 0);
    return [made.length === 0 ? await proposed(log, call_id, ports) : await recorded(log, made, ports)];
  }
  const paths = path === undefined ? changedFiles(changes).map((file) => file.path) : [path];
  const shown: ShownChange[] = [];
  for (const one of paths) shown.push(await recorded(log, madeChanges(changes, one), ports));
  return shown.length === 0 ? [refused('This turn changed no file.')] : shown;
}

function refused(message: string): ShownChange {
  return { kind: 'refused', message };
}

async function proposed(log: TurnLog, call_id: string, { tools }: ChangePorts): Promise<ShownChange> {
  const call = callOf(log, call_id);
  if (call === null) return refused('This turn has no such call.');
  if (resultOf(log, call_id) !== null) return refused('This call changed no file.');
  const prepared = tools.prepare(call);
  if (!prepared.ok) return refused(prepared.error.message);
  const change = await tools.changeOf(prepared.call, new AbortController().signal);
  if (change === undefined) return refused('This call changes no file.');
  if (!change.ok) return refused(change.error.message);
  const { path, before, after } = change.value;
  return { kind: 'shown', path, before: before ?? '', after, standing: 'proposed' };
}

/** Of several changes to one file: before the first and after the last. */
async function recorded(log: TurnLog, made: readonly ChangeFact[], ports: ChangePorts): Promise<ShownChange> {
  const first = made[0];
  const last = made.at(-1);
  if (first === undefined || last === undefined) return refused('This turn did not change that file.');
  const { path } = last;
  const now = await ports.tools.contentOf(path, new AbortController().signal);
  if (!now.ok && FORBIDDEN.has(now.error.kind)) return refused(now.error.message);
  const current = now.ok ? (now.value ?? NOTHING) : null;
  const before = await contentBefore(first, ports);
  if (before === null) return refused(`The content of ${path} before the change is no longer in storage.`);
  const after = await contentAfter(log, last, current, ports);
  if (after === null)
    return refused(
      `${path} was changed since, and its content right after the change is not known any more.`,
    );
  if (before.includes(0) || after.includes(0))
    return refused(`${path} is not text, so there is no diff of it.`);
  return {
    kind: 'shown',
    path,
    before: before.toString('utf8'),
    after: after.toString('utf8'),
    standing: standingOf(log, last, current),
  };
}

/** What a tool may not read is not shown either, whatever the log has of it. */
const FORBIDDEN: ReadonlySet<ToolFaultKind> = new Set(['denied_path', 'invalid_path', 'outside_workspace']);
const NOTHING = Buffer.alloc(0);

function standingOf(
  log: TurnLog,
  { path, after_sha256 }: ChangeFact,
  current: Buffer | null,
): 'made' | 'undone' | 'changed_since' {
  const file = changedFiles(log.evidence.changes).find((one) => one.path === path);
  if (file?.standing === 'undone') return 'undone';
  return current !== null && has(current, after_sha256) ? 'made' : 'changed_since';
}

/** A file that is not there has no hash and no bytes. */
function has(content: Buffer, hash: string | null): boolean {
  return hash === null ? content === NOTHING : content !== NOTHING && sha256(content) === hash;
}

async function contentBefore(change: ChangeFact, { blobs }: ChangePorts): Promise<Buffer | null> {
  if (change.before_sha256 === null) return NOTHING;
  const bytes = await blobs.get(change.before_blob ?? change.before_sha256);
  return bytes === null ? null : Buffer.from(bytes);
}

/** In the file itself, kept because a later change started from it, or worked out again: always by its hash. */
async function contentAfter(
  log: TurnLog,
  change: ChangeFact,
  current: Buffer | null,
  ports: ChangePorts,
): Promise<Buffer | null> {
  const { after_sha256 } = change;
  if (after_sha256 === null) return NOTHING;
  if (current !== null && has(current, after_sha256)) return current;
  const kept = await ports.blobs.get(after_sha256);
  if (kept !== null) return Buffer.from(kept);
  const again = await workedOut(log, change, ports);
  return again !== null && sha256(again) === after_sha256 ? again : null;
}

async function workedOut(log: TurnLog, change: ChangeFact, ports: ChangePorts): Promise<Buffer | null> {
  const call = callOf(log, change.call_id);
  const prepared = call === null ? null : ports.tools.prepare(call);
  if (prepared === null || !prepared.ok) return null;
  const before = await contentBefore(change, ports);
  if (before === null) return null;
  const made = ports.tools.outcomeOn(prepared.call, change.before_sha256 === null ? undefined : before);
  return made?.ok === true ? made.value : null;
}

export type WholeOutput =
  | { readonly kind: 'shown'; readonly name: string; readonly text: string }
  | { readonly kind: 'refused'; readonly message: string };

async function wholeOutput(
  opened: OpenedSession,
  { turn_id, call_id }: { readonly turn_id: string; readonly call_id: string },
  blobs: Blobs,
): Promise<WholeOutput> {
  const log = await readTurn(opened, turn_id);
  const result = log === null ? null : resultOf(log, call_id);
  if (log === null || result === null)
    return { kind: 'refused', message: 'The log has no output of this call.' };
  const name = callOf(log, call_id)?.name ?? 'output';
  const { output = '', error, blob } = result;
  const kept = blob === undefined ? null : await blobs.get(blob);
  if (blob !== undefined && kept === null && output === '')
    return { kind: 'refused', message: 'The output of this call is no longer in storage.' };
  const whole = kept === null ? output : cleanText(Buffer.from(kept).toString('utf8'));
  const head = error === undefined ? [] : [`${error.kind}: ${error.message}`];
  return { kind: 'shown', name, text: [...head, whole].filter((part) => part !== '').join('\n') };
}

function callOf({ own }: TurnLog, call_id: string): { call_id: string; name: string; args: string } | null {
  const found = own.find((event) => event.type === 'tool_call' && event.data.call_id === call_id);
  return found?.type === 'tool_call' ? found.data : null;
}

function resultOf(
  { own }: TurnLog,
  call_id: string,
): Extract<LogEvent, { type: 'tool_result' }>['data'] | null {
  const found = own.find((event) => event.type === 'tool_result' && event.data.call_id === call_id);
  return found?.type === 'tool_result' ? found.data : null;
}
