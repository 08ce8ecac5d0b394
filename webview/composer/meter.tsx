import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t, whole } from '../l10n.ts';
import { runAction, type Presenter } from '../presenter.ts';
import type { Pressure } from '../state.ts';

const PANEL_ID = 'context-panel';

/** How full the window was at the last call, as the provider measured it; opens to say what that means. */
export function Meter({ pressure, presenter }: { pressure: Pressure | null; presenter: Presenter }): VNode {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => (open ? closeOutside(root.current, () => setOpen(false)) : undefined), [open]);
  const short = percentOf(pressure);
  return (
    <div
      class="meter"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        // The key closes this, and does not also stop the answer.
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        class="text-button meter-button"
        title={summaryOf(pressure)}
        aria-label={t('Context')}
        aria-description={summaryOf(pressure)}
        aria-expanded={open}
        aria-controls={PANEL_ID}
        onClick={() => setOpen(!open)}
      >
        <Bar pressure={pressure} />
        <span class="meter-percent">{short}</span>
      </button>
      {open && <Panel pressure={pressure} presenter={presenter} />}
    </div>
  );
}

function Bar({ pressure }: { pressure: Pressure | null }): VNode {
  const ratio = pressure?.ratio ?? null;
  // Drawn, because the page's policy allows no style in the markup.
  return (
    <svg class="meter-bar" data-tier={pressure?.tier ?? 'unknown'} viewBox="0 0 24 6" aria-hidden="true">
      <rect class="meter-track" x="0.5" y="0.5" width="23" height="5" rx="2" />
      {ratio !== null && (
        <rect
          class="meter-fill"
          x="1"
          y="1"
          width={Math.max(1, Math.min(1, ratio) * 22)}
          height="4"
          rx="1.5"
        />
      )}
    </svg>
  );
}

function Panel({ pressure, presenter }: { pressure: Pressure | null; presenter: Presenter }): VNode {
  const { input_tokens = null, cached_tokens = null, window_tokens = null } = pressure ?? {};
  return (
    <div class="popup meter-panel" id={PANEL_ID} role="group" aria-label={t('Context window')}>
      <p>{input_tokens === null ? t('Nothing was measured yet.') : summaryOf(pressure)}</p>
      <dl>
        <dt>{t('Input')}</dt>
        <dd>{tokenText(input_tokens)}</dd>
        <dt>{t('From cache')}</dt>
        <dd>{tokenText(cached_tokens)}</dd>
        <dt>{t('Window')}</dt>
        <dd>{tokenText(window_tokens)}</dd>
      </dl>
      <p class="quiet">{t('Tokens of the last request, as the provider counted them.')}</p>
      {window_tokens === null && (
        <>
          <p>{t('The window of this model is not known. Set ledgerline.contextWindow.')}</p>
          <div class="actions">
            <button
              type="button"
              class="button"
              onClick={() =>
                runAction(presenter, {
                  label: '',
                  command: 'workbench.action.openSettings',
                  args: ['ledgerline.contextWindow'],
                })
              }
            >
              {t('Open settings')}
            </button>
          </div>
        </>
      )}
    </div>
  );
}

function percentOf(pressure: Pressure | null): string {
  const ratio = pressure?.ratio ?? null;
  return ratio === null ? '– %' : t('{0} %', Math.round(ratio * 100));
}

function summaryOf(pressure: Pressure | null): string {
  const ratio = pressure?.ratio ?? null;
  const input = pressure?.input_tokens ?? null;
  if (input === null) return t('Context: nothing was measured yet');
  if (ratio === null) return t('The last request had {0} tokens. The window is not known.', whole(input));
  return t('The last request filled {0} % of the window.', Math.round(ratio * 100));
}

function tokenText(tokens: number | null): string {
  return tokens === null ? t('unknown') : t('{0} tokens', whole(tokens));
}

function closeOutside(root: HTMLElement | null, close: () => void): () => void {
  const look = ({ target }: Event): void => {
    if (target instanceof Node && root?.contains(target) !== true) close();
  };
  document.addEventListener('mousedown', look);
  document.addEventListener('focusin', look);
  return () => {
    document.removeEventListener('mousedown', look);
    document.removeEventListener('focusin', look);
  };
}
