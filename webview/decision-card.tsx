import type { RefObject, TargetedKeyboardEvent, VNode } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { ApprovalOffer } from './approval-offer.tsx';
import { askerWords } from './agents/agent-words.ts';
import { AskedFor } from './asked-for.tsx';
import type { Choice } from './decisions.ts';
import { t } from './l10n.ts';
import { sendDecision, type OfferProps } from './offer.ts';
import { OutcomeOffer, ProcessLine } from './outcome-offer.tsx';
import type { Presenter } from './presenter.ts';
import { QuestionOffer } from './question-offer.tsx';
import type { Asked } from './suspension.ts';
import { unreachable } from './unreachable.ts';
import { visibleText } from './visible-text.ts';
import { standingWords, type WaitingCall } from './waiting-calls.ts';

interface Props {
  readonly waiting: WaitingCall;
  /** Calls of the same round that are still to be decided. */
  readonly others: number;
  /** At most one card in view has a primary button. */
  readonly isPrimary: boolean;
  /** Why nothing can be decided here; null when it can. */
  readonly locked: string | null;
  readonly turnId: string;
  readonly presenter: Presenter;
}

const NAMES: Readonly<Record<Asked, string>> = {
  approval: t('Approval'),
  question: t('Question'),
  outcome_unknown: t('Unknown outcome'),
};

/** Asks for one decision. It never takes the focus: the person may be writing. */
export function DecisionCard({ waiting, others, isPrimary, locked, turnId, presenter }: Props): VNode {
  const { call, suspension, asked, standing, asker } = waiting;
  const who = useId();
  const card = useRef<HTMLDivElement>(null);
  useFocusHandedBack(card);
  const decide = (choice: Choice): void => {
    // The button that was pressed goes away; the focus stays with the card instead of falling to the page.
    if (card.current?.contains(document.activeElement) === true) card.current.focus();
    sendDecision(presenter, suspension, choice);
  };
  return (
    <div
      ref={card}
      class="decision"
      role="group"
      aria-label={NAMES[asked]}
      aria-keyshortcuts="Control+Alt+Enter Meta+Alt+Enter"
      aria-describedby={asker === null ? undefined : who}
      data-standing={standing.kind}
      data-asker-id={asker?.subagent_id}
      tabIndex={-1}
      onKeyDown={leaveField}
    >
      {asker !== null && (
        <p class="asker" id={who} title={visibleText(asker.task)}>
          {askerWords(asker)}
        </p>
      )}
      <AskedFor waiting={waiting} turnId={turnId} presenter={presenter} />
      {asked === 'outcome_unknown' && call.process !== null && (
        <ProcessLine process={call.process} suspension={suspension} locked={locked} presenter={presenter} />
      )}
      <Offer
        key={suspension.id}
        asked={asked}
        offer={{ suspension, isPrimary, locked, standing: standingWords(waiting, others), decide }}
      />
    </div>
  );
}

/** Leaves a field, and must not stop the turn as well: what was typed would be lost with it. */
function leaveField(event: TargetedKeyboardEvent<HTMLDivElement>): void {
  if (event.key !== 'Escape' || event.isComposing || !isField(event.target)) return;
  event.stopPropagation();
  event.currentTarget.focus();
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, textarea, select');
}

/** A card that goes while it has the focus leaves it to the line of its call, not to the page. */
function useFocusHandedBack(card: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      if (element?.contains(document.activeElement) !== true) return;
      const line = element.parentElement?.querySelector<HTMLElement>('.call-toggle');
      // The call of a child has no line here.
      (line ?? element.closest<HTMLElement>('.log'))?.focus({ preventScroll: true });
    };
  }, []);
}

function Offer({ asked, offer }: { asked: Asked; offer: OfferProps }): VNode {
  switch (asked) {
    case 'approval':
      return <ApprovalOffer {...offer} />;
    case 'question':
      return <QuestionOffer {...offer} />;
    case 'outcome_unknown':
      return <OutcomeOffer {...offer} />;
    default:
      return unreachable(asked);
  }
}
