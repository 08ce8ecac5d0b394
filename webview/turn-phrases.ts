import { firstCharacters } from './first-characters.ts';
import { t, translated } from './l10n.ts';
import type { Told } from './state.ts';
import { stateLook, type Look } from './state-look.ts';
import { commandOf, toolLine } from './tool-lines.ts';
import type { Turn } from './transcript.ts';
import type { TurnState } from './turn-evidence.ts';
import { wholeSeconds } from './durations.ts';
import { countsOf, undecided, type WaitingCall } from './waiting-calls.ts';
import { unreachable } from './unreachable.ts';
import { visibleText } from './visible-text.ts';

export function lookOf(state: TurnState, waiting: readonly WaitingCall[]): Look {
  return stateLook(state === 'waiting' && isUnknown(waiting) ? 'outcome_unknown' : state);
}

/** All that is left to decide is what became of calls that were running when the process ended. */
function isUnknown(waiting: readonly WaitingCall[]): boolean {
  const open = undecided(waiting);
  return open.length > 0 && open.every(({ asked }) => asked === 'outcome_unknown');
}

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
  const why = translated(told?.message || turn.failure?.message || '');
  switch (state) {
    case 'running':
      return { phrase: runningPhrase(facts), detail: waitingWhileRunning(facts.waiting) };
    case 'waiting':
      return { phrase: waitingPhrase(facts), detail: why };
    case 'completed':
      return { phrase: t('Completed'), detail: '' };
    case 'partial_failed':
      return { phrase: t('Stopped early: partial answer'), detail: why };
    case 'failed':
      return { phrase: t('Failed: {0}', why === '' ? t('the log does not say why') : why), detail: '' };
    case 'interrupted':
      return { phrase: t('Response interrupted'), detail: why };
    case 'timed_out': {
      const limit = turn.failure?.timeout_ms ?? null;
      return {
        phrase: limit === null ? t('Timed out') : t('Timed out after {0}', wholeSeconds(limit)),
        detail: why,
      };
    }
    default:
      return unreachable(state);
  }
}

function runningPhrase({ turn, told, waiting, stopping, now, newsAt }: Facts): string {
  const started = Date.parse(turn.prompt?.ts ?? '');
  const since = told?.activity?.since ?? (Number.isNaN(started) ? newsAt : started);
  const what = stopping ? t('stopping') : lowerFirst(activityWords(turn, told?.activity ?? null));
  const phrase = t('Working: {0}, {1}', what, wholeSeconds(now - since));
  // While a person is asked, it is not news that is waited for.
  const silence = countsOf(waiting) === '' ? now - newsAt : 0;
  return silence < SILENCE_MS ? phrase : t('{0}. No news for {1}', phrase, wholeSeconds(silence));
}

const WORDS_CHARS = 60;

/** One call that runs is named: that it is a tool says nothing. */
function activityWords(turn: Turn, activity: Told['activity']): string {
  const [only, ...others] = activity?.calls ?? [];
  const call = turn.entries.find((entry) => entry.kind === 'call' && entry.call_id === only);
  if (call?.kind !== 'call' || others.length > 0)
    return translated(activity?.text ?? 'Waiting for the model');
  const { verb, folder, subject } = toolLine(call);
  const words = visibleText(`${verb} ${folder}${subject}`.trim());
  const first = firstCharacters(words, WORDS_CHARS);
  return first === words ? words : `${first}…`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** Calls before the window wait too; they have no card here. */
function waitingPhrase({ turn, told, waiting }: Facts): string {
  const shown = new Set(turn.entries.map((entry) => (entry.kind === 'call' ? entry.call_id : '')));
  const above = (told?.pending ?? []).filter((call_id) => !shown.has(call_id)).length;
  const counts = [countsOf(waiting), above === 0 ? '' : t('{0} further up', above)];
  const words = counts.filter((part) => part !== '').join(', ');
  if (above === 0 && isUnknown(waiting)) return t('Outcome unknown: {0}', unknownNames(waiting));
  if (words !== '') return t('Needs you: {0}', words);
  return waiting.length === 0 ? t('Needs you') : t('All decided, goes on as soon as it can');
}

function unknownNames(waiting: readonly WaitingCall[]): string {
  const names = undecided(waiting).map(({ call }) => {
    const { verb, folder, subject } = toolLine(call);
    return commandOf(call)?.split('\n', 1).join('') ?? `${verb} ${folder}${subject}`.trim();
  });
  return visibleText(names.join(', '));
}

function waitingWhileRunning(waiting: readonly WaitingCall[]): string {
  const counts = countsOf(waiting);
  return counts === '' ? '' : t('needs you: {0}', counts);
}

/** Said aloud when a turn changes its state; worded apart from what is shown, to be heard without context. */
export function announcementOf(state: TurnState): string {
  switch (state) {
    case 'running':
      return t('Working on it');
    case 'waiting':
      return t('Needs you');
    case 'completed':
      return t('The answer is complete');
    case 'partial_failed':
      return t('The answer stopped early and is partial');
    case 'failed':
      return t('The turn failed');
    case 'interrupted':
      return t('The answer was interrupted');
    case 'timed_out':
      return t('The turn timed out');
    default:
      return unreachable(state);
  }
}
