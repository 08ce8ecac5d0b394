import { useEffect } from 'preact/hooks';
import type { Presenter } from './presenter.ts';

/** The one key that leads to what waits for the person, from wherever the keyboard is. */
export const DECISION_KEY = 'F8';

/** Goes to the first decision to make, and from one to the next. */
export function useDecisionKey(presenter: Presenter, isShown: boolean): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== DECISION_KEY || event.isComposing) return;
      event.preventDefault();
      if (isShown) return goToNext();
      presenter.gesture({ kind: 'end_wanted' });
      // After what is there at the end has been drawn.
      requestAnimationFrame(goToNext);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [presenter, isShown]);
}

function goToNext(): void {
  const open = [...document.querySelectorAll<HTMLElement>('.decision')].filter(
    (card) => firstIn(card) !== null,
  );
  const here = open.findIndex((card) => card.contains(document.activeElement));
  const next = open[(here + 1) % open.length];
  if (next === undefined) return;
  next.scrollIntoView({ block: 'nearest' });
  firstIn(next)?.focus();
}

function firstIn(card: HTMLElement): HTMLElement | null {
  return card.querySelector<HTMLElement>('button:enabled, input:enabled, textarea:enabled, select:enabled');
}
