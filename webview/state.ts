import type { KeptDraft } from '../src/presenter/attachment.ts';
import type { Access, HostMessage, Item } from '../src/presenter/protocol.ts';
import type { PlanStep, TurnEvidence } from '../src/presenter/turn-evidence.ts';
import { titleOf } from '../src/presenter/title.ts';
import type { Action } from './actions.ts';
import { NO_CREW, type Crew } from './agents/crew.ts';
import type { CallEntry } from './call-entry.ts';
import { own } from './fields.ts';
import { t } from './l10n.ts';
import type { Past } from './log-stretch.ts';
import type { Suspension } from './suspension.ts';
import type { Block, Turn } from './transcript.ts';
import { evidentState, type TurnState } from './turn-evidence.ts';

type Snapshot = Extract<HostMessage, { type: 'snapshot' }>;

export interface Session {
  readonly session_id: string;
  readonly title: string;
  readonly access: Access;
  readonly settings: Snapshot['settings'];
  /** Where the reader was when it was last shown. */
  readonly place: Snapshot['place'];
  readonly no_files: Snapshot['no_files'];
  /** Of a child: whose it is. */
  readonly parent: Snapshot['parent'];
  /** Of a fork: which session it was made of. */
  readonly fork: Snapshot['fork'];
}

export interface Stream {
  readonly turn_id: string;
  readonly stream_run_id: string;
  readonly text: string;
  readonly reasoning: string;
}

/** What the host last said of a turn. */
export interface Told {
  readonly turn_id: string;
  readonly state: TurnState | null;
  readonly message: string;
  readonly actions: readonly Action[];
  readonly activity: {
    readonly text: string;
    readonly since: number;
    /** The calls that run. */
    readonly calls?: readonly string[] | undefined;
  } | null;
  /** The calls that wait for a decision, also those before the window. */
  readonly pending: readonly string[];
  /** What it did, also before the window; null until it is over. */
  readonly evidence: TurnEvidence | null;
}

export interface Plan {
  readonly turn_id: string;
  readonly steps: readonly PlanStep[];
}

/** A process that outlived its call, and that the host watches. */
export interface WatchedProcess {
  readonly pid: number;
  readonly alive: boolean;
}

/** What the host last said of a call, until the log says more. */
export interface LiveCall {
  readonly state: string;
  readonly suspension: Suspension | null;
  readonly progress: string;
  readonly process: WatchedProcess | null;
}

export interface Notice {
  readonly level: 'info' | 'warning' | 'error';
  readonly kind: string;
  /** The message of ours that failed; empty for news. */
  readonly about: string;
  /** How full the window is, of a notice that says so. */
  readonly tier: string | null;
  readonly message: string;
  readonly actions: readonly Action[];
}

/** Something attached to a message that is not sent yet. */
export type Chosen = KeptDraft['attachments'][number];

/** A prompt that was sent but is not in the log yet. */
export interface Unsaved {
  readonly client_turn_id: string;
  readonly text: string;
  readonly attachments: readonly Chosen[];
}

/** A prompt on its way, and the session it was written for; null before any was known. */
export interface Sending extends Unsaved {
  readonly session_id: string | null;
}

/** A prompt of a session that is not shown. */
export interface Elsewhere extends Sending {
  /** The host did not take it: it is still to go back to its composer. */
  readonly refused: boolean;
}

/** Words in the composer. They keep the id they were sent under, so that sending them again adds no second turn. */
export interface Draft {
  readonly client_turn_id: string | null;
  readonly text: string;
  readonly attachments: readonly Chosen[];
}

/** How full the window was at the last call; null where nobody knows. */
export interface Pressure {
  readonly tier: string;
  readonly ratio: number | null;
  readonly input_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly window_tokens: number | null;
  /** What filled the request, in estimated tokens. */
  readonly parts: NonNullable<Extract<HostMessage, { type: 'context_pressure' }>['parts']> | null;
  /** Nobody counted the input: it is the sum of the parts. */
  readonly estimated: boolean;
  /** History was compacted since: it is an estimate of the next call. */
  readonly after_compaction: boolean;
}

type Suggestions = Extract<HostMessage, { type: 'suggestions' }>;
export type OfferedSkill = Extract<HostMessage, { type: 'skills' }>['items'][number];

export interface Reveal {
  readonly what: 'decision' | 'composer' | 'turn';
  readonly turn_id: string | null;
  /** Where the turn is in the log; null when it is not known. */
  readonly seq: number | null;
}

/** The log's facts are `items`, up to the log's end, and their fold `blocks`; everything else is of the moment. */
export type Heading = 'back' | 'forward';

export interface State {
  /** Null until the first snapshot. */
  readonly session: Session | null;
  readonly items: readonly Item[];
  readonly blocks: readonly Block[];
  readonly has_more: boolean;
  /** What is shown to a reader who went back so far that the end is no longer shown; null while it is. */
  readonly past: Past | null;
  /** The reader is not at the end. */
  readonly away: boolean;
  /** Where the reader moved last: more is loaded there by itself, and not behind. */
  readonly heading: Heading;
  readonly stream: Stream | null;
  readonly told: Told | null;
  /** Of the last turn, as the host told it: its calls may be before the window. */
  readonly plan: Plan | null;
  readonly calls: Readonly<Record<string, LiveCall>>;
  /** Its children and workflows. */
  readonly crew: Crew;
  readonly notices: readonly Notice[];
  readonly sending: Sending | null;
  /** For the composer: a prompt that the host did not take, or an example. */
  readonly offered: Draft | null;
  /** The session that the offered words are for; null when they are for whichever is shown. */
  readonly offered_to: string | null;
  /** Prompts of sessions that are not shown, on their way or not taken. */
  readonly elsewhere: readonly Elsewhere[];
  /** Suspensions with a decision on its way. */
  readonly decided: readonly string[];
  /** The turn that was asked to stop; nothing more of its stream is shown. */
  readonly stopping: string | null;
  /** The part of the log that ends before this event is on its way. */
  readonly jump: number | null;
  /** What the host last asked to bring into view. */
  readonly reveal: Reveal | null;
  /** What the host kept of this session's composer. */
  readonly kept: KeptDraft | null;
  /** What the host would not send of what was attached last. */
  readonly unfit: readonly string[];
  readonly suggestions: Pick<Suggestions, 'query_id' | 'items'> | null;
  /** As they were when a message was last begun with `/`; null before that. */
  readonly skills: readonly OfferedSkill[] | null;
  readonly pressure: Pressure | null;
  /** When the host last said anything about a turn (milliseconds since 1970). */
  readonly news_at: number;
}

export const INITIAL: State = {
  session: null,
  items: [],
  blocks: [],
  has_more: false,
  past: null,
  away: false,
  heading: 'back',
  stream: null,
  told: null,
  plan: null,
  calls: {},
  crew: NO_CREW,
  notices: [],
  sending: null,
  offered: null,
  offered_to: null,
  elsewhere: [],
  decided: [],
  stopping: null,
  jump: null,
  reveal: null,
  kept: null,
  unfit: [],
  suggestions: null,
  skills: null,
  pressure: null,
  news_at: 0,
};

export function lastTurn(state: State): Turn | undefined {
  return state.blocks.findLast((block) => block.kind === 'turn');
}

/** The log's proof of a failure stands above all; then what the host says of the last turn; then the log. */
export function turnStateOf(state: State, turn: Turn): TurnState {
  const told = turn.failure === null ? toldOf(state, turn)?.state : undefined;
  const known = told ?? evidentState(turn);
  return mayStillBe(known, state, turn) ? known : 'interrupted';
}

/** Nobody works on a turn that others follow, nor in a log that has no writer; one that is gone waits for nobody. */
function mayStillBe(known: TurnState, state: State, turn: Turn): boolean {
  const access = state.session?.access;
  const lost = access?.kind === 'read_only' ? access.reason : null;
  if (known === 'running') return lastTurn(state) === turn && (lost === null || lost === 'held');
  return known !== 'waiting' || lost !== 'deleted';
}

export function toldOf(state: State, turn: Turn): Told | null {
  return lastTurn(state) === turn && state.told?.turn_id === turn.turn_id ? state.told : null;
}

export function isRunning(state: State): boolean {
  const turn = lastTurn(state);
  return turn !== undefined && turnStateOf(state, turn) === 'running';
}

export function isWaiting(state: State): boolean {
  const turn = lastTurn(state);
  return turn !== undefined && turnStateOf(state, turn) === 'waiting';
}

export function hasPrompt(state: State, clientTurnId: string): boolean {
  return state.blocks.some((block) => block.kind === 'turn' && block.prompt?.client_turn_id === clientTurnId);
}

export function canWrite(state: State): boolean {
  return state.session !== null && state.session.access.kind !== 'read_only';
}

/** Why nothing can be decided here; null when it can. */
export function decisionsLocked({ session }: State): string | null {
  if (session?.access.kind === 'writer') return null;
  return session?.access.kind === 'read_only' ? session.access.message : 'The log is still being checked.';
}

/** Why nothing can be compacted just now; null when it can. */
export function compactionLocked(state: State): string | null {
  return decisionsLocked(state) ?? (isRunning(state) ? 'A turn is running. Compact when it is over.' : null);
}

export function shownTitle(state: State): string {
  const known = state.session?.title ?? '';
  if (known !== '') return known;
  const first = state.blocks.find((block) => block.kind === 'turn')?.prompt?.text ?? '';
  return titleOf(first) || t('New session');
}

/** A call as the log tells it, and what the host said of it since. */
export type LiveEntry = CallEntry & Pick<LiveCall, 'progress' | 'process'>;

export function liveCall(calls: State['calls'], call: CallEntry): LiveEntry {
  const live = own(calls, call.call_id);
  if (live === undefined) return { ...call, progress: '', process: null };
  const { state, progress, process } = live;
  return { ...call, state, suspension: live.suspension ?? call.suspension, progress, process };
}
