import type { VNode } from 'preact';
import { ActionButtons } from './action-buttons.tsx';
import { Icon } from './icons.tsx';
import { translated } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { MarkEntry } from './transcript.ts';

export function MarkLine({ mark, presenter }: { mark: MarkEntry; presenter: Presenter }): VNode {
  return (
    <div class="mark" data-seq={mark.seq}>
      <Icon name="info" />
      <div>
        <p>{translated(mark.message)}</p>
        <ActionButtons actions={mark.actions} presenter={presenter} />
      </div>
    </div>
  );
}
