import type { Access, HostMessage, Item } from '../presenter/protocol.ts';
import { askedAfter, NOBODY_ASKS, type AskedByChildren } from './child-questions.ts';
import { titleOf } from '../presenter/title.ts';
import { changedFiles } from '../runtime/turn-changes.ts';

type Message<T extends HostMessage['type']> = Extract<HostMessage, { type: T }>;
export type TurnState = NonNullable<Message<'turn_state'>['state']>;

/** What a call that waits asks for. */
export type Asked = 'approval' | 'question' | 'outcome_unknown';

export interface PendingCall {
  readonly suspension_id: string;
  readonly asked: Asked;
}

/** What the status bar, notifications and menus know: all of it read off the messages for presenters. */
export interface TurnFacts {
  readonly session_id: string | null;
  readonly title: string;
  readonly access: Access['kind'] | null;
  /** The log that was shown is no longer there: of its turns nothing is under way, and nothing can be decided. */
  readonly is_gone: boolean;
  /** Whether its log holds anything. */
  readonly has_log: boolean;
  readonly turn_id: string | null;
  readonly state: TurnState | null;
  /** The turn that the last events belong to; others are spoken of only in answer to a question about them. */
  readonly newest_turn_id: string | null;
  /** What a running turn is doing, and since when (milliseconds since 1970). */
  readonly activity: { readonly text: string; readonly since: number } | null;
  /** Why a turn that is over did not complete, as the log words it; empty where it does not say. */
  readonly why: string;
  /** What a turn that timed out was given. */
  readonly timeout_ms: number | null;
  /** A turn that is over changed files, and not all of that was taken back. */
  readonly has_changes: boolean;
  /** Something of that was taken back. */
  readonly has_undone: boolean;
  /** The calls that nobody has decided yet: the turn's own, then those of children. */
  readonly pending: readonly PendingCall[];
  readonly own_pending: readonly PendingCall[];
  readonly asked: AskedByChildren;
  /** By the log: when the last turn began, and when the last event was written. */
  readonly began_at: number | null;
  readonly last_at: number | null;
  /** A person has decided a call in this session. */
  readonly has_decided: boolean;
}

export const NO_TURN_FACTS: TurnFacts = {
  session_id: null,
  title: '',
  access: null,
  is_gone: false,
  has_log: false,
  turn_id: null,
  state: null,
  newest_turn_id: null,
  activity: null,
  why: '',
  timeout_ms: null,
  has_changes: false,
  has_undone: false,
  pending: [],
  own_pending: [],
  asked: NOBODY_ASKS,
  began_at: null,
  last_at: null,
  has_decided: false,
};

/** Pure: the facts after one more message; the same object when it says nothing about them. */
export function turnFactsAfter(facts: TurnFacts, message: HostMessage): TurnFacts {
  if (message.type === 'snapshot') return afterSnapshot(facts, message);
  if (message.type === 'turn_state') return afterTurnState(facts, message);
  if (message.type === 'children') return afterChildren(facts, message);
  if (message.type !== 'append' || message.session_id !== facts.session_id) return facts;
  return withItems(facts, message.items);
}

/** Only the window that writes can take back what a turn did, and only when the turn is over. */
export function canUndo({ access, has_changes }: TurnFacts): boolean {
  return access === 'writer' && has_changes;
}

/** The same of what was taken back. */
export function canRedo({ access, has_undone }: TurnFacts): boolean {
  return access === 'writer' && has_undone;
}

/** A decision can be made here: only the window that writes can record one. */
export function needsDecision(facts: TurnFacts): boolean {
  return facts.access === 'writer' && facts.pending.length > 0;
}

export function isGone(access: Access): boolean {
  return access.kind === 'read_only' && access.reason === 'deleted';
}

function afterSnapshot(facts: TurnFacts, message: Message<'snapshot'>): TurnFacts {
  const { session_id, title, access, items, last_seq } = message;
  const is_gone = isGone(access);
  const known = session_id === facts.session_id && !is_gone ? facts : NO_TURN_FACTS;
  const shown = {
    // What children ask is told anew.
    ...withPending({ ...known, asked: NOBODY_ASKS }),
    session_id,
    title: title === '' ? known.title : title,
    access: access.kind,
    is_gone,
    has_log: last_seq !== null && !is_gone,
  };
  return is_gone ? shown : withItems(shown, items);
}

function afterTurnState(facts: TurnFacts, message: Message<'turn_state'>): TurnFacts {
  const { turn_id, state, activity, message: why, evidence } = message;
  if (facts.is_gone) return facts;
  if (facts.newest_turn_id !== null && turn_id !== facts.newest_turn_id) return facts;
  const files = changedFiles(evidence?.changes ?? []);
  return withPending({
    ...facts,
    turn_id,
    state,
    activity: activity ?? null,
    why: why ?? '',
    has_changes: files.some(({ standing }) => standing !== 'undone'),
    has_undone: files.some(({ standing }) => standing !== 'changed'),
    own_pending: pendingIn(message),
  });
}

function afterChildren(facts: TurnFacts, message: Message<'children'>): TurnFacts {
  const asked = askedAfter(facts.asked, message);
  if (facts.is_gone || message.session_id !== facts.session_id || asked === facts.asked) return facts;
  return withPending({ ...facts, asked });
}

function withPending(facts: TurnFacts): TurnFacts {
  const asked = [...facts.asked.values()].flat().map(pendingOf);
  return { ...facts, pending: [...facts.own_pending, ...asked] };
}

function withItems(facts: TurnFacts, items: readonly Item[]): TurnFacts {
  const last = items.at(-1);
  if (last === undefined) return facts;
  const prompts = items.filter(({ type }) => type === 'user_message');
  const first = prompts[0];
  const latest = prompts.at(-1);
  const failed = items.findLast(({ type }) => type === 'turn_failed' || type === 'user_message');
  return {
    ...facts,
    has_log: true,
    title: facts.title === '' && first !== undefined ? titleOf(textIn(first.data, 'text')) : facts.title,
    newest_turn_id: items.findLast((item) => item.turn_id !== undefined)?.turn_id ?? facts.newest_turn_id,
    began_at: latest === undefined ? facts.began_at : timeOf(latest),
    last_at: timeOf(last),
    timeout_ms: failed === undefined ? facts.timeout_ms : numberIn(failed.data, 'timeout_ms'),
    has_decided:
      facts.has_decided ||
      items.some(({ type, data }) => type === 'tool_call_decision' && data['decided_by'] === 'user'),
  };
}

function timeOf({ ts }: Item): number | null {
  const at = Date.parse(ts);
  return Number.isNaN(at) ? null : at;
}

function pendingIn({ pending }: Message<'turn_state'>): readonly PendingCall[] {
  return (pending ?? []).filter(({ decided }) => decided !== true).map(pendingOf);
}

function pendingOf(one: { readonly call_id: string; readonly suspension?: unknown }): PendingCall {
  const { call_id, suspension } = one;
  return {
    suspension_id: textIn(suspension, 'id') || call_id,
    asked: askedBy(textIn(suspension, 'reason')),
  };
}

function askedBy(reason: string): Asked {
  if (reason === 'workflow_held') return 'question';
  return reason === 'question' || reason === 'outcome_unknown' ? reason : 'approval';
}

function numberIn(data: Item['data'], key: string): number | null {
  const found = data[key];
  return typeof found === 'number' ? found : null;
}

function textIn(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : '';
}
