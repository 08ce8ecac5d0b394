import { compactionFacts } from '../src/presenter/compaction-facts.ts';
import type { Item } from '../src/presenter/protocol.ts';
import { actionsIn, type Action } from './actions.ts';
import { isCut } from './call-entry.ts';
import { stringIn } from './fields.ts';
import { t } from './l10n.ts';
import type { CheckpointEntry, MarkEntry } from './transcript.ts';

/** Events with a line of their own; the others are evidence that other views show. */
export function lineOf(item: Item): MarkEntry | CheckpointEntry | null {
  const { seq, ts, type, data } = item;
  if (type !== 'history_compaction') return markOf(item);
  return { kind: 'checkpoint', seq, ts, facts: compactionFacts(data), cut: isCut(data, 'summary') };
}

function markOf({ seq, type, data }: Item): MarkEntry | null {
  const mark = (message: string, actions: readonly Action[] = []): MarkEntry => ({
    kind: 'mark',
    seq,
    message,
    actions,
  });
  switch (type) {
    case 'diagnostic':
      if (isOfUndo(data) || isOfCompaction(data)) return null;
      return mark(stringIn(data, 'message') ?? t('Diagnostic'), actionsIn(data.next_actions));
    case 'session_fork':
      return mark(t('Forked from an earlier session.'));
    case 'skill_activation':
      return mark(t('Skill {0} activated', stringIn(data, 'name') ?? ''));
    case 'unknown':
      return mark(t('Unknown event {0} of a later version', stringIn(data, 'original_type') ?? ''));
    default:
      return null;
  }
}

/** The evidence of the turn says what became of it. */
export function isOfUndo(data: Item['data']): boolean {
  return ['undo_requested', 'undo_refused'].includes(stringIn(data, 'code') ?? '');
}

/** The line of the checkpoint says it, right above. */
function isOfCompaction(data: Item['data']): boolean {
  return ['overflow_recovery', 'websocket_critical_recovery'].includes(stringIn(data, 'code') ?? '');
}
