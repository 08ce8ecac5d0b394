import { channelOf } from '../channels.ts';
import type { LogEvent } from '../events.ts';
import { list, numberOrNull, parsed, text, textOrNull } from '../loose-fields.ts';
import { lineOf } from '../text-size.ts';
import type { CallFact } from './call-facts.ts';
import type { ChildFacts } from './remembered-children.ts';

/** One request of the range and what came of it. */
export interface TurnFact {
  readonly turn_id: string;
  /** Null where the prompt stays in the request as it is. */
  readonly prompt: string | null;
  readonly attachments: number;
  readonly calls: readonly CallFact[];
  /** Of a turn that completed; null where there is none, or where it is in the tail. */
  readonly answer: string | null;
  /** The rest of it is in the tail. */
  readonly goes_on: boolean;
  /** What children came back with. */
  readonly children: readonly string[];
}

const CHILD_CHARS = 200;

interface Around {
  readonly tail: readonly LogEvent[];
  readonly answers: ReadonlyMap<string, string>;
  /** How children ended, by the place where the log says so. */
  readonly ends: ReadonlyMap<number, ChildFacts>;
}

/** Pure: the turns of a range, with what came of each. */
export function turnsOf(
  before: readonly LogEvent[],
  calls: readonly CallFact[],
  { tail, answers, ends }: Around,
): readonly TurnFact[] {
  const going = new Set(tail.filter(isReplayed).map(turnOf));
  const callsOf = byTurn(calls, ({ turn_id }) => turn_id);
  return [...byTurn(before.filter(isReplayed), turnOf)].map(([turn_id, events]) => {
    const prompt = events.find((event) => event.type === 'user_message');
    return {
      turn_id,
      prompt: prompt?.data.text ?? null,
      attachments: prompt?.data.attachments.length ?? 0,
      calls: callsOf.get(turn_id) ?? [],
      // What was said on the way is not what a turn comes to: that is in the tail.
      answer: going.has(turn_id) ? null : (answers.get(turn_id) ?? null),
      goes_on: going.has(turn_id),
      children: events.flatMap((event) => toldIn(event, ends)).map(childWords),
    };
  });
}

/** A turn is where it is replayed: evidence of it, as of changes that are undone, may come long after. */
function isReplayed(event: LogEvent): boolean {
  return channelOf(event) === 'replayed';
}

/** Gone through once: of a long session there are many turns. */
function byTurn<T>(
  all: readonly T[],
  turnIdOf: (one: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const turns = new Map<string, T[]>();
  for (const one of all) {
    const turn_id = turnIdOf(one);
    if (turn_id === undefined) continue;
    const known = turns.get(turn_id);
    if (known === undefined) turns.set(turn_id, [one]);
    else known.push(one);
  }
  return turns;
}

function turnOf(event: LogEvent): string | undefined {
  return 'turn_id' in event.data ? event.data.turn_id : undefined;
}

/** Ends of children that an event told the model of: by itself, or in what a call that waited for them came back with. */
function toldIn(event: LogEvent, ends: Around['ends']): readonly ChildFacts[] {
  if (event.type === 'subagent_event') return event.data.event === 'delivered' ? [event.data] : [];
  if (event.type !== 'tool_result') return [];
  return list(event.data, 'delivers').flatMap((one) => {
    const subagent_id = text(one, 'subagent_id');
    const end = ends.get(numberOrNull(one, 'seq') ?? -1);
    // A fork has the result, but not the end: the place is one of its parent's log, where it may have another's end.
    return end?.subagent_id === subagent_id ? [end] : reportIn(event.data.output, subagent_id);
  });
}

/** What the result of a call says of a child. */
function reportIn(output: string | undefined, subagent_id: string): readonly ChildFacts[] {
  const result = parsed(output ?? '');
  return [result, ...list(result, 'agents')].flatMap((report) =>
    text(report, 'subagent_id') === subagent_id && textOrNull(report, 'summary') !== null
      ? [
          {
            event: 'delivered',
            subagent_id,
            child_session_id: text(report, 'child_session_id'),
            status: text(report, 'status'),
            summary: text(report, 'summary'),
          },
        ]
      : [],
  );
}

function childWords({ subagent_id, status, summary }: ChildFacts): string {
  return `${subagent_id} ended as ${status}: ${lineOf(summary ?? '', CHILD_CHARS)}`;
}
