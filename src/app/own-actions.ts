import { draft, type Attachment } from '../runtime/events.ts';
import type { Session } from '../runtime/session.ts';
import { targetOf, type OpenCall } from '../runtime/turn-calls.ts';
import { endRecorded } from '../tools/recorded-process.ts';
import { nodeIds } from './node-ports.ts';
import type { OpenedSession } from './open-session.ts';

/** Next actions that a conversation carries out by itself, in every presenter. */
export type OwnAction =
  | {
      readonly kind: 'send';
      readonly client_turn_id: string;
      readonly text: string;
      readonly attachments: Attachment[];
    }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'end_process'; readonly call: OpenCall }
  | { readonly kind: 'unknown_target' };

/** Null for what is not one of them. */
export function ownAction(command: string, args: unknown, opened: OpenedSession): OwnAction | null {
  switch (command) {
    case 'ledgerline.continueTurn':
      return { kind: 'send', client_turn_id: nodeIds.next('turn'), text: 'Continue.', attachments: [] };
    case 'ledgerline.retryTurn': {
      const prompt = opened.window.events.findLast((event) => event.type === 'user_message');
      if (prompt === undefined) return { kind: 'unknown_target' };
      const { text, attachments } = prompt.data;
      return { kind: 'send', client_turn_id: nodeIds.next('turn'), text, attachments: [...attachments] };
    }
    case 'ledgerline.reopenSession':
      return { kind: 'reopen' };
    case 'ledgerline.endProcess': {
      const { turn } = opened.state;
      const target = targetIn(args);
      const call = turn === null || target === null ? undefined : targetOf(turn, target);
      return call?.process ? { kind: 'end_process', call } : { kind: 'unknown_target' };
    }
    default:
      return null;
  }
}

function targetIn(args: unknown): string | null {
  const found: unknown = Array.isArray(args) ? args[0] : args;
  if (typeof found !== 'object' || found === null || !('target_id' in found)) return null;
  return typeof found.target_id === 'string' ? found.target_id : null;
}

/** On record before it is done. Answers whether it is gone. */
export async function endProcess(session: Session, { name, process, call_id }: OpenCall): Promise<boolean> {
  const { turn } = session.state;
  if (process === null || turn === null) return true;
  await session.note([
    draft('diagnostic', {
      turn_id: turn.turn_id,
      code: 'process_end_requested',
      message: `Process ${process.pid}, which ${name} had started before Ledgerline ended, is ended on request.`,
      details: { call_id, process },
      next_actions: [],
    }),
  ]);
  return (await endRecorded(process)) === 'ended';
}
