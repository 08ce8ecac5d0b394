import type { KeptDraft } from '../src/presenter/attachment.ts';
import type { Words } from './answer-form.ts';
import { isRecord, listIn, numberIn, recordIn, stringIn } from './fields.ts';
import type { Chosen, Unsaved } from './state.ts';

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
  /** The session that the page is of: VS Code brings the page back with it. Null for one that shows whichever is open. */
  readonly session_id: string | null;
  /** Without the bytes of images: those the host has, for as long as it runs. */
  readonly draft: KeptDraft | null;
  /** Was sent under this id, and perhaps never arrived. */
  readonly sending: Unsaved | null;
  /** Answers that are being typed: the words in each field, by suspension. */
  readonly answers: Readonly<Record<string, Words>>;
}

export function readKept(): Kept {
  const state = api.getState();
  const sending = recordIn(state, 'sending');
  const client_turn_id = stringIn(sending, 'client_turn_id');
  const text = stringIn(sending, 'text');
  const answers = Object.entries(recordIn(state, 'answers') ?? {});
  return {
    session_id: stringIn(state, 'session_id') ?? null,
    draft: draftIn(recordIn(state, 'draft')),
    sending:
      client_turn_id === undefined || text === undefined
        ? null
        : { client_turn_id, text, attachments: chosenIn(sending) },
    answers: Object.fromEntries(answers.map(([id, words]) => [id, textsIn(words)])),
  };
}

function textsIn(value: unknown): Words {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  );
}

function draftIn(value: unknown): KeptDraft | null {
  const session_id = stringIn(value, 'session_id');
  const text = stringIn(value, 'text');
  if (session_id === undefined || text === undefined) return null;
  const walk = recordIn(value, 'walk');
  const back = numberIn(walk, 'back');
  return {
    session_id,
    text,
    attachments: chosenIn(value),
    at: numberIn(value, 'at') ?? 0,
    ...(back === undefined ? {} : { walk: { back, texts: textsIn(recordIn(walk, 'texts')) } }),
  };
}

/** What is kept names what was attached; its bytes are elsewhere. */
function chosenIn(value: unknown): Chosen[] {
  return listIn(value, 'attachments').flatMap((one) => {
    const [id, kind] = [stringIn(one, 'id'), stringIn(one, 'kind')];
    if (id === undefined || kind === undefined) return [];
    return [
      {
        id,
        kind,
        label: stringIn(one, 'label'),
        path: stringIn(one, 'path'),
        mime: stringIn(one, 'mime'),
        text: stringIn(one, 'text'),
        start_line: numberIn(one, 'start_line'),
        end_line: numberIn(one, 'end_line'),
      },
    ];
  });
}

export function keep(part: Partial<Kept>): void {
  api.setState({ ...readKept(), ...part });
}

/** Questions that are never answered must not pile up. */
const ANSWERS_KEPT = 10;

export function keepAnswer(suspensionId: string, words: Words): void {
  const others = Object.entries(readKept().answers).filter(([id]) => id !== suspensionId);
  const answers = [...others, [suspensionId, words] as const];
  keep({ answers: Object.fromEntries(answers.slice(-ANSWERS_KEPT)) });
}
