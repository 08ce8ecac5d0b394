import type { EventData, LogEvent } from '../../../src/runtime/events.ts';
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

  /** Where a call stands. */
  callState(callId: string): string {
    return this.moves(callId).at(-1)?.data.to ?? 'new';
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
    const answer = this.of('assistant_message').findLast(({ data }) => {
      const asked = calls.some((call) => call.data.stream_run_id === data.stream_run_id);
      return !data.metadata.partial && data.text !== '' && !asked && this.isWhole(data.stream_run_id);
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
