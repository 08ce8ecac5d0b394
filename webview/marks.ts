import { compactionFacts, type CompactionFacts } from '../src/presenter/compaction-facts.ts';
import type { Item } from '../src/presenter/protocol.ts';
import { actionsIn, type Action } from './actions.ts';
import { isCut } from './call-entry.ts';
import { numberIn, stringIn } from './fields.ts';
import { t, whole } from './l10n.ts';
import { visibleText } from './visible-text.ts';
import type { BranchEntry, CheckpointEntry, MarkEntry } from './transcript.ts';

/** Events with a line of their own; the others are evidence that other views show. */
export function lineOf(item: Item): MarkEntry | CheckpointEntry | BranchEntry | null {
  const { seq, ts, type, data } = item;
  if (type === 'branch_summary')
    return { kind: 'branch', seq, ts, facts: byRules(data), cut: isCut(data, 'summary') };
  if (type !== 'history_compaction') return markOf(item);
  return { kind: 'checkpoint', seq, ts, facts: compactionFacts(data), cut: isCut(data, 'summary') };
}

function markOf(item: Item): MarkEntry | null {
  const { seq, type, data } = item;
  const mark = (message: string, actions: readonly Action[] = []): MarkEntry => ({
    kind: 'mark',
    seq,
    message,
    actions,
    opens: null,
  });
  switch (type) {
    case 'diagnostic':
      if (isOfUndo(data) || isOfCompaction(data)) return null;
      return mark(stringIn(data, 'message') ?? t('Diagnostic'), actionsIn(data.next_actions));
    case 'session_fork':
      return forkMark(item);
    case 'skill_activation':
      return { ...mark(activationWords(data)), opens: activationIn(seq, data) };
    case 'unknown':
      return mark(t('Unknown event {0} of a later version', stringIn(data, 'original_type') ?? ''));
    default:
      return null;
  }
}

function activationWords(data: Item['data']): string {
  const name = visibleText(stringIn(data, 'name') ?? '');
  const by = stringIn(data, 'activated_by');
  if (by === 'user') return t('Skill {0} is active for this turn: you called it', name);
  if (by === 'model') return t('Skill {0} is active for this turn: the model chose it', name);
  return t('Skill {0} is active for this turn', name);
}

/** Null where the log does not say which turn it was for. */
function activationIn(seq: number, data: Item['data']): MarkEntry['opens'] {
  const turn_id = stringIn(data, 'turn_id');
  return turn_id === undefined ? null : { type: 'open_skill', turn_id, seq };
}

/** A summary of a branch has the fields of one of a checkpoint, as far as it has any. */
function byRules(data: Item['data']): CompactionFacts {
  return { ...compactionFacts(data), strategy: 'deterministic_v1' };
}

function forkMark({ seq, data }: Item): MarkEntry {
  const parent = stringIn(data, 'parent_session_id') ?? '';
  const to = numberIn(data, 'forked_to_seq') ?? 0;
  const open = { label: 'Open parent session', command: 'ledgerline.openSession', args: [parent] };
  return {
    kind: 'mark',
    seq,
    message: t('Forked from {0}, up to its event {1}', parent, whole(to)),
    actions: parent === '' ? [] : [open],
    opens: null,
    forked: { from: parent, to },
  };
}

/** The evidence of the turn says what became of it. */
export function isOfUndo(data: Item['data']): boolean {
  return OF_UNDO.has(stringIn(data, 'code') ?? '');
}

const OF_UNDO: ReadonlySet<string> = new Set([
  'undo_requested',
  'undo_refused',
  'redo_requested',
  'redo_refused',
  'undo_merge_opened',
]);

/** The line of the checkpoint says it, right above. */
function isOfCompaction(data: Item['data']): boolean {
  return ['overflow_recovery', 'websocket_critical_recovery'].includes(stringIn(data, 'code') ?? '');
}
