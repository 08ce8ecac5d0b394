import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { diffLines, type DiffLine } from './diff-lines.ts';
import { t } from './l10n.ts';
import type { PlannedChange } from './suspension.ts';
import { splitPath } from './tool-lines.ts';
import { visibleText } from './visible-text.ts';

/** A sign stands before every line that changes: colour is never the only difference. */
const SIGNS = { added: '+', removed: '−', same: '', place: '', note: '' } as const satisfies Record<
  DiffLine['kind'],
  string
>;

export function DiffView({ change, openDiff }: { change: PlannedChange; openDiff: () => void }): VNode {
  const lines = useMemo(() => diffLines(change.diff), [change.diff]);
  const { folder, subject } = splitPath(visibleText(change.path));
  return (
    <div class="change">
      <p class="change-head">
        <span class="change-path">
          <span class="folder">{folder}</span>
          {subject}
        </span>
        {change.created && <span class="quiet">{t('new file')}</span>}
        <span class="change-counts" title={t('{0} lines added, {1} removed', change.added, change.removed)}>
          +{change.added} −{change.removed}
        </span>
        <button
          type="button"
          class="link-button"
          aria-label={t('Diff of {0}', change.path)}
          onClick={openDiff}
        >
          {t('Diff')}
        </button>
      </p>
      {lines.length > 0 && (
        <div class="diff" role="region" aria-label={t('Change of {0}', change.path)} tabIndex={0}>
          {lines.map(({ kind, text }, index) => (
            <div key={index} class="diff-line" data-kind={kind}>
              <span class="sign">{SIGNS[kind]}</span>
              <span>{text}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
