import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { diffLines, type DiffLine } from './diff-lines.ts';
import type { PlannedChange } from './suspension.ts';
import { splitPath } from './tool-lines.ts';
import { visibleText } from './visible-text.ts';

/** A sign stands before every line that changes: colour is never the only difference. */
const SIGNS = { added: '+', removed: '−', same: '', place: '', note: '' } as const satisfies Record<
  DiffLine['kind'],
  string
>;

export function DiffView({ change }: { change: PlannedChange }): VNode {
  const lines = useMemo(() => diffLines(change.diff), [change.diff]);
  const { folder, subject } = splitPath(visibleText(change.path));
  return (
    <div class="change">
      <p class="change-head">
        <span class="change-path">
          <span class="folder">{folder}</span>
          {subject}
        </span>
        {change.created && <span class="quiet">new file</span>}
        <span class="change-counts" title={`${change.added} lines added, ${change.removed} removed`}>
          +{change.added} −{change.removed}
        </span>
      </p>
      {lines.length > 0 && (
        <div class="diff" role="region" aria-label={`Change of ${change.path}`} tabIndex={0}>
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
