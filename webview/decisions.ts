import type { Action } from './actions.ts';
import type { PresenterMessage } from '../src/presenter/protocol.ts';
import { askedBy, type Suspension } from './suspension.ts';
import { unreachable } from './unreachable.ts';

/** What a person can do about a call that waits. */
export type Choice =
  | { readonly kind: 'approve' }
  | { readonly kind: 'always' }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'answer'; readonly result: unknown }
  | { readonly kind: 'run_again' }
  | { readonly kind: 'mark_done' }
  | { readonly kind: 'skip' };

type Decide = Omit<Extract<PresenterMessage, { type: 'decide' }>, 'v'>;

export const MARKED_DONE = 'The person confirmed that this was done.';

/** Pure: the message that stands for a choice. An answer is sent as it is, whatever it is. */
export function decideMessage(suspensionId: string, choice: Choice, decisionId: string): Decide {
  const message = { type: 'decide', target_id: suspensionId, decision_id: decisionId } as const;
  switch (choice.kind) {
    case 'approve':
      return { ...message, action: 'resume' };
    case 'always':
      return { ...message, action: 'resume', remember: true };
    case 'deny': {
      const reason = choice.reason.trim();
      return { ...message, action: 'cancel', ...(reason === '' ? {} : { reason }) };
    }
    case 'answer':
      return { ...message, action: 'resume', result: choice.result };
    case 'run_again':
      return { ...message, action: 'resume', resume_mode: 'replay_tool_call' };
    case 'mark_done':
      return { ...message, action: 'resume', resume_mode: 'use_decision_as_result', result: MARKED_DONE };
    case 'skip':
      return { ...message, action: 'cancel' };
    default:
      return unreachable(choice);
  }
}

/** Pure: the choices that a suspension offers, in the order of their buttons. */
export function offersOf(suspension: Suspension): readonly Choice['kind'][] {
  const asked = askedBy(suspension.reason);
  switch (asked) {
    case 'approval':
      return suspension.always.length === 0 ? ['approve', 'deny'] : ['approve', 'deny', 'always'];
    case 'question':
      return ['answer', 'skip'];
    case 'outcome_unknown':
      return [
        ...(mayResume(suspension, 'replay_tool_call') ? (['run_again'] as const) : []),
        ...(mayResume(suspension, 'use_decision_as_result') ? (['mark_done'] as const) : []),
        'skip',
      ];
    default:
      return unreachable(asked);
  }
}

function mayResume({ modes }: Suspension, mode: string): boolean {
  return modes.length === 0 || modes.includes(mode);
}

/** Asks the host to end what is left of a command whose outcome was lost. */
export function endProcess(suspensionId: string): Action {
  return { label: 'End it', command: 'ledgerline.endProcess', args: { target_id: suspensionId } };
}
