import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Presenter } from '../presenter.ts';
import type { Pressure } from '../state.ts';
import { MeterBar } from './meter-bar.tsx';
import { meterModel } from './meter-model.ts';
import { MeterPanel, PANEL_ID, type CompactOffer } from './meter-panel.tsx';
import { detailWords, nameWords, percentWords, summaryWords } from './meter-words.ts';

interface Props {
  readonly pressure: Pressure | null;
  /** Null where there is no history that could be compacted. */
  readonly compact: CompactOffer | null;
  readonly presenter: Presenter;
}

/** How full the window was at the last call; opens to say with what, and what can be done about it. */
export function Meter({ pressure, compact, presenter }: Props): VNode {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // As soon as it is there: a click elsewhere may come before the next frame.
  useLayoutEffect(() => (open ? closeOutside(root, () => setOpen(false)) : undefined), [open]);
  const model = meterModel(pressure);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      class="meter"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        // The key closes this, and does not also stop the answer.
        event.stopPropagation();
        close();
      }}
    >
      <button
        ref={button}
        type="button"
        class="text-button meter-button"
        title={detailWords(model)}
        aria-label={nameWords(model)}
        aria-description={summaryWords(model)}
        aria-expanded={open}
        aria-controls={PANEL_ID}
        onClick={() => setOpen(!open)}
      >
        <MeterBar model={model} size="small" />
        <span class="meter-percent">{percentWords(model)}</span>
      </button>
      {open && <MeterPanel model={model} compact={compact} presenter={presenter} close={close} />}
    </div>
  );
}

/** Also when the keyboard leaves the page: it would cover the conversation until somebody comes back. */
function closeOutside(root: RefObject<HTMLElement | null>, close: () => void): () => void {
  const look = ({ target }: Event): void => {
    if (target instanceof Node && root.current?.contains(target) !== true) close();
  };
  document.addEventListener('mousedown', look);
  document.addEventListener('focusin', look);
  window.addEventListener('blur', close);
  return () => {
    document.removeEventListener('mousedown', look);
    document.removeEventListener('focusin', look);
    window.removeEventListener('blur', close);
  };
}
