import { channelOf } from '../channels.ts';
import type { EventData, LogEvent } from '../events.ts';
import { unreachable } from '../unreachable.ts';
import { compactedEntries, type CheckpointPlace } from './checkpoint.ts';
import {
  admits,
  assistantItem,
  callItem,
  isReasoning,
  placeholder,
  sameTarget,
  type ExclusionReason,
  type ReplayEntry,
  type ReplayTarget,
} from './entries.ts';
import type { CallOutput, InputItem } from './items.ts';
import {
  branchItem,
  callOutput,
  checkpointItem,
  developerItem,
  interruptionItem,
  skillItem,
  subagentItem,
  userItem,
} from './labels.ts';
import { WEIGHTLESS, withWeight, type Weights } from './weights.ts';

export type { ExclusionReason, ReplayEntry, ReplayTarget } from './entries.ts';

/** A call whose result has not come. `slot` is where its placeholder stands, once something follows it. */
interface OpenCall {
  readonly seq: number;
  readonly stream: string;
  slot: number | null;
}

/** What was sent to a target so far, and what is known of its weight. */
interface Built {
  readonly target: ReplayTarget;
  readonly sent: ReplayEntry[];
  readonly items: InputItem[];
  upTo: number;
  weights: Weights;
  weighed: number;
}

/**
 * Folds a log into the `input` of a request. It only ever grows by what the new events add; the one thing
 * that changes what was there before is the end of a pending call, a checkpoint, or another target.
 *
 * An accumulator with one owner: `foldReplay` is the pure function it computes step by step.
 */
export class ReplayFold {
  private entries: ReplayEntry[] = [];
  private held: ReplayEntry[] = [];
  private heldStream = '';
  private readonly open = new Map<string, OpenCall>();
  /** Every call ever asked for, with why a result of it would be left out once it is not open. */
  private readonly calls = new Map<string, ExclusionReason>();
  private context: ReplayEntry | null = null;
  private checkpoint: ReplayEntry | null = null;
  private readonly notes = new Map<number, ExclusionReason>();
  private built: Built | null = null;

  push(event: LogEvent): void {
    if (channelOf(event) !== 'replayed') return;
    switch (event.type) {
      case 'developer_context':
        return this.enter(event.seq, event.data);
      case 'user_message':
        return this.add({ seq: event.seq, item: userItem(event.data.text, event.data.attachments) });
      case 'assistant_message':
        if (event.data.text === '') return this.exclude(event.seq, 'empty_message');
        return this.respond({ seq: event.seq, item: assistantItem(event.data) }, event.data.stream_run_id);
      case 'reasoning':
        return this.hold(event.seq, event.data);
      case 'tool_call': {
        const { call_id, stream_run_id: stream } = event.data;
        this.respond({ seq: event.seq, item: callItem(event.data) }, stream);
        this.open.set(call_id, { seq: event.seq, stream, slot: null });
        this.calls.set(call_id, 'second_result_of_call');
        return;
      }
      case 'tool_result': {
        return this.settle(event.seq, event.data.call_id, callOutput(event.data));
      }
      case 'interruption_note':
        return this.add({ seq: event.seq, item: interruptionItem(event.data) });
      case 'skill_activation':
        return this.add({ seq: event.seq, item: skillItem(event.data), skill: true });
      case 'branch_summary':
        return this.add({ seq: event.seq, item: branchItem(event.data) });
      case 'subagent_event':
        return this.add({ seq: event.seq, item: subagentItem(event.data) });
      case 'history_compaction':
        return this.compact({ seq: event.seq, item: checkpointItem(event.data) }, event.data);
      case 'session_started':
      case 'session_fork':
      case 'tool_call_status':
      case 'tool_call_decision':
      case 'run_status':
      case 'permission_decision':
      case 'file_change':
      case 'provider_usage':
      case 'turn_failed':
      case 'workflow_event':
      case 'diagnostic':
      case 'unknown':
        return;
      default:
        return unreachable(event);
    }
  }

  /** The context from here on. Called directly when folding begins after the event that told it. */
  enter(seq: number, context: EventData['developer_context']): void {
    this.context = { seq, item: developerItem(context) };
    this.add(this.context);
  }

  /** The input for a target. A fresh array of shared, immutable items. */
  input(target: ReplayTarget): readonly InputItem[] {
    return [...this.upToDate(target).items, ...this.trailingPlaceholders().map((entry) => entry.item)];
  }

  /** What that weighs: only what is new is weighed. */
  weights(target: ReplayTarget): Weights {
    const built = this.upToDate(target);
    built.weights = built.sent.slice(built.weighed).reduce(withWeight, built.weights);
    built.weighed = built.sent.length;
    return this.trailingPlaceholders().reduce(withWeight, built.weights);
  }

  /** Costs what is new since the last time. */
  private upToDate(target: ReplayTarget): Built {
    if (this.built === null || !sameTarget(this.built.target, target))
      this.built = { target, sent: [], items: [], upTo: 0, weights: WEIGHTLESS, weighed: 0 };
    const { built } = this;
    for (; built.upTo < this.entries.length; built.upTo += 1) {
      const entry = this.entries[built.upTo];
      if (entry === undefined || admits(target, entry) !== null) continue;
      built.sent.push(entry);
      built.items.push(entry.item);
    }
    return built;
  }

  /** What `input` is made of, for inspection: each entry with its source, and why it is left out. */
  explain(target: ReplayTarget): {
    readonly sent: readonly ReplayEntry[];
    readonly excluded: ReadonlyMap<number, ExclusionReason>;
  } {
    const excluded = new Map(this.notes);
    for (const entry of this.held) excluded.set(entry.seq, 'reasoning_without_following_item');
    const sent: ReplayEntry[] = [];
    for (const entry of this.entries) {
      const reason = admits(target, entry);
      if (reason === null) sent.push(entry);
      else excluded.set(entry.seq, reason);
    }
    return { sent: [...sent, ...this.trailingPlaceholders()], excluded };
  }

  /** What would be sent with one more checkpoint, whether it comes to be or not. */
  withCheckpoint(checkpoint: EventData['history_compaction'], target: ReplayTarget): readonly ReplayEntry[] {
    const entry = { seq: Infinity, item: checkpointItem(checkpoint) };
    const { context, checkpoint: previous } = this;
    const entries = [...this.entries, ...this.trailingPlaceholders()];
    return compactedEntries({ entries, context, checkpoint: previous }, entry, checkpoint).filter(
      (one) => admits(target, one) === null,
    );
  }

  /** The entries behind `input`. */
  sent(target: ReplayTarget): readonly ReplayEntry[] {
    return [...this.upToDate(target).sent, ...this.trailingPlaceholders()];
  }

  knowsCall(callId: string): boolean {
    return this.calls.has(callId);
  }

  private add(entry: ReplayEntry, stream: string | null = null): void {
    this.dropHeld();
    this.fillSlots(stream);
    this.entries.push(entry);
  }

  /** An item of a response: the reasoning that led to it goes before it. */
  private respond(entry: ReplayEntry, stream: string): void {
    this.releaseHeld(stream);
    this.add(entry, stream);
  }

  /** The items of one response stand together; what is pending gets its place after the last of them. */
  private fillSlots(stream: string | null): void {
    for (const [callId, call] of this.open) {
      if (call.slot !== null || call.stream === stream) continue;
      call.slot = this.entries.length;
      this.entries.push(placeholder(call.seq, callId));
    }
  }

  private trailingPlaceholders(): readonly ReplayEntry[] {
    return [...this.open]
      .filter(([, call]) => call.slot === null)
      .map(([callId, call]) => placeholder(call.seq, callId));
  }

  private settle(seq: number, callId: string, output: CallOutput): void {
    const call = this.open.get(callId);
    if (call === undefined) return this.exclude(seq, this.calls.get(callId) ?? 'result_without_call');
    this.dropHeld();
    this.open.delete(callId);
    const entry: ReplayEntry = { seq, item: { type: 'function_call_output', call_id: callId, output } };
    if (call.slot === null) {
      this.entries.push(entry);
    } else {
      this.entries[call.slot] = entry;
      this.built = null;
    }
  }

  /** Reasoning is only sent once something of its own response stands after it. */
  private hold(seq: number, { item, model, endpoint, stream_run_id }: EventData['reasoning']): void {
    if (!isReasoning(item)) return this.exclude(seq, 'reasoning_not_an_item');
    if (this.heldStream !== stream_run_id) this.dropHeld();
    this.heldStream = stream_run_id;
    this.held.push({ seq, item, origin: { model, endpoint } });
  }

  private releaseHeld(stream: string): void {
    if (this.heldStream !== stream || this.held.length === 0) return;
    const held = this.held;
    this.held = [];
    this.fillSlots(stream);
    this.entries.push(...held);
  }

  private dropHeld(): void {
    for (const entry of this.held) this.exclude(entry.seq, 'reasoning_without_following_item');
    this.held = [];
  }

  /** A checkpoint takes the place of all before its tail, and of the checkpoint before it. */
  private compact(checkpoint: ReplayEntry, place: CheckpointPlace): void {
    this.dropHeld();
    this.fillSlots(null);
    const before = this.entries;
    const { entries, context, checkpoint: previous } = this;
    this.entries = [...compactedEntries({ entries, context, checkpoint: previous }, checkpoint, place)];
    this.checkpoint = checkpoint;
    this.built = null;
    const kept = new Set(this.entries);
    for (const entry of before) if (!kept.has(entry)) this.exclude(entry.seq, 'before_checkpoint');
    const calls = new Set(
      this.entries.flatMap(({ item }) => (item.type === 'function_call' ? [item.call_id] : [])),
    );
    for (const callId of this.open.keys()) {
      if (calls.has(callId)) continue;
      this.open.delete(callId);
      this.calls.set(callId, 'before_checkpoint');
    }
    this.entries.forEach(({ item, placeholder: stands }, index) => {
      const call = stands && item.type === 'function_call_output' ? this.open.get(item.call_id) : undefined;
      if (call !== undefined) call.slot = index;
    });
  }

  private exclude(seq: number, reason: ExclusionReason): void {
    this.notes.set(seq, reason);
  }
}

/** The pure function: the input that a log gives. */
export function foldReplay(events: Iterable<LogEvent>, target: ReplayTarget): readonly InputItem[] {
  const fold = new ReplayFold();
  for (const event of events) fold.push(event);
  return fold.input(target);
}
