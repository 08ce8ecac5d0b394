import type { IconName } from './icons.tsx';
import type { Told } from './state.ts';
import type { Turn } from './transcript.ts';
import { evidenceOf, type TurnState } from './turn-evidence.ts';
import { wholeSeconds } from './durations.ts';
import { countsOf, type WaitingCall } from './waiting-calls.ts';
import { unreachable } from './unreachable.ts';

/** One icon, one colour and one phrase a state, the same everywhere. Colours are classes of the style sheet. */
export const STATE_LOOKS = {
  running: { icon: 'loading', tone: 'plain' },
  waiting: { icon: 'bell-dot', tone: 'yellow' },
  completed: { icon: 'pass', tone: 'green' },
  partial_failed: { icon: 'warning', tone: 'orange' },
  failed: { icon: 'error', tone: 'red' },
  interrupted: { icon: 'debug-stop', tone: 'quiet' },
  timed_out: { icon: 'watch', tone: 'orange' },
} as const satisfies Record<TurnState, { readonly icon: IconName; readonly tone: string }>;

export interface Phrase {
  readonly phrase: string;
  readonly detail: string;
}

interface Facts {
  readonly turn: Turn;
  readonly told: Told | null;
  /** Its calls that wait, decided or not. */
  readonly waiting: readonly WaitingCall[];
  readonly state: TurnState;
  readonly stopping: boolean;
  readonly now: number;
  readonly newsAt: number;
}

const SILENCE_MS = 10_000;

export function phraseOf(facts: Facts): Phrase {
  const { turn, told, state } = facts;
  const why = told?.message || turn.failure?.message || '';
  switch (state) {
    case 'running':
      return { phrase: runningPhrase(facts), detail: waitingWhileRunning(facts.waiting) };
    case 'waiting':
      return { phrase: waitingPhrase(facts), detail: why };
    case 'completed':
      return { phrase: 'Completed', detail: evidenceOf(turn) };
    case 'partial_failed':
      return { phrase: 'Stopped early: partial answer', detail: why };
    case 'failed':
      return { phrase: `Failed: ${why === '' ? 'the log does not say why' : why}`, detail: '' };
    case 'interrupted':
      return { phrase: 'Response interrupted', detail: why };
    case 'timed_out': {
      const limit = turn.failure?.timeout_ms ?? null;
      return { phrase: limit === null ? 'Timed out' : `Timed out after ${wholeSeconds(limit)}`, detail: why };
    }
    default:
      return unreachable(state);
  }
}

function runningPhrase({ turn, told, stopping, now, newsAt }: Facts): string {
  const started = Date.parse(turn.prompt?.ts ?? '');
  const since = told?.activity?.since ?? (Number.isNaN(started) ? newsAt : started);
  const what = stopping ? 'stopping' : lowerFirst(told?.activity?.text ?? 'waiting for the model');
  const phrase = `Working: ${what}, ${wholeSeconds(now - since)}`;
  const silence = now - newsAt;
  return silence < SILENCE_MS ? phrase : `${phrase}. No news for ${wholeSeconds(silence)}`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** Calls before the window wait too; they have no card here. */
function waitingPhrase({ turn, told, waiting }: Facts): string {
  const shown = new Set(turn.entries.map((entry) => (entry.kind === 'call' ? entry.call_id : '')));
  const above = (told?.pending ?? []).filter((call_id) => !shown.has(call_id)).length;
  const counts = [countsOf(waiting), above === 0 ? '' : `${above} further up`];
  const words = counts.filter((part) => part !== '').join(', ');
  if (words !== '') return `Waiting for you: ${words}`;
  return waiting.length === 0 ? 'Waiting for you' : 'All decided, goes on as soon as it can';
}

function waitingWhileRunning(waiting: readonly WaitingCall[]): string {
  const counts = countsOf(waiting);
  return counts === '' ? '' : `waiting for you: ${counts}`;
}

/** Said aloud when a turn changes its state; worded apart from what is shown, to be heard without context. */
export function announcementOf(state: TurnState): string {
  switch (state) {
    case 'running':
      return 'Working on it';
    case 'waiting':
      return 'Waiting for you';
    case 'completed':
      return 'The answer is complete';
    case 'partial_failed':
      return 'The answer stopped early and is partial';
    case 'failed':
      return 'The turn failed';
    case 'interrupted':
      return 'The answer was interrupted';
    case 'timed_out':
      return 'The turn timed out';
    default:
      return unreachable(state);
  }
}
