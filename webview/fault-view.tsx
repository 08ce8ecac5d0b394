import type { VNode } from 'preact';
import type { Action } from './actions.ts';
import { ActionButtons } from './action-buttons.tsx';
import { Icon } from './icons.tsx';
import { t } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { Turn } from './transcript.ts';

/** In place of a turn that cannot be drawn; the others are not touched by it. */
export function TurnFault(props: { turn: Turn; reason: string; presenter: Presenter }): VNode {
  const { turn, reason, presenter } = props;
  const seq = turn.prompt?.seq ?? turn.entries[0]?.seq;
  const open: Action = { ...OPEN_LOG, ...(seq === undefined ? {} : { args: [{ seq }] }) };
  return (
    <article role="article" class="turn fault" data-turn-id={turn.turn_id} aria-label={t('Turn')}>
      <p class="state-line" data-tone="red">
        <Icon name="error" />
        {t('This turn could not be drawn.')}
      </p>
      <p>{t('What happened is in the log.')}</p>
      <ActionButtons actions={[open]} presenter={presenter} />
      <Reason reason={reason} />
    </article>
  );
}

/** In place of everything. It tries again only when it is asked to. */
export function ViewFault(props: { reason: string; retry: () => void; presenter: Presenter }): VNode {
  const { reason, retry, presenter } = props;
  return (
    <main class="view-fault">
      <h1>{t('The conversation could not be drawn')}</h1>
      <p role="alert">{t('The log is safe, and nothing that runs was stopped. Only this view failed.')}</p>
      <div class="actions">
        <button type="button" class="button" onClick={retry}>
          {t('Reload view')}
        </button>
      </div>
      <ActionButtons actions={[OPEN_LOG, SHOW_OUTPUT]} presenter={presenter} />
      <Reason reason={reason} />
    </main>
  );
}

const OPEN_LOG: Action = { label: 'Open log', command: 'ledgerline.openLog' };
const SHOW_OUTPUT: Action = { label: 'Show output', command: 'ledgerline.showOutput' };

function Reason({ reason }: { reason: string }): VNode {
  return (
    <details class="thought">
      <summary>
        <Icon name="chevron-right" />
        <span>{t('Details')}</span>
      </summary>
      <pre tabIndex={0}>{reason}</pre>
    </details>
  );
}
