import type { VNode } from 'preact';
import type { SeenImage } from './call-entry.ts';
import { Icon } from './icons.tsx';
import { t } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import { useImage } from './told-answers.ts';
import { visibleText } from './visible-text.ts';

interface Props {
  readonly images: readonly SeenImage[];
  readonly turnId: string;
  readonly callId: string;
  readonly presenter: Presenter;
}

/** The images that a call came back with: the model has seen them. */
export function CallImages({ images, turnId, callId, presenter }: Props): VNode | null {
  if (images.length === 0) return null;
  return (
    <ul class="call-images" aria-label={t('Images')}>
      {images.map((image, index) => (
        <li key={index}>
          <SeenPicture
            image={image}
            load={() => presenter.post({ type: 'load_image', turn_id: turnId, call_id: callId, index })}
            open={() => presenter.post({ type: 'open_attachment', turn_id: turnId, call_id: callId, index })}
          />
        </li>
      ))}
    </ul>
  );
}

function SeenPicture(props: { image: SeenImage; load: () => void; open: () => void }): VNode {
  const { image, load, open } = props;
  const address = useImage(image.sha256, load);
  const name = visibleText(image.name);
  return (
    <button
      type="button"
      class="seen-image"
      title={`${name}\nSHA-256 ${image.sha256}`}
      aria-label={t('Open {0}', name)}
      onClick={open}
    >
      {typeof address === 'string' ? (
        <img src={address} alt="" />
      ) : (
        <Icon name={address === null ? 'warning' : 'image'} />
      )}
      <span class="seen-name">{address === null ? t('{0} is no longer in storage', name) : name}</span>
    </button>
  );
}
