import { isMade } from '../runtime/change-facts.ts';
import type { Attachment, EventData } from '../runtime/events.ts';
import { changedFiles, madeChanges } from '../runtime/turn-changes.ts';
import type { ChangeFact } from '../runtime/turn-evidence.ts';
import type { Blobs } from '../storage/blobs.ts';
import { cleanText } from '../tools/command-output.ts';
import type { WorkspaceToolBox } from '../tools/tool-box.ts';
import type { ToolFaultKind } from '../tools/tool-faults.ts';
import {
  callOf,
  contentAfter,
  contentBefore,
  hasHash,
  NOTHING,
  resultOf,
  type ChangePorts,
} from './change-contents.ts';
import type { OpenedSession } from './open-session.ts';
import {
  recordedAttachment,
  sentAttachment,
  type AttachmentPlace,
  type SentAttachment,
} from './sent-attachment.ts';
import { sentSkill, type SentSkill } from './sent-skill.ts';
import { readTurn, type TurnLog } from './turn-log.ts';
import { mergeSides, type MergeSides } from './merge-sides.ts';
import { OF_PARENT } from './undo-refusals.ts';
import { undoPreview, type PreviewPorts, type UndoPreview, type UndoRequest } from './undo-preview.ts';

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
  readonly unsaved: PreviewPorts['unsaved'];
  /** The session of the child that asks so; null where none does. */
  readonly asking?: (targetId: string) => OpenedSession | null;
}

/** What a session changed and what its calls gave, as far as the log and the storage have it. Changes nothing. */
export class ChangeReading {
  constructor(private readonly ports: ReadingPorts) {}

  /** The change that a call proposes or made, all that a turn did to a file, or to all of them. */
  async shown(request: ChangeRequest): Promise<readonly ShownChange[]> {
    const { asking } = this.ports;
    const means = await this.means();
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

  /** What went with the message of a turn, or with what a call came back with. */
  async attachment(place: AttachmentPlace): Promise<SentAttachment> {
    return sentAttachment(await this.ports.opened(), place, this.ports.blobs);
  }

  async recorded(place: AttachmentPlace): Promise<Attachment | undefined> {
    return recordedAttachment(await this.ports.opened(), place);
  }

  /** A message as it was sent; null where the log has none there. */
  async prompt(seq: number): Promise<EventData['user_message'] | null> {
    const { events } = await (await this.ports.opened()).eventsBefore(seq + 1, (some) => some.length > 0);
    const found = events.find((event) => event.seq === seq);
    return found?.type === 'user_message' ? found.data : null;
  }

  /** What a turn was given of a skill. */
  async skill(request: { readonly turn_id: string; readonly seq: number }): Promise<SentSkill> {
    return sentSkill(await this.ports.opened(), request);
  }

  /** What an undo, or taking one back, would do. Null when there is no such turn. */
  async preview(request: UndoRequest): Promise<UndoPreview | null> {
    const log = await readTurn(await this.ports.opened(), request.turn_id);
    const { unsaved } = this.ports;
    return log === null ? null : undoPreview(log, request, { ...(await this.means()), unsaved });
  }

  /** What a merge of a file that has changed since is made of. */
  async mergeSides(request: UndoRequest & { readonly path: string }): Promise<MergeSides> {
    const log = await readTurn(await this.ports.opened(), request.turn_id);
    if (log === null) return { kind: 'refused', message: 'This session has no such turn.' };
    return mergeSides(log, request, await this.means());
  }

  private async means(): Promise<ChangePorts> {
    return { tools: await this.ports.tools(), blobs: this.ports.blobs };
  }
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
    const made = changes.filter((one) => one.call_id === call_id && isMade(one));
    return [made.length === 0 ? await proposed(log, call_id, ports) : await recorded(log, made, ports)];
  }
  const paths = path === undefined ? changedFiles(changes).map((file) => file.path) : [path];
  const shown: ShownChange[] = [];
  for (const one of paths) shown.push(await recorded(log, madeChanges(changes, one), ports));
  return shown.length === 0 ? [refused(log.inherited ? OF_PARENT : 'This turn changed no file.')] : shown;
}

function refused(message: string): ShownChange {
  return { kind: 'refused', message };
}

async function proposed(log: TurnLog, call_id: string, { tools }: ChangePorts): Promise<ShownChange> {
  const call = callOf(log, call_id);
  if (call === null) return refused('This turn has no such call.');
  if (resultOf(log, call_id) !== null)
    return refused(log.inherited ? OF_PARENT : 'This call changed no file.');
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

function standingOf(
  log: TurnLog,
  { path, after_sha256 }: ChangeFact,
  current: Buffer | null,
): 'made' | 'undone' | 'changed_since' {
  const file = changedFiles(log.evidence.changes).find((one) => one.path === path);
  if (file?.standing === 'undone') return 'undone';
  return current !== null && hasHash(current, after_sha256) ? 'made' : 'changed_since';
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
