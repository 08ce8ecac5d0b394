import type { VNode } from 'preact';
import { roleName } from '../src/presenter/agent-roles.ts';
import { Icon } from './icons.tsx';
import { t } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { Session } from './state.ts';

/** Of a child: in which role it works, for which session, and the way to that. */
export function ParentLine(props: { parent: Session['parent']; presenter: Presenter }): VNode | null {
  const { parent, presenter } = props;
  if (parent === undefined) return null;
  const { session_id, agent, title } = parent;
  const words = t('child of {0}', title === '' ? session_id : title);
  const open = (): void =>
    presenter.post({ type: 'run_action', command: 'ledgerline.openSession', args: [session_id] });
  return (
    <nav class="parent" aria-label={t('Parent session')}>
      <span class="parent-role">{t(roleName(agent))}</span>
      <button type="button" class="title-button" title={t('Open parent session')} onClick={open}>
        <span class="title-text">{words}</span>
        <Icon name="chevron-right" />
      </button>
    </nav>
  );
}
