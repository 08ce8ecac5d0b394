import type { ComponentChildren, VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

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
  const [state, setState] = useState({ given: open, open });
  const isOpen = state.given === open ? state.open : open;
  const body = useId();
  return (
    <div class={name}>
      <button
        type="button"
        class="disclosure"
        data-tone={tone}
        aria-expanded={isOpen}
        aria-controls={body}
        onClick={() => setState({ given: open, open: !isOpen })}
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
