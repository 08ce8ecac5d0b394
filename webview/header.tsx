import type { VNode } from 'preact';
import { Icon } from './icons.tsx';
import { t } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import { shownTitle, type State } from './state.ts';

/** What is open, and the way to another. The rest of what can be done is in the menu of the view. */
export function Header({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  const title = shownTitle(state);
  return (
    <header class="header">
      <h1 class="title">
        <button
          type="button"
          class="title-button"
          title={title}
          aria-haspopup="dialog"
          aria-label={t('{0}, open another session', title)}
          onClick={() => presenter.post({ type: 'run_action', command: 'ledgerline.openSession' })}
        >
          <span class="title-text">{title}</span>
          <Icon name="chevron-right" />
        </button>
      </h1>
      <button
        type="button"
        class="icon-button"
        title={t('New session')}
        aria-label={t('New session')}
        onClick={() => presenter.post({ type: 'new_session' })}
      >
        <Icon name="add" />
      </button>
    </header>
  );
}
