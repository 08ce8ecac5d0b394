import { recordIn, stringIn } from './fields.ts';
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

/** What outlives a reload of the view: words that are in no log yet. */
export interface Kept {
  readonly draft: string;
  /** Was sent under this id, and perhaps never arrived. */
  readonly sending: Unsaved | null;
  /** Answers that are being typed, by suspension. */
  readonly answers: Readonly<Record<string, string>>;
}

export function readKept(): Kept {
  const state = api.getState();
  const sending = recordIn(state, 'sending');
  const client_turn_id = stringIn(sending, 'client_turn_id');
  const text = stringIn(sending, 'text');
  const answers = Object.entries(recordIn(state, 'answers') ?? {});
  return {
    draft: stringIn(state, 'draft') ?? '',
    sending: client_turn_id === undefined || text === undefined ? null : { client_turn_id, text },
    answers: Object.fromEntries(
      answers.flatMap(([id, words]) => (typeof words === 'string' ? [[id, words]] : [])),
    ),
  };
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
