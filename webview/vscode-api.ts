import { numberIn, recordIn, stringIn } from './fields.ts';
import type { Unsaved } from './state.ts';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();

export function postToHost(message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's API, not a window's
  api.postMessage(message);
}

/** Where the reader is: the turn at the top edge, and how far below that edge it begins. */
export interface KeptPlace {
  readonly session_id: string;
  readonly turn_id: string;
  readonly offset: number;
}

/** What outlives a reload of the view: words that are in no log yet. */
export interface Kept {
  readonly draft: string;
  /** Was sent under this id, and perhaps never arrived. */
  readonly sending: Unsaved | null;
  /** Answers that are being typed, by suspension. */
  readonly answers: Readonly<Record<string, string>>;
  /** Null at the end. */
  readonly place: KeptPlace | null;
}

export function readKept(): Kept {
  const state = api.getState();
  const sending = recordIn(state, 'sending');
  const client_turn_id = stringIn(sending, 'client_turn_id');
  const text = stringIn(sending, 'text');
  const answers = Object.entries(recordIn(state, 'answers') ?? {});
  return {
    draft: stringIn(state, 'draft') ?? '',
    place: placeOf(recordIn(state, 'place')),
    sending: client_turn_id === undefined || text === undefined ? null : { client_turn_id, text },
    answers: Object.fromEntries(
      answers.flatMap(([id, words]) => (typeof words === 'string' ? [[id, words]] : [])),
    ),
  };
}

function placeOf(value: unknown): KeptPlace | null {
  const session_id = stringIn(value, 'session_id');
  const turn_id = stringIn(value, 'turn_id');
  const offset = numberIn(value, 'offset');
  if (session_id === undefined || turn_id === undefined || offset === undefined) return null;
  return { session_id, turn_id, offset };
}

export function keep(part: Partial<Kept>): void {
  api.setState({ ...readKept(), ...part });
}

/** Questions that are never answered must not pile up. */
const ANSWERS_KEPT = 10;

export function keepAnswer(suspensionId: string, words: string): void {
  const others = Object.entries(readKept().answers).filter(([id]) => id !== suspensionId);
  const answers = words === '' ? others : [...others, [suspensionId, words]];
  keep({ answers: Object.fromEntries(answers.slice(-ANSWERS_KEPT)) });
}
