import type { VNode } from 'preact';
import { ActionButtons } from './action-buttons.tsx';
import { Icon } from './icons.tsx';
import type { Presenter } from './presenter.ts';
import type { MarkEntry } from './transcript.ts';

export function MarkLine({ mark, presenter }: { mark: MarkEntry; presenter: Presenter }): VNode {
  return (
    <div class="mark">
      <Icon name="info" />
      <div>
        <p>{mark.message}</p>
        <ActionButtons actions={mark.actions} presenter={presenter} />
      </div>
    </div>
  );
}
