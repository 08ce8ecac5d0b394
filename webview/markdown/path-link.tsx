import type { ComponentChildren, VNode } from 'preact';
import { t } from '../l10n.ts';
import type { Presenter } from '../presenter.ts';
import { visibleText } from '../visible-text.ts';

export interface PathLinkProps {
  /** As it was written; the host decides whether it is a file of the workspace. */
  readonly path: string;
  /** Lines and columns begin at 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly presenter: Presenter;
  /** What is shown; the path and its place where nothing is given. */
  readonly children?: ComponentChildren;
}

/** A path that opens in the editor. It asks the host: nothing is opened from here. */
export function PathLink({ path, line, column, presenter, children }: PathLinkProps): VNode {
  const place = [path, line, column].filter((part) => part !== undefined).join(':');
  const open = (): void =>
    presenter.post({
      type: 'open',
      path,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    });
  return (
    <button type="button" class="path-link" title={t('Open {0}', visibleText(place))} onClick={open}>
      {children ?? visibleText(place)}
    </button>
  );
}
