import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { t, translated } from '../l10n.ts';
import type { Presenter } from '../presenter.ts';
import type { Chosen } from '../state.ts';
import type { Attached } from '../transcript.ts';
import { visibleText } from '../visible-text.ts';
import { chipNames } from './chip-names.ts';
import { isLost } from './draft-state.ts';
import { imageBytes, sizeText } from './image-intake.ts';
import { kindIcon } from './kind-icon.ts';
import { SentEvidence } from './sent-evidence.tsx';

/** What goes with the message, above its words. */
export function Chips(props: { chosen: readonly Chosen[]; remove: (id: string) => void }): VNode | null {
  if (props.chosen.length === 0) return null;
  const names = chipNames(props.chosen);
  return (
    <ul class="chips" aria-label={t('Attachments')}>
      {props.chosen.map((one, index) => {
        const name = names[index] ?? chosenName(one);
        const lost = isLost(one);
        return (
          <li key={one.id} class={lost ? 'chip lost' : 'chip'} title={titleOf(one)}>
            {one.kind === 'image' && one.data !== undefined ? (
              <Thumbnail data={one.data} mime={one.mime ?? ''} />
            ) : (
              <Icon name={lost ? 'warning' : kindIcon(one.kind)} />
            )}
            <span class="chip-name">{name}</span>
            {lost && <span class="unseen">{t('was not kept')}</span>}
            <button
              type="button"
              class="chip-remove"
              title={t('Remove')}
              aria-label={t('Remove {0}', name)}
              onClick={() => props.remove(one.id)}
            >
              <Icon name="close" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function chosenName({ label, path, kind }: Chosen): string {
  return label ?? path ?? kind;
}

function titleOf(one: Chosen): string {
  if (isLost(one)) return t('{0} was not kept. Attach it again.', chosenName(one));
  if (one.data !== undefined) return `${chosenName(one)}, ${sizeText(imageBytes(one.data))}`;
  return placeText(one.path, one.start_line, one.end_line) ?? chosenName(one);
}

function placeText(path: string | undefined, first: number | undefined, last = first): string | undefined {
  if (path === undefined || first === undefined) return path;
  return last === first ? `${path}:${first}` : `${path}:${first}-${last}`;
}

function Thumbnail({ data, mime }: { data: string; mime: string }): VNode | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (char) => char.codePointAt(0) ?? 0);
    const made = URL.createObjectURL(new Blob([bytes], { type: mime }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [data, mime]);
  return address === null ? <Icon name="image" /> : <img class="thumbnail" src={address} alt="" />;
}

interface SentProps {
  readonly attachments: readonly Attached[];
  readonly turnId: string;
  readonly presenter: Presenter;
}

/** What went with a message, as the log tells it. Each opens in place: what is proven of it, and ways to look at it. */
export function SentChips({ attachments, turnId, presenter }: SentProps): VNode | null {
  const [opened, setOpened] = useState<number | null>(null);
  if (attachments.length === 0) return null;
  const names = chipNames(attachments.map(({ name, ...one }) => ({ ...one, label: name })));
  const shownName = ({ kind, name }: Attached, index: number): string =>
    kind === 'problems' ? translated(name) : (names[index] ?? name);
  const one = opened === null ? undefined : attachments[opened];
  return (
    <>
      <ul class="chips sent" aria-label={t('Attachments')}>
        {attachments.map((attached, index) => {
          const { kind, name, bytes, path } = attached;
          return (
            <li key={index}>
              <button
                type="button"
                class="chip"
                aria-expanded={opened === index}
                title={visibleText(path ?? name)}
                onClick={() => setOpened(opened === index ? null : index)}
              >
                <Icon name={kindIcon(kind)} />
                <span class="chip-name">{shownName(attached, index)}</span>
                {kind === 'image' && bytes !== null && <span class="chip-size">{sizeText(bytes)}</span>}
              </button>
            </li>
          );
        })}
      </ul>
      {opened !== null && one !== undefined && (
        <SentEvidence
          key={opened}
          attached={one}
          name={shownName(one, opened)}
          turnId={turnId}
          index={opened}
          presenter={presenter}
        />
      )}
    </>
  );
}
