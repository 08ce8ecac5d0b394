import type { ComponentChildren, VNode } from 'preact';

interface Props {
  /** What became of the decision; null while there is none. */
  readonly standing: string | null;
  readonly children: ComponentChildren;
}

/** The buttons of a card. They keep their place when words stand for them, so that nothing below moves. */
export function ActionRow({ standing, children }: Props): VNode {
  return (
    <div class="action-row">
      <div class={standing === null ? 'actions' : 'actions taken'}>{children}</div>
      {standing !== null && <p class="standing">{standing}</p>}
    </div>
  );
}
