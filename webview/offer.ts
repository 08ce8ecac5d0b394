import { decideMessage, type Choice } from './decisions.ts';
import { translated } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { Suspension } from './suspension.ts';

/** What the buttons of a card need. */
export interface OfferProps {
  readonly suspension: Suspension;
  /** At most one card in view has a primary button. */
  readonly isPrimary: boolean;
  /** Why nothing can be decided here; null when it can. */
  readonly locked: string | null;
  /** What became of the decision, in place of the buttons; null while there is none. */
  readonly standing: string | null;
  readonly decide: (choice: Choice) => void;
}

/** For a button that decides: when it cannot, it says why. */
export function lockOf(locked: string | null): { readonly disabled: boolean; readonly title?: string } {
  return locked === null ? { disabled: false } : { disabled: true, title: translated(locked) };
}

export function sendDecision(presenter: Presenter, suspension: Suspension, choice: Choice): void {
  presenter.post(decideMessage(suspension.id, choice, crypto.randomUUID()));
  presenter.gesture({ kind: 'decided', suspension_id: suspension.id });
}
