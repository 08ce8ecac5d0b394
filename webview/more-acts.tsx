import type { ComponentChildren, VNode } from 'preact';
import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { lockOf } from './offer.ts';

interface Props {
  /** What the button is called. */
  readonly name: string;
  /** What is in view at all times. */
  readonly first: ComponentChildren;
  /** Opens the rest, from the start or when it turns true. It never closes by itself: someone may be in there. */
  readonly open: boolean;
  readonly children: ComponentChildren;
}

/** What is done most often, and one button behind which is the rest, in its place and in the order of the keyboard. */
export function MoreActs({ name, first, open, children }: Props): VNode {
  const [isOpen, setOpen] = useState(open);
  useLayoutEffect(() => {
    if (open) setOpen(true);
  }, [open]);
  const rest = useId();
  return (
    <>
      <span class="acts">
        {first}
        <button
          type="button"
          class="icon-button more-acts"
          aria-label={name}
          title={name}
          aria-expanded={isOpen}
          aria-controls={rest}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="ellipsis" />
        </button>
      </span>
      <span class="acts acts-rest" id={rest} hidden={!isOpen}>
        {isOpen && children}
      </span>
    </>
  );
}

interface ActProps {
  readonly name: string;
  readonly label: string;
  readonly act: () => void;
  readonly look?: 'link' | 'button';
  readonly locked?: string | null;
  /** The button goes once it has done its work. */
  readonly goes?: boolean;
}

export function Act({ name, label, act, look = 'link', locked = null, goes = false }: ActProps): VNode {
  return (
    <button
      type="button"
      class={look === 'link' ? 'link-button' : 'button'}
      aria-label={name}
      onClick={({ currentTarget }) => {
        if (goes) leaveFocusBeside(currentTarget);
        act();
      }}
      {...lockOf(locked)}
    >
      {label}
    </button>
  );
}

/** The focus stays beside it instead of falling to the page. */
function leaveFocusBeside(button: HTMLButtonElement): void {
  const beside = button.previousElementSibling;
  if (beside instanceof HTMLElement) beside.focus({ preventScroll: true });
}
