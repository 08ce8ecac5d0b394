import type { VNode } from 'preact';
import { lockOf, sendDecision } from './offer.ts';
import type { Choice } from './decisions.ts';
import type { Presenter } from './presenter.ts';
import type { WaitingCall } from './waiting-calls.ts';

interface Props {
  readonly approvals: readonly WaitingCall[];
  readonly locked: string | null;
  readonly presenter: Presenter;
}

/** One decision a call, all with one click. Never primary: each call deserves a look. */
export function DecideAll({ approvals, locked, presenter }: Props): VNode {
  const decide = (choice: Choice): void => {
    for (const { suspension } of approvals) sendDecision(presenter, suspension, choice);
  };
  const lock = lockOf(locked);
  return (
    <div class="actions decide-all" role="group" aria-label="All at once">
      <button type="button" class="button" onClick={() => decide({ kind: 'approve' })} {...lock}>
        Approve all ({approvals.length})
      </button>
      <button type="button" class="button" onClick={() => decide({ kind: 'deny', reason: '' })} {...lock}>
        Deny all ({approvals.length})
      </button>
    </div>
  );
}
