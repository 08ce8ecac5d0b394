import type { ComponentChildren, VNode } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { useOpenedInView } from './opened-in-view.ts';

interface Props {
  readonly class: string;
  readonly tone?: string;
  readonly head: ComponentChildren;
  /** Open from the start. The person's choice stands until this changes. */
  readonly open?: boolean;
  readonly children: ComponentChildren;
}

/** One line that opens what is behind it. */
export function Disclosure({ class: name, tone, head, open = false, children }: Props): VNode {
  const [state, setState] = useState({ given: open, open, openings: 0 });
  const isOpen = state.given === open ? state.open : open;
  const body = useId();
  const box = useRef<HTMLDivElement>(null);
  useOpenedInView(box, state.openings);
  return (
    <div class={name} ref={box}>
      <button
        type="button"
        class="disclosure"
        data-tone={tone}
        aria-expanded={isOpen}
        aria-controls={body}
        onClick={() => setState({ given: open, open: !isOpen, openings: state.openings + (isOpen ? 0 : 1) })}
      >
        {head}
        <Icon name="chevron-right" />
      </button>
      <div id={body} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </div>
  );
}
