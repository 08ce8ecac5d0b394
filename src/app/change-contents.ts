import type { LogEvent } from '../runtime/events.ts';
import type { ChangeFact } from '../runtime/turn-evidence.ts';
import type { Blobs } from '../storage/blobs.ts';
import { sha256 } from '../tools/file-replacement.ts';
import type { WorkspaceToolBox } from '../tools/tool-box.ts';
import type { TurnLog } from './turn-log.ts';

/** The bytes of a file before and after a recorded change, as far as they can be had. Changes nothing. */

export interface ChangePorts {
  readonly tools: WorkspaceToolBox;
  readonly blobs: Blobs;
}

/** A file that is not there has no hash and no bytes. */
export const NOTHING = Buffer.alloc(0);

export function hasHash(content: Buffer, hash: string | null): boolean {
  return hash === null ? content === NOTHING : content !== NOTHING && sha256(content) === hash;
}

export async function contentBefore(
  change: Pick<ChangeFact, 'before_sha256' | 'before_blob'>,
  { blobs }: Pick<ChangePorts, 'blobs'>,
): Promise<Buffer | null> {
  if (change.before_sha256 === null) return NOTHING;
  const bytes = await blobs.get(change.before_blob ?? change.before_sha256);
  return bytes === null ? null : Buffer.from(bytes);
}

/** In the file itself, kept because a later change started from it, or worked out again: always by its hash. */
export async function contentAfter(
  log: TurnLog,
  change: ChangeFact,
  current: Buffer | null,
  ports: ChangePorts,
): Promise<Buffer | null> {
  const { after_sha256 } = change;
  if (after_sha256 === null) return NOTHING;
  if (current !== null && hasHash(current, after_sha256)) return current;
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

export function callOf(
  { own }: TurnLog,
  call_id: string,
): { call_id: string; name: string; args: string } | null {
  const found = own.find((event) => event.type === 'tool_call' && event.data.call_id === call_id);
  return found?.type === 'tool_call' ? found.data : null;
}

export function resultOf(
  { own }: TurnLog,
  call_id: string,
): Extract<LogEvent, { type: 'tool_result' }>['data'] | null {
  const found = own.find((event) => event.type === 'tool_result' && event.data.call_id === call_id);
  return found?.type === 'tool_result' ? found.data : null;
}
