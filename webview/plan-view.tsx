import type { VNode } from 'preact';
import type { PlanStep } from '../src/presenter/turn-evidence.ts';
import { Disclosure } from './disclosure.tsx';
import { Icon, type IconName } from './icons.tsx';
import { t } from './l10n.ts';

const ICONS = {
  pending: 'circle-outline',
  in_progress: 'circle-half',
  completed: 'pass',
} as const satisfies Record<PlanStep['status'], IconName>;

/** The plan as it is now: open while the turn goes on, one line once it is over. */
export function PlanView({ steps, isOpen }: { steps: readonly PlanStep[]; isOpen: boolean }): VNode {
  const done = steps.filter(({ status }) => status === 'completed').length;
  return (
    <Disclosure
      class={isOpen ? 'plan pinned' : 'plan'}
      open={isOpen}
      head={<span class="plan-head">{t('Plan: {0} of {1} done', done, steps.length)}</span>}
    >
      <ul class="plan-steps" role="list" aria-label={t('Plan')}>
        {steps.map(({ step, status }, index) => (
          <li key={index} class="plan-step" data-status={status}>
            <Icon name={ICONS[status]} />
            <span dir="auto">
              {step}
              <span class={status === 'in_progress' ? 'quiet plan-word' : 'unseen'}>{wordOf(status)}</span>
            </span>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}

function wordOf(status: PlanStep['status']): string {
  switch (status) {
    case 'pending':
      return t('to do');
    case 'in_progress':
      return t('in progress');
    case 'completed':
      return t('done');
  }
}
