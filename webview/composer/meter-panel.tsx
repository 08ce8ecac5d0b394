import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { DecidingButton } from '../deciding-button.tsx';
import { Icon } from '../icons.tsx';
import { t, whole } from '../l10n.ts';
import { lockOf } from '../offer.ts';
import { runAction, type Presenter } from '../presenter.ts';
import { MeterBar, PartBar, Swatch } from './meter-bar.tsx';
import type { MeterModel, Part } from './meter-model.ts';
import { partWords, sourceWords, summaryWords, tierWords, tokenWords } from './meter-words.ts';

export const PANEL_ID = 'context-panel';

export interface CompactOffer {
  /** Why nothing can be written here; null when it can. */
  readonly locked: string | null;
}

interface Props {
  readonly model: MeterModel;
  readonly compact: CompactOffer | null;
  readonly presenter: Presenter;
  readonly close: () => void;
}

/** What fills the window, and what can be done about it. */
export function MeterPanel(props: Props): VNode {
  const panel = useRef<HTMLDivElement>(null);
  useRoomAbove(panel);
  return (
    <div
      ref={panel}
      class="popup meter-panel"
      id={PANEL_ID}
      role="group"
      aria-label={t('Context window')}
      tabIndex={0}
    >
      <MeterFacts {...props} />
    </div>
  );
}

/** Send stays the one primary button. */
export function MeterFacts({ model, compact, presenter, close }: Props): VNode {
  const { used, cached, free, window, isEstimate, parts } = model;
  return (
    <>
      <p>{used === null ? t('Nothing was measured yet.') : summaryWords(model)}</p>
      <TierLine model={model} />
      <MeterBar model={model} size="large" />
      <dl data-tier={model.tier}>
        <dt>
          <Swatch of={(cached ?? 0) > 0 ? 'both' : 'other'} />
          {t('Used')}
        </dt>
        <dd>{tokenWords(used, isEstimate)}</dd>
        <dt>
          <Swatch of="cached" />
          {t('From cache')}
        </dt>
        <dd>{tokenWords(cached, false)}</dd>
        <dt>
          <Swatch of="free" />
          {t('Free')}
        </dt>
        <dd>{tokenWords(free, isEstimate)}</dd>
        <dt>{t('Window')}</dt>
        <dd>{tokenWords(window, false)}</dd>
      </dl>
      {used !== null && <p class="quiet">{sourceWords(model)}</p>}
      <Parts parts={parts} />
      {window === null && <UnknownWindow presenter={presenter} close={close} />}
      {compact !== null && <Compaction compact={compact} presenter={presenter} close={close} />}
    </>
  );
}

function TierLine({ model }: { model: MeterModel }): VNode | null {
  const { tier } = model;
  const words = tierWords(model);
  if (words === '') return null;
  return (
    <p class="meter-tier" data-tier={tier}>
      <Icon name={tier === 'warning' || tier === 'critical' ? 'warning' : 'info'} />
      {words}
    </p>
  );
}

/** Their shares are estimates also where what they sum up to was counted. */
function Parts({ parts }: { parts: readonly Part[] }): VNode | null {
  if (parts.length === 0) return null;
  return (
    <section>
      <h3>{t('What fills it, by estimated shares')}</h3>
      <ul class="meter-parts">
        {parts.map((part) => (
          <li key={part.name}>
            <span class="part-name">{partWords(part.name)}</span>
            <PartBar part={part} />
            <span class="part-tokens">{whole(part.tokens)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function UnknownWindow({ presenter, close }: Pick<Props, 'presenter' | 'close'>): VNode {
  const open = (): void => {
    close();
    runAction(presenter, {
      label: '',
      command: 'workbench.action.openSettings',
      args: ['ledgerline.contextWindow'],
    });
  };
  return (
    <>
      <p>{t('If you know the window of this model, set ledgerline.contextWindow.')}</p>
      <div class="actions">
        <button type="button" class="button" onClick={open}>
          {t('Open settings')}
        </button>
      </div>
    </>
  );
}

interface CompactionProps extends Pick<Props, 'presenter' | 'close'> {
  readonly compact: CompactOffer;
}

/** Looking comes first: what it would record is shown before anything is. */
function Compaction({ compact, presenter, close }: CompactionProps): VNode {
  const run = (command: string) => (): void => {
    close();
    runAction(presenter, { label: '', command });
  };
  const lock = lockOf(compact.locked);
  return (
    <section>
      <p class="quiet">{t('Compacting sums up earlier history for the model. Here all of it stays.')}</p>
      <div class="actions">
        <DecidingButton class="button" {...lock} press={run('ledgerline.compactDryRun')}>
          {t('Preview compaction')}
        </DecidingButton>
        <DecidingButton class="button" {...lock} press={run('ledgerline.compact')}>
          {t('Compact now')}
        </DecidingButton>
      </div>
    </section>
  );
}

const EDGE_PX = 4;

/** No higher than the room above the composer: then it scrolls. */
function useRoomAbove(panel: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const fit = (): void => {
      const element = panel.current;
      if (element === null) return;
      const { bottom, height } = element.getBoundingClientRect();
      // What is zoomed is measured in other pixels than it is told in.
      const scale = height === 0 ? 1 : height / element.offsetHeight;
      element.style.maxHeight = `${Math.max(0, bottom / scale - EDGE_PX)}px`;
    };
    fit();
    window.addEventListener('resize', fit);
    return () => window.removeEventListener('resize', fit);
  }, []);
}
