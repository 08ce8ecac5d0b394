import type { VNode } from 'preact';
import { Icon } from './icons.tsx';
import type { Presenter } from './presenter.ts';
import { shownTitle, type State } from './state.ts';

export function Header({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  const title = shownTitle(state);
  return (
    <header class="header">
      <h1 class="title" title={title}>
        {title}
      </h1>
      <button
        type="button"
        class="icon-button"
        title="New session"
        aria-label="New session"
        onClick={() => presenter.post({ type: 'new_session' })}
      >
        <Icon name="add" />
      </button>
    </header>
  );
}
