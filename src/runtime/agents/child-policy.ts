import type { AgentRole, ChildStatus } from '../agent-events.ts';
import type { PermissionMode } from '../events.ts';
import type { RunEnd } from '../run-end.ts';
import type { TurnState } from '../turn.ts';
import { unreachable } from '../unreachable.ts';

/** Pure: what children may do, and what becomes of them. */

export const ROLES = ['default', 'explorer', 'worker'] as const satisfies readonly AgentRole[];

export function isRole(text: string): text is AgentRole {
  return (ROLES as readonly string[]).includes(text);
}

const STRICTNESS = { read_only: 0, ask: 1, auto: 2 } as const satisfies Record<PermissionMode, number>;

/** A child never may what its parent may not; an explorer only looks. */
export function childMode(
  parent: PermissionMode,
  role: AgentRole,
  wanted: PermissionMode | null,
): PermissionMode {
  return stricter(stricter(parent, role === 'explorer' ? 'read_only' : parent), wanted ?? parent);
}

export function stricter(one: PermissionMode, other: PermissionMode): PermissionMode {
  return STRICTNESS[other] < STRICTNESS[one] ? other : one;
}

/** What kept the child from its work was the way to the model, and not the work. */
const TRANSPORT: ReadonlySet<string> = new Set([
  'connection',
  'server_error',
  'rate_limited',
  'stream_cut',
  'stream_idle',
]);

const MOST_ATTEMPTS = 3;

/** Whether a failed child begins anew: only one that changes nothing, so that nothing can happen twice. */
export function isTriedAgain(failed: {
  readonly mode: PermissionMode;
  readonly error_kind: string;
  readonly attempt: number;
}): boolean {
  return failed.mode === 'read_only' && TRANSPORT.has(failed.error_kind) && failed.attempt < MOST_ATTEMPTS;
}

export type FinalStatus = Exclude<ChildStatus, 'queued' | 'running'>;

/** What a child is by the state in which its own turn ended. */
export function statusOfTurn(state: Exclude<TurnState, 'running' | 'waiting'>): FinalStatus {
  switch (state) {
    case 'completed':
    case 'failed':
    case 'timed_out':
    case 'interrupted':
      return state;
    case 'partial_failed':
      return 'failed';
    default:
      return unreachable(state);
  }
}

/** Why somebody else ends a child, and as what. */
export interface Directive {
  readonly status: Extract<FinalStatus, 'cancelled' | 'closed' | 'timed_out' | 'detached'>;
  readonly reason: string;
}

/** What it means for the children of a child that others end. */
export function passedOn({ status, reason }: Directive): Directive {
  switch (status) {
    case 'cancelled':
    case 'detached':
      return { status, reason };
    case 'closed':
      return { status, reason: `The agent that it worked for was closed: ${reason}` };
    case 'timed_out':
      return { status: 'closed', reason: 'The agent that it worked for ran out of time.' };
    default:
      return unreachable(status);
  }
}

/** What the end of its parent's run means for a child that is still open. */
export function directiveOf(end: RunEnd): Directive {
  switch (end.kind) {
    case 'interrupted':
      switch (end.reason) {
        case 'user_cancelled':
          return { status: 'cancelled', reason: 'The person stopped the turn that it worked for.' };
        case 'superseded':
          return {
            status: 'cancelled',
            reason: 'A newer message took the place of the turn that it worked for.',
          };
        case 'disconnect':
          return {
            status: 'detached',
            reason: 'The window that ran it closed, reloaded or lost the session.',
          };
        default:
          return unreachable(end.reason);
      }
    case 'stopped':
      return { status: 'closed', reason: `The turn that it worked for was stopped (${end.code}).` };
    case 'error':
      return { status: 'closed', reason: `The turn that it worked for failed (${end.error_kind}).` };
    case 'natural_end':
    case 'plugin_requested':
      return { status: 'closed', reason: 'The turn that it worked for ended.' };
    default:
      return unreachable(end);
  }
}
