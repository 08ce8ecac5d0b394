import type { Item } from '../src/presenter/protocol.ts';
import { applyToEvidence, NO_EVIDENCE, type EvidenceFold } from '../src/presenter/turn-evidence.ts';
import { compactionFacts, type CompactionFacts } from '../src/presenter/compaction-facts.ts';
import { applyToCall, isCut, newCall, type CallEntry } from './call-entry.ts';
import { isRecord, isTrueIn, listIn, numberIn, stringIn } from './fields.ts';
import { t } from './l10n.ts';

/** What the conversation shows: a fold of the log's items, and of nothing else. */

export interface Action {
  readonly label: string;
  readonly command: string;
  readonly args?: unknown;
}

/** What went with a prompt. */
export interface Attached {
  readonly kind: string;
  readonly name: string;
  readonly path: string | null;
  readonly line: number | null;
  /** Null where the log does not say. */
  readonly bytes: number | null;
}

export interface Prompt {
  readonly seq: number;
  readonly text: string;
  readonly ts: string;
  readonly client_turn_id: string;
  readonly attachments: readonly Attached[];
  readonly cut: boolean;
}

export interface TextEntry {
  readonly kind: 'text';
  readonly seq: number;
  readonly ts: string;
  readonly stream_run_id: string;
  readonly text: string;
  readonly partial: boolean;
  /** The last output of its response. */
  readonly whole: boolean;
  readonly cut: boolean;
}

export interface ThoughtEntry {
  readonly kind: 'thought';
  readonly seq: number;
  readonly stream_run_id: string;
  readonly summary: string;
  /** How long the model thought; null where the log does not say. */
  readonly ms: number | null;
}

/** One quiet line: something the log records beside the conversation. */
export interface MarkEntry {
  readonly kind: 'mark';
  readonly seq: number;
  readonly message: string;
  readonly actions: readonly Action[];
}

/** Where a checkpoint stands for what comes before it, for the model: here all of it stays. */
export interface CheckpointEntry {
  readonly kind: 'checkpoint';
  readonly seq: number;
  readonly ts: string;
  readonly facts: CompactionFacts;
  /** Only the beginning of the summary is here. */
  readonly cut: boolean;
}

export type Entry = CallEntry | TextEntry | ThoughtEntry | MarkEntry | CheckpointEntry;

export interface Failure {
  readonly terminal_status: string;
  readonly error_kind: string;
  readonly message: string;
  readonly timeout_ms: number | null;
  readonly details: unknown;
  readonly actions: readonly Action[];
}

export interface Turn {
  readonly kind: 'turn';
  readonly turn_id: string;
  /** Null while the prompt is before the window. */
  readonly prompt: Prompt | null;
  readonly entries: readonly Entry[];
  readonly run: string;
  readonly failure: Failure | null;
  /** What it did, as far as it is shown. */
  readonly fold: EvidenceFold;
}

export type Block = Turn | MarkEntry | CheckpointEntry;

export function foldItems(items: readonly Item[]): readonly Block[] {
  return items.reduce(applyItem, []);
}

/** Pure: the conversation after one more item. Turns that the item does not touch stay the same objects. */
export function applyItem(blocks: readonly Block[], item: Item): readonly Block[] {
  const { turn_id } = item;
  if (turn_id === undefined) {
    const line = lineOf(item);
    return line === null ? blocks : [...blocks, line];
  }
  const at = blocks.findLastIndex((block) => block.kind === 'turn' && block.turn_id === turn_id);
  const known = blocks[at];
  if (known?.kind !== 'turn')
    return isLater(item) ? blocks : [...blocks, applyToTurn(emptyTurn(turn_id), item)];
  return blocks.with(at, applyToTurn(known, item));
}

/** Recorded when its turn was long over: by itself it is no turn. */
function isLater({ type, data }: Item): boolean {
  if (type === 'file_change') return listIn(data, 'undo_of').length > 0;
  return type === 'diagnostic' && isOfUndo(data);
}

/** The evidence of the turn says what became of it. */
function isOfUndo(data: Item['data']): boolean {
  return ['undo_requested', 'undo_refused'].includes(stringIn(data, 'code') ?? '');
}

/** The line of the checkpoint says it, right above. */
function isOfCompaction(data: Item['data']): boolean {
  return ['overflow_recovery', 'websocket_critical_recovery'].includes(stringIn(data, 'code') ?? '');
}

function emptyTurn(turn_id: string): Turn {
  return {
    kind: 'turn',
    turn_id,
    prompt: null,
    entries: [],
    run: 'running',
    failure: null,
    fold: NO_EVIDENCE,
  };
}

function applyToTurn(turn: Turn, item: Item): Turn {
  return { ...withEntry(turn, item), fold: applyToEvidence(turn.fold, item) };
}

function withEntry(turn: Turn, item: Item): Turn {
  const { seq, ts, type, data } = item;
  const stream_run_id = stringIn(data, 'stream_run_id') ?? '';
  const add = (entry: Entry): Turn => ({ ...turn, entries: [...turn.entries, entry] });
  switch (type) {
    case 'user_message':
      return { ...turn, prompt: promptOf(item) };
    case 'assistant_message':
      return add({
        kind: 'text',
        seq,
        ts,
        stream_run_id,
        text: stringIn(data, 'text') ?? '',
        partial: isTrueIn(data.metadata, 'partial'),
        whole: data.output_index === undefined || numberIn(data, 'output_index') === lastIndex(data),
        cut: isCut(data, 'text'),
      });
    case 'reasoning': {
      const summary = stringIn(data, 'summary') ?? '';
      return summary === ''
        ? turn
        : add({ kind: 'thought', seq, stream_run_id, summary, ms: numberIn(data, 'thought_ms') ?? null });
    }
    case 'tool_call':
      return add(newCall(item));
    case 'tool_result':
    case 'tool_call_status':
    case 'tool_call_decision':
    case 'permission_decision':
      return changeCall(turn, data, (call) => applyToCall(call, item));
    case 'run_status':
      return { ...turn, run: stringIn(data, 'status') ?? turn.run };
    case 'turn_failed':
      return { ...turn, failure: failureOf(data) };
    default: {
      const line = lineOf(item);
      return line === null ? turn : add(line);
    }
  }
}

function lastIndex(data: unknown): number | undefined {
  const count = numberIn(data, 'output_count');
  return count === undefined ? undefined : count - 1;
}

function promptOf({ seq, ts, data }: Item): Prompt {
  return {
    seq,
    ts,
    text: stringIn(data, 'text') ?? '',
    client_turn_id: stringIn(data, 'client_turn_id') ?? '',
    attachments: listIn(data, 'attachments').map(attachedOf),
    cut: isCut(data, 'text'),
  };
}

function attachedOf(data: unknown): Attached {
  const kind = stringIn(data, 'kind') ?? 'attachment';
  const path = stringIn(data, 'path') ?? null;
  const name = stringIn(data, 'label') ?? path ?? kind;
  const line = numberIn(data, 'start_line') ?? null;
  return { kind, name, path, line, bytes: numberIn(data, 'bytes') ?? null };
}

function failureOf(data: Item['data']): Failure {
  return {
    terminal_status: stringIn(data, 'terminal_status') ?? 'failed',
    error_kind: stringIn(data, 'error_kind') ?? 'unknown',
    message: stringIn(data, 'error_message') ?? '',
    timeout_ms: numberIn(data, 'timeout_ms') ?? null,
    details: data.details,
    actions: actionsIn(data.next_actions),
  };
}

function changeCall(turn: Turn, data: unknown, change: (call: CallEntry) => CallEntry): Turn {
  const call_id = stringIn(data, 'call_id');
  return {
    ...turn,
    entries: turn.entries.map((entry) =>
      entry.kind === 'call' && entry.call_id === call_id ? change(entry) : entry,
    ),
  };
}

export function actionsIn(value: unknown): readonly Action[] {
  return (Array.isArray(value) ? value : []).flatMap((one: unknown) => {
    const label = stringIn(one, 'label');
    const command = stringIn(one, 'command');
    if (label === undefined || command === undefined || !isRecord(one)) return [];
    return [{ label, command, ...(one.args === undefined ? {} : { args: one.args }) }];
  });
}

/** Events with a line of their own; the others are evidence that other views show. */
function lineOf(item: Item): MarkEntry | CheckpointEntry | null {
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
