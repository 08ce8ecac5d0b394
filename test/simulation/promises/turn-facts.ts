import type { EventData, LogEvent, Suspension } from '../../../src/runtime/events.ts';
import type { TurnState } from '../../../src/runtime/turn.ts';

type Of<T extends LogEvent['type']> = Extract<LogEvent, { type: T }>;

/** One turn as its raw events tell it. Slow and plain on purpose: it judges the runtime's own folds. */
export class TurnFacts {
  constructor(
    readonly turn_id: string,
    readonly events: readonly LogEvent[],
  ) {}

  of<T extends LogEvent['type']>(type: T): readonly Of<T>[] {
    return this.events.filter((event): event is Of<T> => event.type === type);
  }

  get client_turn_id(): string | undefined {
    return this.of('user_message')[0]?.data.client_turn_id;
  }

  get partial(): Of<'assistant_message'> | undefined {
    return this.of('assistant_message').find(({ data }) => data.metadata.partial);
  }

  /** All that the log has of what a stream said. */
  textOf(stream: string): string {
    const messages = this.of('assistant_message').filter(({ data }) => data.stream_run_id === stream);
    return messages.map(({ data }) => data.text).join('');
  }

  moves(callId: string): readonly Of<'tool_call_status'>[] {
    return this.of('tool_call_status').filter(({ data }) => data.call_id === callId);
  }

  results(callId: string): readonly Of<'tool_result'>[] {
    return this.of('tool_result').filter(({ data }) => data.call_id === callId);
  }

  /** Where a call stands, or stood before an event. */
  callState(callId: string, before = Infinity): string {
    return this.moves(callId).findLast(({ seq }) => seq < before)?.data.to ?? 'new';
  }

  /** Its moves, and what a person said about it, in order. */
  storyOf(callId: string): readonly (Of<'tool_call_status'> | Of<'tool_call_decision'>)[] {
    return this.events.filter(
      (event): event is Of<'tool_call_status'> | Of<'tool_call_decision'> =>
        (event.type === 'tool_call_status' || event.type === 'tool_call_decision') &&
        event.data.call_id === callId,
    );
  }

  /** What was asked about a call and answered with `resume`, oldest first. */
  approvals(callId: string): readonly { readonly seq: number; readonly suspension: Suspension }[] {
    let asked: Suspension | null = null;
    return this.moves(callId).flatMap(({ seq, data }) => {
      const suspension = asked;
      asked = data.suspension ?? null;
      return data.to === 'resuming' && suspension !== null ? [{ seq, suspension }] : [];
    });
  }

  /** Whether a call was pending before an event, and nobody had said anything about that. */
  isUndecided(callId: string, before = Infinity): boolean {
    if (
      this.callState(callId, before) !== 'suspended' ||
      this.results(callId).some(({ seq }) => seq < before)
    )
      return false;
    return this.say(callId, before) === null;
  }

  /** What a person has said about a call and nothing has come of yet. */
  say(callId: string, before = Infinity): string | null {
    let said: string | null = null;
    for (const event of this.storyOf(callId)) {
      if (event.seq >= before) break;
      if (event.type === 'tool_call_decision') said ??= event.data.action;
      else if (event.data.to === 'resuming' || event.data.suspension?.reason === 'outcome_unknown')
        said = null;
    }
    return said;
  }

  /** Pending calls, by the id of what is asked. */
  get pending(): ReadonlyMap<string, string> {
    const calls = this.of('tool_call').filter(({ data }) => this.callState(data.call_id) === 'suspended');
    return new Map(
      calls.map(({ data }) => [data.call_id, this.moves(data.call_id).at(-1)?.data.suspension?.id ?? '']),
    );
  }

  isSettled(callId: string): boolean {
    return (
      ['succeeded', 'failed', 'cancelled'].includes(this.callState(callId)) && this.results(callId).length > 0
    );
  }

  /** Whether every item of a response is in the log. */
  isWhole(stream: string): boolean {
    const items = this.responseItems(stream);
    const count = items[0]?.output_count;
    return count !== undefined && items.length === count;
  }

  responseItems(stream: string): readonly { readonly output_count?: number }[] {
    return this.events.flatMap((event) => {
      if (event.type !== 'assistant_message' && event.type !== 'reasoning' && event.type !== 'tool_call')
        return [];
      const { data } = event;
      const partial = 'metadata' in data && data.metadata.partial;
      return data.stream_run_id === stream && !partial ? [data as EventData['tool_call']] : [];
    });
  }

  /** The state by the table of evidence in the contract. */
  get state(): TurnState {
    const failed = this.of('turn_failed')[0];
    if (failed !== undefined) return failed.data.terminal_status;
    if (this.isCompleted()) return 'completed';
    const calls = this.of('tool_call').map(({ data }) => this.callState(data.call_id));
    const waits = this.of('run_status').at(-1)?.data.status === 'waiting' && calls.includes('suspended');
    return waits ? 'waiting' : 'running';
  }

  private isCompleted(): boolean {
    const calls = this.of('tool_call');
    const lastWork = [...calls, ...this.of('tool_result')].reduce((last, { seq }) => Math.max(last, seq), -1);
    const answer = this.of('assistant_message').findLast(({ seq, data }) => {
      const asked = calls.some((call) => call.data.stream_run_id === data.stream_run_id);
      // The last word about a request only while what was pending in it still is.
      const stale = (data.pending_calls ?? []).some((id) => this.results(id).some((r) => r.seq < seq));
      return (
        !stale &&
        !data.metadata.partial &&
        data.text.trim() !== '' &&
        !asked &&
        this.isWhole(data.stream_run_id)
      );
    });
    return (
      answer !== undefined && answer.seq > lastWork && calls.every(({ data }) => this.isSettled(data.call_id))
    );
  }
}

/** The turns of a log, oldest first. A turn begins with its prompt; a note alone does not make one. */
export function turnsOf(events: readonly LogEvent[]): readonly TurnFacts[] {
  const byTurn = new Map<string, LogEvent[]>();
  for (const event of events) {
    const turn_id = turnIdOf(event);
    if (turn_id === undefined) continue;
    const known = byTurn.get(turn_id);
    if (known === undefined) byTurn.set(turn_id, [event]);
    else known.push(event);
  }
  return [...byTurn]
    .map(([turn_id, its]) => new TurnFacts(turn_id, its))
    .filter((turn) => turn.events.some(({ type }) => type !== 'interruption_note'));
}

export function turnIdOf(event: LogEvent): string | undefined {
  return 'turn_id' in event.data ? event.data.turn_id : undefined;
}
