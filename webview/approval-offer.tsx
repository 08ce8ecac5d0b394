import { ActionRow } from './action-row.tsx';
import type { TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from './l10n.ts';
import { lockOf, type OfferProps } from './offer.ts';
import { ShellText } from './shell-text.tsx';

/** Both ways are one click; a reason is there for who wants to give one, in the same row. */
export function ApprovalOffer({ suspension, isPrimary, locked, standing, decide }: OfferProps): VNode {
  const [reason, setReason] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  // Leaving the field leads back to where it was opened.
  useEffect(() => {
    if (reason === null && wasOpen.current) opener.current?.focus();
    wasOpen.current = reason !== null;
  }, [reason]);
  const lock = lockOf(locked);
  const deny = (): void => decide({ kind: 'deny', reason: reason ?? '' });
  return (
    <>
      <ActionRow standing={standing}>
        <button
          type="button"
          class={isPrimary ? 'button primary' : 'button'}
          onClick={() => decide({ kind: 'approve' })}
          {...lock}
        >
          {t('Approve')}
        </button>
        <button type="button" class="button" onClick={deny} {...lock}>
          {t('Deny')}
        </button>
        {reason === null ? (
          <button
            ref={opener}
            type="button"
            class="text-button"
            title={t('Say why not')}
            onClick={() => setReason('')}
            {...lock}
          >
            {t('Reason…')}
          </button>
        ) : (
          <ReasonField reason={reason} change={setReason} deny={deny} />
        )}
      </ActionRow>
      {suspension.always.length > 0 && (
        <div class="always">
          <button
            type="button"
            class="link-button"
            onClick={() => decide({ kind: 'always' })}
            {...lock}
            disabled={lock.disabled || standing !== null}
          >
            {t('Always allow')}
          </button>
          {suspension.always.map((rule) => (
            <code key={rule} tabIndex={0}>
              <ShellText text={rule} />
            </code>
          ))}
        </div>
      )}
    </>
  );
}

interface ReasonProps {
  readonly reason: string;
  readonly change: (reason: string | null) => void;
  readonly deny: () => void;
}

function ReasonField({ reason, change, deny }: ReasonProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  // The person has just asked for this field.
  useEffect(() => field.current?.focus(), []);
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.isComposing) return;
    if (event.key === 'Enter') deny();
    if (event.key !== 'Escape') return;
    // It closes the field, and must not stop the turn as well.
    event.stopPropagation();
    change(null);
  };
  return (
    <input
      ref={field}
      class="text-field"
      type="text"
      aria-label={t('Reason (optional)')}
      placeholder={t('Reason (optional)')}
      value={reason}
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={press}
    />
  );
}
