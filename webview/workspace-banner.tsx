import type { VNode } from 'preact';
import { ActionButtons } from './action-buttons.tsx';
import { Icon } from './icons.tsx';
import { t } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { Session } from './state.ts';
import type { Action } from './actions.ts';
import { unreachable } from './unreachable.ts';

/** Where no tool can work, it is said before somebody asks for work. A session that takes no words says enough. */
export function WorkspaceBanner(props: { session: Session | null; presenter: Presenter }): VNode | null {
  const { session, presenter } = props;
  if (session?.no_files === undefined || session.access.kind === 'read_only') return null;
  const { words, actions } = wordsFor(session.no_files);
  return (
    <aside class="access" aria-label={t('Workspace')}>
      <div class="banner" role="note">
        <Icon name="info" />
        <div>
          <p>{words}</p>
          <ActionButtons actions={actions} presenter={presenter} />
        </div>
      </div>
    </aside>
  );
}

function wordsFor(why: NonNullable<Session['no_files']>): {
  readonly words: string;
  readonly actions: readonly Action[];
} {
  switch (why) {
    case 'untrusted':
      return {
        words: t('Restricted mode: you can chat, but no tool reads, edits or runs anything here.'),
        actions: [{ label: t('Manage workspace trust'), command: 'workbench.trust.manage' }],
      };
    case 'no_folder':
      return {
        words: t('No folder is open: you can chat, but no tool has anything to read, edit or run.'),
        actions: [{ label: t('Open folder'), command: 'vscode.openFolder' }],
      };
    case 'virtual':
      return {
        words: t(
          'The files of this workspace are on no disk here: you can chat, but no tool reads, edits or runs anything.',
        ),
        actions: [],
      };
    default:
      return unreachable(why);
  }
}
