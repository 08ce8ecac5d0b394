import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { t, translated } from '../l10n.ts';
import type { Chosen } from '../state.ts';
import type { Attached } from '../transcript.ts';
import { isLost } from './draft-state.ts';
import { sizeText } from './image-intake.ts';
import { kindIcon } from './kind-icon.ts';

/** What goes with the message, above its words. */
export function Chips(props: { chosen: readonly Chosen[]; remove: (id: string) => void }): VNode | null {
  if (props.chosen.length === 0) return null;
  return (
    <ul class="chips" aria-label={t('Attachments')}>
      {props.chosen.map((one) => {
        const name = chosenName(one);
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
  if (one.data !== undefined) return `${chosenName(one)}, ${sizeText(Math.floor(one.data.length * 0.75))}`;
  return one.path ?? chosenName(one);
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

/** What went with a message, as the log tells it. */
export function SentChips({ attachments }: { attachments: readonly Attached[] }): VNode | null {
  if (attachments.length === 0) return null;
  return (
    <ul class="chips sent" aria-label={t('Attachments')}>
      {attachments.map(({ kind, name, bytes, path }, index) => (
        <li key={index} class="chip" title={path ?? name}>
          <Icon name={kindIcon(kind)} />
          <span class="chip-name">{kind === 'problems' ? translated(name) : name}</span>
          {kind === 'image' && bytes !== null && <span class="chip-size">{sizeText(bytes)}</span>}
        </li>
      ))}
    </ul>
  );
}
