import { isDeepStrictEqual } from 'node:util';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { foldReplay, type ReplayTarget } from '../../../src/runtime/replay/fold.ts';
import { interruptionText } from '../../../src/runtime/replay/labels.ts';
import type { Session } from '../../../src/runtime/session.ts';
import { applyToSession, emptySession } from '../../../src/runtime/session-state.ts';
import { turnState } from '../../../src/runtime/turn.ts';
import type { DurableLog } from '../durable-log.ts';
import { first, type Promised } from './promise.ts';
import type { TurnFacts } from './turn-facts.ts';

/** Held by every event when it is shown. */
export const PUBLISHING_PROMISES: readonly Promised<{
  readonly events: readonly LogEvent[];
  readonly log: DurableLog;
}>[] = [
  {
    says: 'an event is durable before it is shown',
    broken: ({ events, log }) =>
      first(events, (event) =>
        isDeepStrictEqual(withoutNothing(log.events[event.seq]), withoutNothing(event))
          ? null
          : `seq ${event.seq} ${event.type}`,
      ),
  },
];

export interface LogView {
  readonly log: DurableLog;
  readonly turns: readonly TurnFacts[];
  /** By client_turn_id: the turn that an answered send was told of. */
  readonly acknowledged: ReadonlyMap<string, string>;
  readonly published: ReadonlyMap<number, LogEvent>;
}

/** Held by the log as a whole, at every moment. */
export const LOG_PROMISES: readonly Promised<LogView>[] = [
  {
    says: 'a client_turn_id has one user message',
    broken: ({ turns }) => {
      const ids = turns.flatMap((turn) => turn.of('user_message').map(({ data }) => data.client_turn_id));
      return first(ids.entries(), ([at, id]) => (ids.indexOf(id) === at ? null : id));
    },
  },
  {
    says: 'nothing acknowledged is lost',
    broken: ({ turns, acknowledged }) =>
      first(acknowledged, ([client, turn_id]) =>
        turns.find((turn) => turn.turn_id === turn_id)?.client_turn_id === client ? null : client,
      ),
  },
  {
    says: 'nothing shown is lost',
    broken: ({ log, published }) =>
      first(published, ([seq, event]) =>
        log.events[seq]?.id === event.id ? null : `seq ${seq} ${event.type}`,
      ),
  },
  {
    says: 'a turn begins only when the one before has ended',
    broken: ({ turns }) =>
      first(turns.slice(0, -1).entries(), ([index, turn]) => {
        const next = turns[index + 1]?.events[0]?.seq ?? 0;
        const overlap = turn.events.find(({ seq }) => seq > next);
        if (overlap !== undefined) return `${turn.turn_id} has seq ${overlap.seq} after ${next}`;
        return ['running', 'waiting'].includes(turn.state) ? `${turn.turn_id} is ${turn.state}` : null;
      }),
  },
  {
    says: 'the first turn after an interrupted one tells the model of it, and no other does',
    broken: ({ turns }) =>
      first(turns.entries(), ([index, turn]) => {
        const before = turns[index - 1];
        const [note] = turn.of('interruption_note');
        const due = before?.state === 'interrupted' ? before.turn_id : undefined;
        if (note?.data.of_turn_id !== due)
          return `${turn.turn_id} tells of ${note?.data.of_turn_id}, not ${due}`;
        return note !== undefined && interruptionText(note.data).length > 1200 ? 'it is too long' : null;
      }),
  },
  {
    says: 'no request needs a repair',
    broken: ({ log }) =>
      first(log.events, (event) =>
        event.type === 'diagnostic' && event.data.code === 'request_repaired'
          ? JSON.stringify(event.data)
          : null,
      ),
  },
];

export interface FoldView {
  readonly session: Session;
  readonly log: DurableLog;
  readonly turns: readonly TurnFacts[];
}

/** Held by an open session whenever it knows all that is durable. */
export const FOLD_PROMISES: readonly Promised<FoldView>[] = [
  {
    says: 'a turn has the state its evidence proves',
    broken: ({ session, turns }) => {
      const { turn } = session.state;
      const last = turns.at(-1);
      const derived = turn === null ? undefined : turnState(turn);
      return last?.state === derived && last?.turn_id === turn?.turn_id
        ? null
        : `${derived}, not ${last?.state}`;
    },
  },
  {
    says: 'no fold finds a move that the tables do not have',
    broken: ({ session }) => session.state.turn?.violations[0] ?? null,
  },
];

export interface RestView extends FoldView {
  readonly target: ReplayTarget;
}

/** Held by an open session when nothing is under way: after its recovery, and once settled. */
export const REST_PROMISES: readonly Promised<RestView>[] = [
  ...FOLD_PROMISES,
  {
    says: 'what an open session knows is durable',
    broken: ({ session, log }) =>
      session.state.last_seq === log.lastSeq
        ? null
        : `it knows ${session.state.last_seq}, durable is ${log.lastSeq}`,
  },
  {
    says: 'no turn is running when nothing runs',
    broken: ({ turns }) => first(turns, (turn) => (turn.state === 'running' ? turn.turn_id : null)),
  },
  {
    says: 'a turn that has ended has a run that is done',
    broken: ({ turns }) =>
      first(turns, (turn) => {
        const status = turn.of('run_status').at(-1)?.data.status;
        return status === (turn.state === 'waiting' ? 'waiting' : 'done') ? null : `${turn.state}, ${status}`;
      }),
  },
  {
    says: 'sending again tells what became of the turn',
    broken: ({ session, turns }) =>
      first(turns, (turn) => {
        const known = session.find(turn.client_turn_id ?? '');
        return known?.state === turn.state && known.turn_id === turn.turn_id
          ? null
          : `${turn.turn_id} is ${turn.state}, not ${known?.state}`;
      }),
  },
  {
    says: 'folding step by step is folding the whole',
    broken: ({ session, log, target }) => {
      const whole = log.events.reduce(applyToSession, emptySession(session.state.session_id));
      if (!isDeepStrictEqual(withoutNothing(whole), withoutNothing(session.state)))
        return 'the state differs';
      const { items, repairs } = session.input(target);
      if (repairs.some(({ kind }) => kind !== 'empty_input')) return JSON.stringify(repairs);
      return isDeepStrictEqual(items, foldReplay(log.events, target)) ? null : 'the input differs';
    },
  },
];

/** As JSON would keep it: a field that is undefined is no field. */
function withoutNothing(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, entry]) => [key, withoutNothing(entry)]));
  if (value instanceof Set || value === undefined) return value;
  return JSON.parse(
    JSON.stringify(value, (_key, entry: unknown) => (entry instanceof Map ? [...entry] : entry)),
  );
}
