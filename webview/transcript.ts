import type { Item } from '../src/presenter/protocol.ts';
import { applyToEvidence, NO_EVIDENCE, type EvidenceFold } from '../src/presenter/turn-evidence.ts';
import type { CompactionFacts } from '../src/presenter/compaction-facts.ts';
import { actionsIn, type Action } from './actions.ts';
import { holds, isOfCrew, memberEntry, withMember, type MemberEntry } from './agents/placing.ts';
import { applyToCall, isCut, newCall, type CallEntry } from './call-entry.ts';
import { isTrueIn, listIn, numberIn, stringIn } from './fields.ts';
import { isOfUndo, lineOf } from './marks.ts';

/** What the conversation shows: a fold of the log's items, and of nothing else. */

/** What went with a prompt. */
export interface Attached {
  readonly kind: string;
  readonly name: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly end_line: number | null;
  /** What the log proves of it; null where it does not say. */
  readonly sha256: string | null;
  readonly bytes: number | null;
  readonly lines: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly truncated: boolean;
  readonly unsaved: boolean;
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
  /** Asks for the text that it speaks of, as it is on record. */
  readonly opens: { readonly type: 'open_skill'; readonly turn_id: string; readonly seq: number } | null;
  /** Of a fork: from where it was made. */
  readonly forked?: { readonly from: string; readonly to: number };
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

/** What the model is told of what a fork left behind. */
export interface BranchEntry extends Omit<CheckpointEntry, 'kind'> {
  readonly kind: 'branch';
}

export type Entry =
  | CallEntry
  | TextEntry
  | ThoughtEntry
  | MarkEntry
  | CheckpointEntry
  | BranchEntry
  | MemberEntry;

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
  /** Children or workflows stand in it. */
  readonly has_members: boolean;
  readonly run: string;
  readonly failure: Failure | null;
  /** What it did, as far as it is shown. */
  readonly fold: EvidenceFold;
}

export type Block = Turn | MarkEntry | CheckpointEntry | BranchEntry | MemberEntry;

export function foldItems(items: readonly Item[]): readonly Block[] {
  return items.reduce(applyItem, []);
}

/** Pure: the conversation after one more item. Turns that the item does not touch stay the same objects. */
export function applyItem(blocks: readonly Block[], item: Item): readonly Block[] {
  const { turn_id } = item;
  if (isOfCrew(item)) return applyOfCrew(blocks, item);
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

/** Only the first event of a child or a workflow in a turn adds to it: what the others say is in the fold of the crew. */
function applyOfCrew(blocks: readonly Block[], item: Item): readonly Block[] {
  const { turn_id } = item;
  const entry = memberEntry(item);
  if (entry === null) return blocks;
  if (turn_id === undefined) return isPlaced(blocks, entry) ? blocks : [...blocks, entry];
  const at = blocks.findLastIndex((block) => block.kind === 'turn' && block.turn_id === turn_id);
  const known = blocks[at];
  if (known?.kind === 'turn') {
    const entries = withMember(known.entries, entry);
    const fold = applyToEvidence(known.fold, item);
    if (entries === known.entries && fold === known.fold) return blocks;
    return blocks.with(at, { ...known, entries, fold, has_members: true });
  }
  // A turn begins with more than this: where others are known, it is an earlier one.
  const isEarlier = blocks.some(({ kind }) => kind === 'turn');
  if (isEarlier) return blocks;
  const fold = applyToEvidence(NO_EVIDENCE, item);
  return [...blocks, { ...emptyTurn(turn_id), entries: [entry], fold, has_members: true }];
}

function isPlaced(blocks: readonly Block[], entry: MemberEntry): boolean {
  return blocks.some((block) => holds(block.kind === 'turn' ? block.entries : [block], entry));
}

/** Recorded when its turn was long over: by itself it is no turn. */
function isLater({ type, data }: Item): boolean {
  if (type === 'file_change') return listIn(data, 'undo_of').length + listIn(data, 'redo_of').length > 0;
  return type === 'diagnostic' && isOfUndo(data);
}

function emptyTurn(turn_id: string): Turn {
  return {
    kind: 'turn',
    turn_id,
    prompt: null,
    entries: [],
    has_members: false,
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
  return {
    kind,
    name,
    path,
    line: numberIn(data, 'start_line') ?? null,
    end_line: numberIn(data, 'end_line') ?? null,
    sha256: stringIn(data, 'sha256') ?? null,
    bytes: numberIn(data, 'bytes') ?? null,
    lines: numberIn(data, 'lines') ?? null,
    width: numberIn(data, 'width') ?? null,
    height: numberIn(data, 'height') ?? null,
    truncated: isTrueIn(data, 'truncated'),
    unsaved: isTrueIn(data, 'unsaved'),
  };
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
