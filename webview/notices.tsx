import type { TargetedMouseEvent, VNode } from 'preact';
import { ActionButtons } from './action-buttons.tsx';
import { Icon } from './icons.tsx';
import { t, translated } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import { composerField } from './reveal.ts';
import { shownNotices } from './shown-notices.ts';
import { compactionLocked, decisionsLocked, type State } from './state.ts';

const ICONS = { info: 'info', warning: 'warning', error: 'error' } as const;

/** They are said aloud by the announcer: a live region that comes with its words is often not heard. */
export function Notices({ state, presenter }: { state: State; presenter: Presenter }): VNode | null {
  const shown = shownNotices(state);
  if (shown.length === 0) return null;
  return (
    <section class="notices" aria-label={t('Notices')}>
      {shown.map((notice) => (
        <div key={notice.message} class="notice" data-level={notice.level}>
          <Icon name={ICONS[notice.level]} />
          <div>
            <p>{translated(notice.message)}</p>
            <ActionButtons
              actions={notice.actions}
              locked={decisionsLocked(state)}
              compactionLocked={compactionLocked(state)}
              presenter={presenter}
            />
          </div>
          <button
            type="button"
            class="icon-button"
            title={t('Dismiss')}
            aria-label={t('Dismiss')}
            onClick={({ currentTarget }: TargetedMouseEvent<HTMLButtonElement>) => {
              focusBeside(currentTarget);
              presenter.gesture({ kind: 'notice_dismissed', message: notice.message });
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </section>
  );
}

/** The button goes with its notice; the keyboard goes on to the next one, or to where one writes. */
function focusBeside(button: HTMLElement): void {
  const notice = button.closest('.notice');
  const next = notice?.nextElementSibling ?? notice?.previousElementSibling;
  const field = next?.querySelector<HTMLElement>('.icon-button') ?? composerField();
  field?.focus();
}
