import type { HostMessage } from '../src/presenter/protocol.ts';
import { actionsIn } from './actions.ts';
import { crewAfter, crewWithLive, NO_CREW } from './agents/crew.ts';
import { keptAfter } from './composer/image-bytes.ts';
import { pressureOf } from './composer/pressure.ts';
import { listIn, own, stringIn } from './fields.ts';
import {
  failureNotice,
  noticesAfter,
  noticesOnceMore,
  noticesOnceOver,
  noticesUnder,
  ownNotice,
  toldNotice,
  withNotice,
} from './kept-notices.ts';
import { appended, extended, keptPast, prepended, shown } from './log-stretch.ts';
import { liveCallOf } from './live-call.ts';
import { INITIAL, lastTurn, type Heading, type State, type Unsaved } from './state.ts';
import { foldItems } from './transcript.ts';
import { isTerminal } from './turn-evidence.ts';
import { unreachable } from './unreachable.ts';
import { isPromptOf, promptRefused, promptsIn } from './unsaved-prompts.ts';

/** Pure: what is shown after one more message from the host, which came at that time. */
export function apply(state: State, message: HostMessage, at: number): State {
  switch (message.type) {
    case 'snapshot':
      return applySnapshot(state, message, at);
    case 'append':
      return applyAppend(state, message, at);
    case 'prepend':
      return applyPrepend(state, message);
    case 'extend':
      return applyExtend(state, message);
    case 'delta':
      return applyDelta(state, message, at);
    case 'turn_state':
      return applyTurnState(state, message, at);
    case 'tool_state':
      return {
        ...state,
        news_at: at,
        calls: { ...state.calls, [message.call_id]: liveCallOf(message, own(state.calls, message.call_id)) },
      };
    case 'notice':
      return withNotice(state, toldNotice(message));
    case 'failure':
      return applyFailure(state, message);
    case 'compose':
      return { ...state, offered: offeredBy(message) };
    case 'draft':
      return message.session_id === state.session?.session_id
        ? { ...state, kept: keptAfter(state.kept, message) }
        : state;
    case 'suggestions':
      return { ...state, suggestions: { query_id: message.query_id, items: message.items } };
    case 'skills':
      return { ...state, skills: message.items };
    case 'context_pressure':
      return {
        ...state,
        pressure: pressureOf(message),
        notices: noticesUnder(state.notices, message.tier),
      };
    case 'children':
      return message.session_id === state.session?.session_id
        ? { ...state, crew: crewWithLive(state.crew, message), news_at: at }
        : state;
    case 'unfit_attachments':
      return applyUnfit(state, message);
    case 'image':
    case 'attachment_standing':
      // For those who asked: see `told-answers.ts`.
      return state;
    case 'compaction_preview':
      // The host shows it, as a document.
      return state;
    case 'reveal':
      return {
        ...state,
        reveal: { what: message.what, turn_id: message.turn_id ?? null, seq: message.seq ?? null },
      };
    case 'plan': {
      const { turn_id, steps } = message;
      return turn_id === undefined ? state : { ...state, plan: { turn_id, steps } };
    }
    default:
      return unreachable(message);
  }
}

type Message<T extends HostMessage['type']> = Extract<HostMessage, { type: T }>;

function offeredBy({ text, attachments }: Message<'compose'>): State['offered'] {
  const chosen = attachments.map((one) => ({ ...one, id: crypto.randomUUID() }));
  return { client_turn_id: null, text, attachments: chosen };
}

function applyUnfit(state: State, { items }: Message<'unfit_attachments'>): State {
  const told = items.reduce(
    (next, { why }) => withNotice(next, ownNotice('error', 'attachment', `${why} It was not attached.`)),
    state,
  );
  return { ...told, unfit: items.map(({ id }) => id) };
}

function applySnapshot(state: State, message: Message<'snapshot'>, at: number): State {
  const { session_id, title, access, settings, stream, place, no_files, parent, fork } = message;
  const isSame = session_id === state.session?.session_id;
  const told =
    isSame && message.unchanged === true ? state : { ...message, blocks: foldItems(message.items) };
  const { items, blocks, has_more } = told;
  return {
    ...INITIAL,
    session: { session_id, title, access, settings, place, no_files, parent, fork },
    items,
    blocks,
    has_more,
    // What children do now is told anew.
    crew: crewAfter(isSame ? { ...state.crew, live: NO_CREW.live } : NO_CREW, items),
    past: isSame ? keptPast(state, items) : null,
    away: isSame && state.away,
    stream,
    ...promptsIn(state, session_id, items),
    skills: state.skills,
    stopping: isSame ? state.stopping : null,
    // Asked for before the session was told anew, and still wanted.
    jump: isSame ? state.jump : null,
    reveal: isSame ? state.reveal : null,
    pressure: isSame ? state.pressure : null,
    notices: isSame ? noticesOnceMore(state.notices) : [],
    kept: isSame ? state.kept : null,
    news_at: at,
  };
}

/** Items that are already here are left out, so that one sent twice changes nothing. */
function applyAppend(state: State, message: Message<'append'>, at: number): State {
  if (message.session_id !== state.session?.session_id) return state;
  const last = state.items.at(-1)?.seq ?? -1;
  const items = message.items.filter((item) => item.seq > last);
  if (items.length === 0) return state;
  const settled = new Set(items.map((item) => stringIn(item.data, 'stream_run_id')));
  const touched = new Set(
    items.filter((item) => CALL_FACTS.has(item.type)).map((item) => stringIn(item.data, 'call_id')),
  );
  return {
    ...state,
    ...appended(state, items),
    crew: crewAfter(state.crew, items),
    stream: state.stream !== null && settled.has(state.stream.stream_run_id) ? null : state.stream,
    calls: Object.fromEntries(Object.entries(state.calls).filter(([call_id]) => !touched.has(call_id))),
    notices: noticesAfter(state.notices, items),
    sending: items.some((item) => isPromptOf(item, state.sending?.client_turn_id)) ? null : state.sending,
    news_at: at,
  };
}

const CALL_FACTS: ReadonlySet<string> = new Set(['tool_call_status', 'tool_result']);

/** An answer to what is no longer asked, because the reader is elsewhere by now, changes nothing. */
function applyPrepend(state: State, message: Message<'prepend'>): State {
  const first = shown(state).items[0]?.seq;
  const { session_id, before = first, items, has_more } = message;
  const isAwaited = before === first || (before !== undefined && before === state.jump);
  if (session_id !== state.session?.session_id || !isAwaited) return state;
  // What was asked for by scrolling may come before what was asked for by jumping.
  const jump = before === state.jump ? null : state.jump;
  return { ...state, ...prepended(state, items, has_more), crew: crewAfter(state.crew, items), jump };
}

function applyExtend(state: State, message: Message<'extend'>): State {
  const { session_id, items, has_later, after } = message;
  if (session_id !== state.session?.session_id || state.past?.items.at(-1)?.seq !== after) return state;
  return {
    ...state,
    ...extended(state, state.past, { items, has_later }),
    crew: crewAfter(state.crew, items),
  };
}

function applyDelta(state: State, message: Message<'delta'>, at: number): State {
  const { turn_id, stream_run_id, kind, text } = message;
  if (state.stopping === turn_id) return state;
  const stream =
    state.stream?.stream_run_id === stream_run_id
      ? state.stream
      : { turn_id, stream_run_id, text: '', reasoning: '' };
  const grown =
    kind === 'text'
      ? { ...stream, text: stream.text + text }
      : { ...stream, reasoning: stream.reasoning + text };
  return { ...state, stream: grown, news_at: at };
}

function applyTurnState(state: State, message: Message<'turn_state'>, at: number): State {
  const { turn_id, client_turn_id } = message;
  const sending = client_turn_id !== null && client_turn_id === state.sending?.client_turn_id;
  const next: State = { ...state, news_at: at, sending: sending ? null : state.sending };
  if (turn_id === null) return next;
  const over = message.state !== null && isTerminal(message.state);
  return {
    ...next,
    told: {
      turn_id,
      state: message.state,
      message: message.message ?? '',
      actions: actionsIn(message.next_actions),
      activity: message.activity ?? null,
      pending: listIn(message, 'pending').flatMap((one) => stringIn(one, 'call_id') ?? []),
      evidence: message.evidence ?? null,
    },
    stream: over && state.stream?.turn_id === turn_id ? null : state.stream,
    stopping: over && state.stopping === turn_id ? null : state.stopping,
    notices: message.state === 'running' ? state.notices : noticesOnceOver(state.notices),
  };
}

function applyFailure(state: State, message: Message<'failure'>): State {
  const next = withNotice(state, failureNotice(message));
  if (message.for === 'stop') return { ...next, stopping: null };
  // It does not come any more.
  if (message.for === 'load_before') return { ...next, jump: null };
  if (message.for === 'decide') {
    const { target_id } = message;
    return {
      ...next,
      decided: target_id === undefined ? [] : state.decided.filter((id) => id !== target_id),
    };
  }
  return message.for === 'send' ? { ...next, ...promptRefused(next, message.client_turn_id) } : next;
}

/** What the person does that changes the view before the host answers. */
export type Gesture =
  | ({ readonly kind: 'sent' } & Unsaved)
  | { readonly kind: 'stop_requested' }
  | { readonly kind: 'decided'; readonly suspension_id: string }
  | { readonly kind: 'noticed'; readonly message: string }
  | { readonly kind: 'notice_dismissed'; readonly message: string }
  | { readonly kind: 'draft_offered'; readonly text: string }
  | { readonly kind: 'draft_taken' }
  | { readonly kind: 'reader_moved'; readonly away: boolean; readonly heading: Heading }
  | { readonly kind: 'end_wanted' }
  /** What comes before this event was asked for, wherever that is. */
  | { readonly kind: 'jump_wanted'; readonly before: number }
  | { readonly kind: 'not_attached'; readonly message: string };

export function applyGesture(state: State, gesture: Gesture): State {
  switch (gesture.kind) {
    case 'sent': {
      const { client_turn_id, text, attachments } = gesture;
      const session_id = state.session?.session_id ?? null;
      const sending = { client_turn_id, text, attachments, session_id };
      return { ...state, sending, offered: null, notices: [], past: null, away: false, jump: null };
    }
    case 'stop_requested':
      return { ...state, stopping: lastTurn(state)?.turn_id ?? null };
    case 'decided':
      return {
        ...state,
        decided: [...state.decided, gesture.suspension_id],
        // What was said of an earlier attempt is no longer news.
        notices: state.notices.filter((one) => one.about !== 'decide'),
      };
    case 'noticed':
      return withNotice(state, ownNotice('info', 'notice', gesture.message));
    case 'notice_dismissed':
      return { ...state, notices: state.notices.filter((one) => one.message !== gesture.message) };
    case 'draft_offered':
      return { ...state, offered: { client_turn_id: null, text: gesture.text, attachments: [] } };
    case 'draft_taken':
      return { ...state, offered: null };
    case 'reader_moved':
      return { ...state, away: gesture.away, heading: gesture.heading };
    case 'end_wanted':
      return { ...state, past: null, away: false, jump: null };
    case 'jump_wanted':
      return { ...state, jump: gesture.before };
    case 'not_attached':
      return withNotice(state, ownNotice('error', 'attachment', gesture.message));
    default:
      return unreachable(gesture);
  }
}
