import { ActionRow } from './action-row.tsx';
import type { VNode } from 'preact';
import { DecidingButton } from './deciding-button.tsx';
import { t, translated } from './l10n.ts';
import { lockOf, type OfferProps } from './offer.ts';
import { endProcess, offersOf, type Choice } from './decisions.ts';
import { runAction, type Presenter } from './presenter.ts';
import type { WatchedProcess } from './state.ts';
import type { Suspension } from './suspension.ts';

const LABELS = [
  { choice: { kind: 'run_again' }, label: t('Run again') },
  { choice: { kind: 'mark_done' }, label: t('Mark done') },
  { choice: { kind: 'skip' }, label: t('Skip') },
] as const satisfies readonly { readonly choice: Choice; readonly label: string }[];

/** None is primary: which of them is right, only the person can know. */
export function OutcomeOffer({ suspension, locked, standing, decide }: OfferProps): VNode {
  const offers = offersOf(suspension);
  const lock = lockOf(locked);
  return (
    <ActionRow standing={standing}>
      {LABELS.filter(({ choice }) => offers.includes(choice.kind)).map(({ choice, label }) => (
        <DecidingButton key={label} class="button" press={() => decide(choice)} {...lock}>
          {label}
        </DecidingButton>
      ))}
    </ActionRow>
  );
}

interface ProcessProps {
  readonly process: WatchedProcess;
  readonly suspension: Suspension;
  readonly locked: string | null;
  readonly presenter: Presenter;
}

/** Shown also after the decision: running again waits for the old process. */
export function ProcessLine({ process, suspension, locked, presenter }: ProcessProps): VNode {
  if (!process.alive) return <p class="quiet">{t('Process {0} has ended.', process.pid)}</p>;
  return (
    <div class="process">
      <p>{t('Process {0} is still running.', process.pid)}</p>
      <DecidingButton
        class="link-button"
        disabled={locked !== null}
        title={
          locked === null ? t('End process {0} and all that it started', process.pid) : translated(locked)
        }
        press={() => runAction(presenter, endProcess(suspension.id))}
      >
        {t('End it')}
      </DecidingButton>
    </div>
  );
}
