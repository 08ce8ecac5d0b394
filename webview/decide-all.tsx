import type { VNode } from 'preact';
import { DecidingButton } from './deciding-button.tsx';
import { t } from './l10n.ts';
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
    <div class="actions decide-all" role="group" aria-label={t('All at once')}>
      <DecidingButton class="button" press={() => decide({ kind: 'approve' })} {...lock}>
        {t('Approve all ({0})', approvals.length)}
      </DecidingButton>
      <DecidingButton class="button" press={() => decide({ kind: 'deny', reason: '' })} {...lock}>
        {t('Deny all ({0})', approvals.length)}
      </DecidingButton>
    </div>
  );
}
