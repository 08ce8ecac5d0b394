import { t } from './l10n.ts';

/** The key that leads to what waits for the person, as VS Code has it from the manifest. */
export const DECISION_KEY = isMac() ? t('Cmd+Alt+Enter') : t('Ctrl+Alt+Enter');

function isMac(): boolean {
  return (globalThis.navigator?.platform ?? '').startsWith('Mac');
}

/** The first decision to make; for who is at one, the next. Null when there is none. */
export function nextDecision(): HTMLElement | null {
  const open = [...document.querySelectorAll<HTMLElement>('.decision')].flatMap((card) => {
    // What a question quotes may have buttons of its own, which decide nothing.
    const first = card.querySelector<HTMLElement>(
      ':is(button, input, textarea, select):enabled:not(.question *)',
    );
    return first === null ? [] : [{ card, first }];
  });
  const here = open.findIndex(({ card }) => card.contains(document.activeElement));
  return open[(here + 1) % Math.max(1, open.length)]?.first ?? null;
}
