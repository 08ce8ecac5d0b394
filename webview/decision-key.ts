import { t } from './l10n.ts';

/** The key that leads to what waits for the person, as VS Code has it from the manifest. */
export const DECISION_KEY = isMac() ? t('Cmd+Alt+Enter') : t('Ctrl+Alt+Enter');

function isMac(): boolean {
  return (globalThis.navigator?.platform ?? '').startsWith('Mac');
}

/** What a question quotes may have buttons of its own, which decide nothing. */
const FIRST_CONTROL = ':is(button, input, textarea, select):enabled:not(.question *)';

/** The first decision to make; for who is at one, the next. Null when there is none. */
export function nextDecision(): HTMLElement | null {
  const open = [...document.querySelectorAll<HTMLElement>('.decision')].flatMap((card) => {
    const first = card.querySelector<HTMLElement>(FIRST_CONTROL);
    return first === null ? [] : [{ card, first }];
  });
  const here = open.findIndex(({ card }) => card.contains(document.activeElement));
  return open[(here + 1) % Math.max(1, open.length)]?.first ?? null;
}

/** What a child asks, and the keyboard to it. */
export function goToQuestion(subagentId: string): void {
  const cards = [...document.querySelectorAll<HTMLElement>('.decision')];
  const card = cards.find(({ dataset }) => dataset['askerId'] === subagentId);
  card?.scrollIntoView({ block: 'nearest' });
  card?.querySelector<HTMLElement>(FIRST_CONTROL)?.focus();
}
