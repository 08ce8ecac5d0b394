import type { VNode } from 'preact';
import { ActionButtons } from './action-buttons.tsx';
import { forkPlace } from './fork-place.ts';
import { Icon } from './icons.tsx';
import { t, translated } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { MarkEntry } from './transcript.ts';

export function MarkLine({ mark, presenter }: { mark: MarkEntry; presenter: Presenter }): VNode {
  const { opens } = mark;
  return (
    <div class="mark" data-seq={mark.seq} {...forkPlace(mark.seq)}>
      <Icon name={opens === null ? 'info' : 'transcript'} />
      <div>
        <p>
          {translated(mark.message)}{' '}
          {opens !== null && (
            <button type="button" class="link-button" onClick={() => presenter.post(opens)}>
              {t('Show its text')}
            </button>
          )}
        </p>
        <ActionButtons actions={mark.actions} presenter={presenter} />
      </div>
    </div>
  );
}
