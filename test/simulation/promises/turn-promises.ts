import type { LogEvent } from '../../../src/runtime/events.ts';
import type { Shown } from '../world.ts';
import { first, type Promised } from './promise.ts';
import type { TurnFacts } from './turn-facts.ts';

export interface TurnView {
  readonly turn: TurnFacts;
  /** Whether a call of it has changed the world. */
  readonly affected: (callId: string) => boolean;
  /** By stream: what people were shown while it streamed. */
  readonly shown: ReadonlyMap<string, Shown>;
  readonly hasEffects: (toolName: string) => boolean;
  /** Whether an event was written by the opening of the session, before anybody could do anything. */
  readonly recovered: (seq: number) => boolean;
}

/** The tables of the contract, written down a second time. */
const CALL_MOVES: Readonly<Record<string, string>> = {
  new: 'running suspended failed cancelled',
  running: 'suspended succeeded failed cancelled',
  suspended: 'resuming cancelled',
  resuming: 'running suspended succeeded failed cancelled',
};
const RUN_MOVES: Readonly<Record<string, string>> = { running: 'waiting done', waiting: 'running done' };

const NO_EFFECT = /had no effect|did not run(?! again)/;

/** Held by every turn of a log, at every moment and so in every prefix of it. */
export const TURN_PROMISES: readonly Promised<TurnView>[] = [
  {
    says: 'every event of a turn names the send that caused it',
    broken: ({ turn }) =>
      first(turn.events, (event) => {
        const named = 'client_turn_id' in event.data ? event.data.client_turn_id : undefined;
        return named === undefined || (turn.client_turn_id !== undefined && named !== turn.client_turn_id)
          ? `${line(event)} names ${named}, not ${turn.client_turn_id}`
          : null;
      }),
  },
  {
    says: 'a turn begins with one user message, and all of it follows',
    broken: ({ turn }) => {
      const prompts = turn.of('user_message');
      const before = turn.events.find(({ type }) => type !== 'interruption_note');
      if (before === undefined) return null;
      return prompts.length === 1 && before.type === 'user_message' ? null : `begins with ${line(before)}`;
    },
  },
  {
    says: 'every event of a call follows the call and names its stream',
    broken: ({ turn }) =>
      first(turn.events, (event) => {
        if (!('call_id' in event.data) || event.type === 'tool_call') return null;
        const { call_id, stream_run_id } = event.data;
        const call = turn.of('tool_call').find(({ data }) => data.call_id === call_id);
        const fits = call !== undefined && call.seq < event.seq && call.data.stream_run_id === stream_run_id;
        return fits ? null : `${line(event)} of ${call_id}, stream ${stream_run_id}`;
      }),
  },
  {
    says: 'calls move only as their table says',
    broken: ({ turn }) =>
      first(turn.of('tool_call'), ({ data: { call_id } }) => {
        let state = 'new';
        for (const move of turn.moves(call_id)) {
          const { from, to } = move.data;
          if (from !== state || !CALL_MOVES[from]?.split(' ').includes(to))
            return `${line(move)} ${call_id}: ${from} -> ${to}, was ${state}`;
          state = to;
        }
        return null;
      }),
  },
  {
    says: 'runs move only as their table says',
    broken: ({ turn }) => {
      // A prompt alone already runs: the log may end before the first status.
      let state = 'running';
      return first(turn.of('run_status').entries(), ([index, event]) => {
        const { status } = event.data;
        const legal =
          index === 0 && status === 'running' ? true : RUN_MOVES[state]?.split(' ').includes(status);
        const was = state;
        state = status;
        return legal === true ? null : `${line(event)}: ${was} -> ${status}`;
      });
    },
  },
  {
    says: 'a call has one result, and it fits its final state',
    broken: ({ turn }) =>
      first(turn.of('tool_call'), ({ data: { call_id } }) => {
        const results = turn.results(call_id);
        if (results.length > 1) return `${results.length} results of ${call_id}`;
        if (!turn.isSettled(call_id)) return null;
        const succeeded = turn.callState(call_id) === 'succeeded';
        return results[0]?.data.ok === succeeded ? null : `${call_id} is ${turn.callState(call_id)}`;
      }),
  },
  {
    says: 'a run that is done has no open call, and nothing of its turn follows',
    broken: ({ turn }) => {
      const done = turn.of('run_status').find(({ data }) => data.status === 'done');
      if (done === undefined) return null;
      const open = turn.of('tool_call').find(({ data }) => !turn.isSettled(data.call_id));
      if (open !== undefined) return `${open.data.call_id} is ${turn.callState(open.data.call_id)}`;
      const after = turn.events.find(({ seq }) => seq > done.seq);
      return after === undefined ? null : `${line(after)} after done at ${done.seq}`;
    },
  },
  {
    says: 'a run ends naturally where its turn is completed, and only there',
    broken: ({ turn }) => {
      const done = turn.of('run_status').find(({ data }) => data.status === 'done');
      if (done === undefined) return null;
      const natural = done.data.reason === 'natural_end';
      return natural === (turn.state === 'completed') && turn.state !== 'running'
        ? null
        : `${done.data.reason} with the turn ${turn.state}`;
    },
  },
  {
    says: 'a failure is told once, with all its state needs and what to do next',
    broken: ({ turn }) => {
      const failures = turn.of('turn_failed');
      const [failure] = failures;
      if (failure === undefined) return null;
      if (failures.length > 1) return `${failures.length} times`;
      const { data } = failure;
      if (data.next_actions.length === 0 || data.error_kind === '' || data.error_message === '')
        return `${line(failure)} says too little`;
      const reasons = ['user_cancelled', 'superseded', 'disconnect'];
      const text = turn.partial?.data.text ?? '';
      switch (data.terminal_status) {
        case 'interrupted':
          return reasons.includes(data.interrupted_reason ?? '') ? null : `reason ${data.interrupted_reason}`;
        case 'timed_out':
          return (data.elapsed_ms ?? 0) >= (data.timeout_ms ?? Number.NaN) && data.timeout_ms !== 0
            ? null
            : `${data.elapsed_ms} of ${data.timeout_ms} ms`;
        case 'partial_failed':
          return text === '' ? 'partial_failed without text' : null;
        case 'failed':
          return text === '' ? null : 'failed, with partial text';
      }
    },
  },
  {
    says: 'partial text is what was shown, of a stream that was not committed',
    broken: ({ turn, shown }) => {
      const partials = turn.of('assistant_message').filter(({ data }) => data.metadata.partial);
      return first(partials.entries(), ([at, { data }]) => {
        const { text, stream_run_id } = data;
        if (turn.isWhole(stream_run_id)) return `${stream_run_id} is committed`;
        const twin = partials.findIndex((other) => other.data.stream_run_id === stream_run_id);
        if (twin !== at) return `${stream_run_id} twice`;
        const recorded = turn.textOf(stream_run_id);
        const seen = shown.get(stream_run_id)?.text ?? '';
        return text !== '' && seen.startsWith(recorded) ? null : `${recorded} of ${stream_run_id}`;
      });
    },
  },
  {
    says: 'all that was shown of an answer that did not finish is kept',
    broken: ({ turn, shown }) => {
      if (turn.of('turn_failed').length === 0) return null;
      return first(shown, ([stream, { turn_id, text, cut }]) => {
        const concerned = turn_id === turn.turn_id && !cut && !turn.isWhole(stream);
        return concerned && turn.textOf(stream) !== text ? `${text} of ${stream}` : null;
      });
    },
  },
  {
    says: 'a result never denies an effect that happened',
    broken: ({ turn, affected }) =>
      first(turn.of('tool_result'), ({ data: { call_id, error } }) =>
        affected(call_id) && (error?.kind === 'never_started' || NO_EFFECT.test(error?.message ?? ''))
          ? `${call_id} happened, and is told as ${error?.kind}: ${error?.message}`
          : null,
      ),
  },
  {
    says: 'a call with effects that was cut off is not simply closed: its outcome is unknown',
    broken: ({ turn, hasEffects, recovered }) =>
      first(turn.of('tool_call'), ({ data: { call_id, name, args } }) => {
        const [result] = turn.results(call_id);
        const kind = result?.data.error?.kind;
        // One that would ask is not asked for any more by a run that ends, and says so.
        if (args.includes('"deed":"suspend"') && !recovered(result?.seq ?? -1)) return null;
        // A bug closes the calls of its turn; a torn write may leave only that of the closing.
        const bug =
          args.includes('"deed":"bug"') ||
          turn.of('turn_failed').some(({ data }) => data.error_kind === 'internal');
        return hasEffects(name) && kind === 'interrupted' && !bug ? call_id : null;
      }),
  },
];

function line(event: LogEvent): string {
  return `seq ${event.seq} ${event.type}`;
}
