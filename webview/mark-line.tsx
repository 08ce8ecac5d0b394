import type { VNode } from 'preact';
import { ActionButtons } from './action-buttons.tsx';
import { forkPlace } from './fork-place.ts';
import { Icon } from './icons.tsx';
import { t, translated, whole } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { Session } from './state.ts';
import type { MarkEntry } from './transcript.ts';
import { visibleText } from './visible-text.ts';

interface Props {
  readonly mark: MarkEntry;
  /** What the session of a fork was made of. */
  readonly origin?: Session['fork'];
  readonly presenter: Presenter;
}

export function MarkLine({ mark, origin, presenter }: Props): VNode {
  const { opens } = mark;
  return (
    <div class="mark" data-seq={mark.seq} {...forkPlace(mark.seq)}>
      <Icon name={opens === null ? 'info' : 'transcript'} />
      <div>
        <p>
          {wordsOf(mark, origin)}{' '}
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

/** A session by its title, where one is known. */
function wordsOf({ message, forked }: MarkEntry, origin: Props['origin']): string {
  if (forked === undefined || origin === undefined) return translated(message);
  if (forked.from !== origin.session_id || origin.title === '') return translated(message);
  return t('Forked from “{0}”, up to its event {1}', visibleText(origin.title), whole(forked.to));
}
