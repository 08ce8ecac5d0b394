import { ActionRow } from './action-row.tsx';
import type { TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { DecidingButton } from './deciding-button.tsx';
import { t } from './l10n.ts';
import { lockOf, type OfferProps } from './offer.ts';
import { ShellText } from './shell-text.tsx';
import { keepAnswer, readKept } from './vscode-api.ts';

/** Where the words of a reason are kept among those of answers. */
const REASON = 'reason';

/** Both ways are one click; a reason is there for who wants to give one, in the same row. */
export function ApprovalOffer({ suspension, isPrimary, locked, standing, decide }: OfferProps): VNode {
  const [reason, setReason] = useState(() => readKept().answers[suspension.id]?.[REASON] ?? null);
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  /** By the person just now; else it is there again, as it was left. */
  const isAskedFor = useRef(false);
  // Leaving the field leads back to where it was opened.
  useEffect(() => {
    if (reason === null && wasOpen.current) opener.current?.focus();
    wasOpen.current = reason !== null;
  }, [reason]);
  const write = (next: string | null): void => {
    setReason(next);
    keepAnswer(suspension.id, next === null ? {} : { [REASON]: next });
  };
  const lock = lockOf(locked);
  const deny = (): void => decide({ kind: 'deny', reason: reason ?? '' });
  return (
    <>
      <ActionRow standing={standing}>
        <DecidingButton
          class={isPrimary ? 'button primary' : 'button'}
          press={() => decide({ kind: 'approve' })}
          {...lock}
        >
          {t('Approve')}
        </DecidingButton>
        <DecidingButton class="button" press={deny} {...lock}>
          {t('Deny')}
        </DecidingButton>
        {reason === null ? (
          <button
            ref={opener}
            type="button"
            class="text-button"
            title={t('Say why not')}
            onClick={() => {
              isAskedFor.current = true;
              write('');
            }}
            {...lock}
          >
            {t('Reason…')}
          </button>
        ) : (
          <ReasonField reason={reason} isAskedFor={isAskedFor.current} change={write} deny={deny} />
        )}
      </ActionRow>
      {suspension.always.length > 0 && (
        <div class="always">
          <DecidingButton
            class="link-button"
            press={() => decide({ kind: 'always' })}
            {...lock}
            disabled={lock.disabled || standing !== null}
          >
            {t('Always allow')}
          </DecidingButton>
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
  readonly isAskedFor: boolean;
  readonly change: (reason: string | null) => void;
  readonly deny: () => void;
}

function ReasonField({ reason, isAskedFor, change, deny }: ReasonProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isAskedFor) field.current?.focus();
  }, []);
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.isComposing) return;
    // A key that is still held was for what opened this.
    if (event.key === 'Enter' && !event.repeat) deny();
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
