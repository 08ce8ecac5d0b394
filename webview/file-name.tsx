import type { VNode } from 'preact';
import { t } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import { splitPath } from './tool-lines.ts';
import { visibleText } from './visible-text.ts';

interface Props {
  readonly path: string;
  readonly line?: number | null;
  readonly presenter: Presenter;
}

/** A file of the workspace on one line, which opens it. The folder gives way first: the name tells more. */
export function FileName({ path, line = null, presenter }: Props): VNode {
  const { folder, subject } = splitPath(visibleText(path));
  const open = (): void => presenter.post({ type: 'open', path, ...(line === null ? {} : { line }) });
  return (
    <button type="button" class="subject file-name" title={t('Open {0}', visibleText(path))} onClick={open}>
      {folder !== '' && <span class="folder">{folder}</span>}
      <span>{subject}</span>
    </button>
  );
}
