import type { LogEvent } from '../../runtime/events.ts';
import { STATE_PHRASES } from '../../runtime/inspection/node-state.ts';
import { moment, sentence, type Words } from '../../runtime/inspection/spoken-words.ts';
import { applyToSession, emptySession, type SessionState } from '../../runtime/session-state.ts';
import { titleOf } from '../../runtime/title.ts';
import { turnState, type TurnState } from '../../runtime/turn.ts';
import { eventNodes } from './event-nodes.ts';
import type { Transcript, TranscriptNode, TranscriptSection } from './transcript-nodes.ts';

export interface TranscriptOf {
  readonly session_id: string;
  /** The name that a person gave it; empty for that of its first prompt. */
  readonly title: string;
  readonly events: readonly LogEvent[];
  /** Whole lines of the log that are no events. */
  readonly damage: readonly { readonly line: number; readonly reason: string }[];
  readonly torn_bytes: number;
  readonly exported_at: string;
}

/** So many characters of others' words are in one document: what comes after that is counted. */
const MOST_CHARACTERS = 24_000_000;

/** Pure: a session from its events alone. A state that the log does not prove is not in it. */
export function transcriptOf(of: TranscriptOf): Transcript {
  const { events } = of;
  const turns = turnsOf(of.session_id, events);
  const sections: TranscriptSection[] = [];
  let characters = 0;
  for (const [index, turn] of turns.entries()) {
    const section = sectionOf(turn);
    characters += sizeOf(section);
    if (characters > MOST_CHARACTERS) {
      const left = turns.length - index;
      sections.push({
        title: sentence('The rest'),
        turn: null,
        nodes: [
          line(
            sentence('{0} more turns are in the log, and not in this document, which would be too large.', {
              count: left,
            }),
          ),
        ],
      });
      break;
    }
    sections.push(section);
  }
  const prompt = events.find((event) => event.type === 'user_message');
  const title = of.title === '' ? titleOf(prompt?.data.text ?? '') : of.title;
  return { title, about: about(of, turns), sections };
}

interface TurnEvents {
  /** Null for what is before the first prompt. */
  readonly number: number | null;
  readonly events: readonly LogEvent[];
  readonly state: TurnState | null;
  readonly waits_for: readonly string[];
}

function turnsOf(sessionId: string, events: readonly LogEvent[]): readonly TurnEvents[] {
  const turns: TurnEvents[] = [];
  let own: LogEvent[] = [];
  let state: SessionState = emptySession(sessionId);
  let begun = 0;
  const end = (): void => {
    const { turn } = begun === 0 ? { turn: null } : state;
    const waits_for = turn === null ? [] : [...turn.open.values()].map(({ name }) => name);
    if (own.length > 0)
      turns.push({
        number: begun === 0 ? null : begun,
        events: own,
        state: turn === null ? null : turnState(turn),
        waits_for,
      });
    own = [];
  };
  for (const event of events) {
    if (event.type === 'user_message') {
      end();
      begun += 1;
    }
    own.push(event);
    state = applyToSession(state, event);
  }
  end();
  return turns;
}

function sectionOf({ number, events, state, waits_for }: TurnEvents): TranscriptSection {
  const answer = state === 'completed' ? events.findLast(isAnswer) : undefined;
  const nodes = events.flatMap((event) => eventNodes(event, { is_answer: event === answer }));
  if (number === null || state === null)
    return { title: sentence('Before the first prompt'), turn: null, nodes };
  const failed = events.findLast((event) => event.type === 'turn_failed');
  const head: readonly TranscriptNode[] = [
    line(sentence('State: {0}', stateWords(state))),
    line(evidence(state, { answer: answer?.seq, failed: failed?.seq, waits_for })),
  ];
  const prompt = events.find((event) => event.type === 'user_message')?.data.text ?? '';
  return {
    title: sentence('Turn {0}', number),
    turn: { prompt: titleOf(prompt), state: stateWords(state) },
    nodes: [...head, ...nodes],
  };
}

function isAnswer(event: LogEvent): boolean {
  return event.type === 'assistant_message' && !event.data.metadata.partial;
}

/** A document is no process: what ran when it was made is open as far as it can tell. */
function stateWords(state: TurnState): Words {
  return state === 'running' ? sentence('No end on record') : { sentence: STATE_PHRASES[state], values: [] };
}

function evidence(
  state: TurnState,
  seen: {
    readonly answer: number | undefined;
    readonly failed: number | undefined;
    readonly waits_for: readonly string[];
  },
): Words {
  if (state === 'running') return sentence('Evidence: the log has no end of this turn.');
  if (state === 'waiting') return sentence('Evidence: the run waits for {0}.', seen.waits_for.join(', '));
  if (seen.answer !== undefined)
    return sentence(
      'Evidence: a whole answer at seq {0}, after every call and result; none is open.',
      seen.answer,
    );
  return sentence('Evidence: the log says so at seq {0}.', seen.failed ?? '?');
}

function about(of: TranscriptOf, turns: readonly TurnEvents[]): readonly TranscriptNode[] {
  const first = of.events[0];
  const last = of.events.at(-1);
  const many = turns.filter(({ number }) => number !== null).length;
  return [
    line(sentence('Session id: {0}', of.session_id)),
    ...(first === undefined ? [] : [line(sentence('Begun: {0}', moment(first.ts)))]),
    ...(last === undefined ? [] : [line(sentence('Last event: {0}', moment(last.ts)))]),
    line(sentence('Exported: {0}', moment(of.exported_at))),
    line(sentence('Events: {0}; turns: {1}', { count: of.events.length }, { count: many })),
    ...of.damage.map(({ line: at, reason }) =>
      line(sentence('Line {0} of the log could not be read ({1}), and is not in this document.', at, reason)),
    ),
    ...(of.torn_bytes === 0
      ? []
      : [
          line(
            sentence(
              'The last {0} bytes of the log are a line that was cut off, and are not in this document.',
              { count: of.torn_bytes },
            ),
          ),
        ]),
    line(
      sentence(
        'Words of the person, the model, tools and files are quoted as they are in the log. Sessions of agents are named, and have documents of their own.',
      ),
    ),
  ];
}

function line(words: Words): TranscriptNode {
  return { kind: 'line', words };
}

function sizeOf({ nodes }: TranscriptSection): number {
  return nodes.reduce((sum, node) => {
    if (node.kind === 'quote') return sum + node.text.length;
    return node.kind === 'image' ? sum + node.data.length : sum;
  }, 0);
}
