import { useEffect } from 'preact/hooks';
import type { Reveal } from './state.ts';

/** Brings what the host asked for into view, and the keyboard to it. */
export function useReveal(reveal: Reveal | null): void {
  useEffect(() => {
    if (reveal === null) return;
    const found = targetOf(reveal);
    found?.scrollIntoView({ block: 'nearest' });
    found?.focus();
  }, [reveal]);
}

/** Without a decision to make, the composer is where one goes on. */
function targetOf({ what }: Reveal): HTMLElement | null {
  const composer = document.querySelector<HTMLElement>('.composer textarea');
  switch (what) {
    case 'composer':
      return composer;
    case 'decision':
      return document.querySelector<HTMLElement>('.decision button:enabled') ?? composer;
    case 'turn':
      // May have to be loaded first, which the transcript does.
      return null;
  }
}
