import type { Access } from '../presenter/protocol.ts';
import type { LeaseRecord } from '../storage/lease-holder.ts';
import type { Damage } from '../storage/log-scan.ts';

/** Why a session can only be looked at, in words, and what to do about it. */

export type ReadOnly = Extract<Access, { kind: 'read_only' }>;

const OPEN_AGAIN = { label: 'Open again', command: 'ledgerline.reopenSession' };
const OPEN_ANOTHER = { label: 'Open session', command: 'ledgerline.openSession' };
const NEW_SESSION = { label: 'New session', command: 'ledgerline.newSession' };
const SHOW_OUTPUT = { label: 'Show output', command: 'ledgerline.showOutput' };

export function damagedAccess(id: string, damage: readonly Damage[]): ReadOnly {
  const [first] = damage;
  const place = { session_id: id, line: first?.line ?? 1 };
  return {
    kind: 'read_only',
    reason: 'damaged',
    message: `Line ${first?.line ?? 0} of the log is damaged (${first?.reason ?? 'unknown'}). The session is readable; nothing was changed.`,
    next_actions: [
      { label: 'Export', command: 'ledgerline.exportSession', args: [id] },
      { label: 'Fork from the last good event', command: 'ledgerline.fork', args: [id] },
      { label: 'Open log', command: 'ledgerline.openLog', args: [place] },
    ],
  };
}

export function heldAccess(id: string, by: LeaseRecord | null, parent: string | null): ReadOnly {
  return {
    kind: 'read_only',
    reason: 'held',
    message: `This session is open in another window${describe(by)}. You see it live, but cannot send.`,
    next_actions: [
      { label: 'Take over', command: 'ledgerline.takeOver', args: [id] },
      ...(parent === null ? [] : [toParent(parent)]),
    ],
  };
}

/** A child that this window runs for another session: it cannot be taken over, and is writable once it is done. */
export function atWorkAccess(parent: string): ReadOnly {
  return {
    kind: 'read_only',
    reason: 'held',
    message: 'This agent is working for another session. What it asks is decided there.',
    next_actions: [toParent(parent)],
  };
}

function toParent(parent: string): ReadOnly['next_actions'][number] {
  return { label: 'Open parent session', command: 'ledgerline.openSession', args: [parent] };
}

function describe(record: LeaseRecord | null): string {
  if (record === null) return '';
  // Behind the name of the machine is that of the space its processes are counted in.
  const [machine = ''] = record.host.split('/');
  return machine === '' ? ` (process ${record.pid})` : ` (process ${record.pid} on ${machine})`;
}

/** The log can be read, but the disk lets nobody write here. */
export const DENIED: ReadOnly = {
  kind: 'read_only',
  reason: 'failed',
  message:
    'This session can be read here, but its log or its folder is write-protected, so nothing can be sent. Check the permissions, then open the session again.',
  next_actions: [OPEN_AGAIN, NEW_SESSION, SHOW_OUTPUT],
};

export const OUT_OF_SIGHT: ReadOnly = {
  kind: 'read_only',
  reason: 'failed',
  message: 'This session is open in another window, and its log can no longer be read here.',
  next_actions: [OPEN_AGAIN],
};

export function deletedAccess(where: 'trash' | 'nowhere'): ReadOnly {
  const message =
    where === 'trash'
      ? 'This session was deleted: it is in the trash, from which it can be restored. What you see can be read, but nothing can be sent here.'
      : 'The log of this session is no longer in its place. What you see can be read, but nothing can be sent here.';
  return { kind: 'read_only', reason: 'deleted', message, next_actions: [NEW_SESSION] };
}

/** Nothing of it can be shown. */
export function unopenedAccess(title: string, why: string): ReadOnly {
  return {
    kind: 'read_only',
    reason: 'failed',
    message: `The session “${title}” could not be opened. ${why}`,
    next_actions: [OPEN_AGAIN, OPEN_ANOTHER, NEW_SESSION, SHOW_OUTPUT],
  };
}
