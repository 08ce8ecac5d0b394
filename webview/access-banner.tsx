import type { VNode } from 'preact';
import type { Access } from '../src/presenter/protocol.ts';
import { ActionButtons } from './action-buttons.tsx';
import { Icon } from './icons.tsx';
import { t, translated } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import { actionsIn } from './actions.ts';
import { unreachable } from './unreachable.ts';

export function AccessBanner(props: { access: Access | undefined; presenter: Presenter }): VNode | null {
  const { access, presenter } = props;
  if (access === undefined) return null;
  switch (access.kind) {
    case 'writer':
      return null;
    case 'loading':
      return (
        <aside class="access" aria-label={t('Session')}>
          <div class="banner" role="note">
            <Icon name="loading" spin />
            <p>{t('Checking the log. A message sent now waits for it.')}</p>
          </div>
        </aside>
      );
    case 'read_only':
      return (
        <aside class="access" aria-label={t('Session')}>
          <div class="banner" role="note" aria-label={t('Read-only')}>
            <Icon name="lock" />
            <div>
              <p>{translated(access.message)}</p>
              <ActionButtons actions={actionsIn(access.next_actions)} presenter={presenter} />
            </div>
          </div>
        </aside>
      );
    default:
      return unreachable(access);
  }
}
