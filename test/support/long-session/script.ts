import type { Said } from '../responses-server/answering.ts';
import { apiError, events, HANG, stream } from '../responses-server/reply.ts';
import { type Answer, unfinishedEvents } from '../responses-server/response-events.ts';
import { opaque, PARTS, partPath, prose, revisionLine } from './prose.ts';

/**
 * A long working day with an agent, as a script: what the person asks and decides, what the model says, and what happens
 * to the session in between. Nothing of it depends on a clock or on chance.
 */

export type Happening =
  | { readonly kind: 'branch'; readonly name: string }
  | { readonly kind: 'mode'; readonly mode: 'ask' | 'auto' }
  /** From where the session was after that turn. */
  | { readonly kind: 'fork'; readonly after_turn: number }
  /** Back to the session that was forked. */
  | { readonly kind: 'return' }
  | { readonly kind: 'compact' };

export type Decision = readonly [call_id: string, action: 'resume' | 'cancel'];

export interface ScriptedTurn {
  readonly turn: number;
  /** What happens before it. */
  readonly before: Happening | null;
  readonly prompt: string;
  /** One entry a request. */
  readonly says: readonly Said[];
  /** What the person decides, each time that the turn waits. */
  readonly decisions: readonly (readonly Decision[])[];
  readonly ends: 'completed' | 'interrupted' | 'failed';
}

export const TURNS = 200;
export const FIRST_BRANCH = 'main';
export const STOPPED_TURN = 61;
export const FAILED_TURN = 91;
export const AUTO_FROM = 111;
export const ASKS_FROM = 121;
/** The fork is made of what was there after one turn, and its first turn is another. */
export const FORKED_AFTER = 135;
export const FORKED_FROM = 141;
export const RETURNED_AT = 161;
export const COMPACTED_BEFORE = 181;
/** The last words that come before the person stops the turn: what is kept of it is then the same every time. */
export const STOPPED_AT = 'as far as I can see';

const HAPPENINGS: Readonly<Record<number, Happening>> = {
  41: { kind: 'branch', name: 'fix/half-lines' },
  [AUTO_FROM]: { kind: 'mode', mode: 'auto' },
  [ASKS_FROM]: { kind: 'mode', mode: 'ask' },
  [FORKED_FROM]: { kind: 'fork', after_turn: FORKED_AFTER },
  [RETURNED_AT]: { kind: 'return' },
  [COMPACTED_BEFORE]: { kind: 'compact' },
};

type Call = readonly [name: string, args: object];
type Played = Pick<ScriptedTurn, 'says' | 'decisions'>;

/** Writes the replies of one turn: names its calls, and gives every answer a thought of its own. */
class Pen {
  private rounds = 0;
  private calls = 0;

  constructor(private readonly turn: number) {}

  asks(...calls: readonly Call[]): Answer {
    const text = calls.length > 1 ? { text: prose(this.turn + 1, 12), phase: 'commentary' as const } : {};
    const asked = calls.map(([name, args]) => {
      this.calls += 1;
      return { call_id: callId(this.turn, this.calls), name, args };
    });
    return { ...this.thought(), ...text, calls: asked };
  }

  answers(): Answer {
    return { ...this.thought(), text: prose(this.turn + this.rounds, 30), phase: 'final_answer' };
  }

  private thought(): Pick<Answer, 'reasoning'> {
    this.rounds += 1;
    const isTold = this.turn % 10 === 0;
    const summary = isTold ? [`**Thinking** ${prose(this.turn * 3 + this.rounds, 10)}`] : [];
    return { reasoning: { summary, encrypted_content: opaque(this.turn, this.rounds) } };
  }
}

function callId(turn: number, call: number): string {
  return `call_${turn}_${call}`;
}

/** What the files of the workspace are at by now, as far as the script changes them. */
class Revisions {
  private readonly now = Array.from({ length: PARTS }, () => 0);

  edit(part: number): Call {
    const old = this.now[part] ?? 0;
    this.now[part] = old + 1;
    const old_text = revisionLine(part, old);
    const new_text = revisionLine(part, old + 1);
    return ['edit_file', { path: partPath(part), old_text, new_text, replace_all: null }];
  }
}

function read(part: number): Call {
  return ['read_file', { path: partPath(part % PARTS), start_line: 1, end_line: 14 }];
}

function search(part: number): Call {
  const pattern = `step${part % PARTS}A`;
  return ['search_text', { pattern, path: null, glob: 'src/**/*.ts', regex: null }];
}

function write(turn: number): Call {
  return ['write_file', { path: `notes/turn-${turn}.md`, content: `# Turn ${turn}\n\n${prose(turn, 40)}\n` }];
}

function run(turn: number): Call {
  return ['run_command', { command: `echo "checked after turn ${turn}: all passed"`, timeout_s: null }];
}

function plan(turn: number): Call {
  const steps = ['Look', 'Change', 'Check'].map((step) => ({ step: `${step} ${turn}`, status: 'pending' }));
  return ['update_plan', { steps, explanation: null }];
}

const LIST: Call = ['list_files', { path: 'src', glob: null }];

/** The ten kinds of turns that come again and again. */
function ordinary(turn: number, files: Revisions): Played {
  const pen = new Pen(turn);
  const part = turn % PARTS;
  const yes = (...calls: readonly number[]): readonly Decision[] =>
    calls.map((call) => [callId(turn, call), 'resume']);
  switch (turn % 10) {
    case 1:
      return { says: [pen.asks(read(part)), pen.answers()], decisions: [] };
    case 2: {
      const looks = pen.asks(search(part), read(part));
      return { says: [looks, pen.asks(files.edit(part)), pen.answers()], decisions: [yes(3)] };
    }
    case 4:
      return { says: [pen.asks(run(turn)), pen.answers()], decisions: [yes(1)] };
    case 5:
      return { says: [pen.asks(LIST, read(part), read(part + 5)), pen.answers()], decisions: [] };
    case 6:
      return { says: [pen.asks(write(turn)), pen.answers()], decisions: [[[callId(turn, 1), 'cancel']]] };
    case 8:
      if (turn % 20 === 8) {
        // What is read comes at once and the edit waits: the model is asked in between, with a placeholder.
        const both = pen.asks(read(part), files.edit(part));
        return { says: [both, pen.answers(), pen.answers()], decisions: [yes(2)] };
      }
      return { says: [pen.asks(read(part)), pen.asks(read(part + 7)), pen.answers()], decisions: [] };
    case 9: {
      const looks = [pen.asks(plan(turn), LIST), pen.asks(read(part), read(part + 3))];
      const changes = pen.asks(files.edit(part), write(turn));
      return { says: [...looks, changes, pen.answers()], decisions: [yes(5, 6)] };
    }
    default:
      return { says: [pen.answers()], decisions: [] };
  }
}

function stopped(turn: number): Played {
  const pen = new Pen(turn);
  const begun = { text: [`${prose(turn, 30)} That is, `, STOPPED_AT] };
  const says = [pen.asks(read(turn)), stream([events(unfinishedEvents(begun)), HANG])];
  return { says, decisions: [] };
}

const FAILS: Played = {
  says: [apiError(429, { message: 'You exceeded your current quota.', code: 'insufficient_quota' })],
  decisions: [],
};

/** Tens in which something happens that does not happen in others, counted from 0: half of the day. */
const EVENTFUL = [0, 4, 6, 8, 9, 11, 12, 13, 14, 16, 18];

export const ALL_TURNS = Array.from({ length: TURNS }, (_, index) => index + 1);

/** The same day without what only comes again. */
export const EVENTFUL_TURNS = ALL_TURNS.filter((turn) => EVENTFUL.includes(Math.floor((turn - 1) / 10)));

export function longSession(turns: readonly number[] = ALL_TURNS): readonly ScriptedTurn[] {
  const files = new Revisions();
  return turns.map((turn) => {
    const ends = turn === STOPPED_TURN ? 'interrupted' : turn === FAILED_TURN ? 'failed' : 'completed';
    const played = ends === 'interrupted' ? stopped(turn) : ends === 'failed' ? FAILS : ordinary(turn, files);
    const prompt = `${turn}. ${prose(turn + 40, 20)}`;
    return { turn, before: HAPPENINGS[turn] ?? null, prompt, ...played, ends };
  });
}
