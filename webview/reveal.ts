import { useEffect } from 'preact/hooks';
import { nextDecision } from './decision-key.ts';
import type { Presenter } from './presenter.ts';
import type { State } from './state.ts';

/** Brings what the host asked for into view, and the keyboard to it. */
export function useReveal({ reveal, past }: State, presenter: Presenter): void {
  useEffect(() => {
    switch (reveal?.what) {
      case 'composer':
        return goTo(composerField());
      case 'decision':
        // What waits is at the end of the log.
        if (past === null) return goTo(nextDecision() ?? composerField());
        presenter.gesture({ kind: 'end_wanted' });
        requestAnimationFrame(() => goTo(nextDecision() ?? composerField()));
        return;
      case 'turn':
      // May have to be loaded first, which the transcript does.
      case undefined:
        return;
    }
  }, [reveal]);
}

export function composerField(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.composer textarea');
}

function goTo(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
  element?.focus();
}
