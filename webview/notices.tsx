import type { VNode } from 'preact';
import { ActionButtons } from './action-buttons.tsx';
import { isMissingKeyShown } from './empty-state.tsx';
import { Icon } from './icons.tsx';
import { t, translated } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { State } from './state.ts';

const ICONS = { info: 'info', warning: 'warning', error: 'error' } as const;

export function Notices({ state, presenter }: { state: State; presenter: Presenter }): VNode | null {
  const access = state.session?.access;
  // What is said at the top already is not said again.
  const above = access?.kind === 'read_only' ? access.message : null;
  const shown = state.notices.filter(
    (notice) => notice.message !== above && !(notice.kind === 'missing_key' && isMissingKeyShown(state)),
  );
  if (shown.length === 0) return null;
  return (
    <div class="notices">
      {shown.map((notice) => (
        <div key={notice.message} class="notice" data-level={notice.level} role="status">
          <Icon name={ICONS[notice.level]} />
          <div>
            <p>{translated(notice.message)}</p>
            <ActionButtons actions={notice.actions} presenter={presenter} />
          </div>
          <button
            type="button"
            class="icon-button"
            title={t('Dismiss')}
            aria-label={t('Dismiss')}
            onClick={() => presenter.gesture({ kind: 'notice_dismissed', message: notice.message })}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
