import { channelOf } from './channels.ts';
import { draft, redraft, type Draft, type EventData, type KnownEvent, type LogEvent } from './events.ts';
import { field, numberOrNull } from './loose-fields.ts';
import { forkContext } from './pressure.ts';
import type { SessionState } from './session-state.ts';

/** Whether a fork has it: what the model has seen, and nothing else. */
export function isInFork(event: LogEvent): event is KnownEvent {
  return event.type !== 'unknown' && channelOf(event) === 'replayed';
}

type Parent = Pick<SessionState, 'session_id' | 'fork_root_session_id' | 'pressure'>;

/** Pure: the first event of a fork says where it comes from. */
export function forkHead(
  parent: Parent,
  { forked_to_seq, places }: { readonly forked_to_seq: number; readonly places: NewPlaces },
): Draft {
  const context = forkContext(parent.pressure);
  return draft('session_fork', {
    parent_session_id: parent.session_id,
    fork_root_session_id: parent.fork_root_session_id,
    forked_to_seq,
    replay_event_count: places.count,
    ...(context === null ? {} : { context }),
  });
}

/**
 * Pure: the log of a fork: where it comes from, then what the model has seen up to there. Whoever writes one goes through the
 * parent line by line instead, and is held to this by a test.
 */
export function forkDrafts(parent: Parent, events: readonly LogEvent[]): readonly Draft[] {
  const replayed = events.filter(isInFork);
  const places = new NewPlaces(replayed.map(({ seq }) => seq));
  const forked_to_seq = events.at(-1)?.seq ?? -1;
  return [forkHead(parent, { forked_to_seq, places }), ...replayed.map((event) => movedDraft(event, places))];
}

/** Where the events of the parent are in the fork. Its first event says where it comes from. */
export class NewPlaces {
  constructor(private readonly seqs: readonly number[]) {}

  get count(): number {
    return this.seqs.length;
  }

  /** The place of an event; of one that is not in the fork, that of the first after it that is. */
  from(seq: number): number {
    let [low, high] = [0, this.seqs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.seqs[middle] ?? seq) < seq) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  has(seq: number): boolean {
    return this.seqs[this.from(seq) - 1] === seq;
  }
}

/** A checkpoint names events of its log by their seq: it cuts off in the fork what it cuts off in the parent. */
export function movedDraft(event: KnownEvent, places: NewPlaces): Draft {
  if (event.type !== 'history_compaction') return redraft(event);
  const { range, tail_from_seq, keeps, tool_calls, ...rest } = event.data;
  const data: EventData['history_compaction'] = {
    ...rest,
    range: { ...range, from_seq: places.from(range.from_seq), to_seq: places.from(range.to_seq + 1) - 1 },
    tail_from_seq: places.from(tail_from_seq),
    // One that is not in the fork was not sent either: its neighbour was never meant.
    ...(keeps === undefined
      ? {}
      : { keeps: keeps.filter((seq) => places.has(seq)).map((seq) => places.from(seq)) }),
    ...(tool_calls === undefined ? {} : { tool_calls: movedCalls(tool_calls, places) }),
  };
  return draft('history_compaction', data);
}

/** Only people and later checkpoints read these: what has another shape stays as it is. */
function movedCalls(calls: unknown, places: NewPlaces): unknown {
  const last = field(calls, 'last');
  if (typeof calls !== 'object' || !Array.isArray(last)) return calls;
  return { ...calls, last: last.map((call: unknown) => movedCall(call, places)) };
}

function movedCall(call: unknown, places: NewPlaces): unknown {
  const seq = numberOrNull(call, 'seq');
  return typeof call !== 'object' || seq === null ? call : { ...call, seq: places.from(seq) };
}
