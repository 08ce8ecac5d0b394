import { askerWords } from './agents/agent-words.ts';
import { endedWords, type Heard } from './agents/crew-announcements.ts';
import { DECISION_KEY } from './decision-key.ts';
import { t, translated } from './l10n.ts';
import { isTerminal, type TurnState } from './turn-evidence.ts';
import type { Notice } from './state.ts';
import { announcementOf } from './turn-phrases.ts';
import { toolLine } from './tool-lines.ts';
import { undecided, type WaitingCall } from './waiting-calls.ts';
import { unreachable } from './unreachable.ts';

/** What of the last turn is worth saying aloud when it changes. */
export interface Hearable {
  readonly session_id: string;
  readonly turn_id: string;
  /** Null while there is no turn. */
  readonly state: TurnState | null;
  /** Calls that wait for a decision. */
  readonly waiting: readonly WaitingCall[];
  /** Children and workflows by name, each with how it stands: those of steps are told with their workflow. */
  readonly crew: ReadonlyMap<string, Heard>;
}

/**
 * Pure: what to say after a change; null for nothing new, empty when what was said is of a session that is left. What
 * was already so when the view or the session was opened is not news, and a call is announced once, when it begins to
 * wait.
 */
export function announcement(before: Hearable | null, now: Hearable | null): string | null {
  if (before === null) return null;
  if (now === null || before.session_id !== now.session_id) return '';
  const known = new Set(before.waiting.map(({ suspension }) => suspension.id));
  const fresh = undecided(now.waiting).filter(({ suspension }) => !known.has(suspension.id));
  const changed = before.turn_id !== now.turn_id || before.state !== now.state;
  if (changed && now.state !== null && isTerminal(now.state)) return announcementOf(now.state);
  if (fresh.length > 0) return `${freshWords(fresh)} (${DECISION_KEY})`;
  const ended = endedWords(before.crew, now.crew);
  if (ended !== null) return ended;
  if (now.state === null) return null;
  // The calls that make a turn wait have been announced already.
  return changed && !(now.state === 'waiting' && now.waiting.length > 0) ? announcementOf(now.state) : null;
}

/** Pure: what to say of notices that came; the same one again is news again. How full the window is interrupts nobody. */
export function noticeWords(
  before: readonly Notice[],
  now: readonly Notice[],
): { readonly polite: string; readonly assertive: string } {
  const fresh = now.filter((notice) => !before.includes(notice));
  const wordsOf = (isError: boolean): string =>
    fresh
      .filter(({ level, tier }) => (level === 'error' && tier === null) === isError)
      .map(({ message }) => translated(message))
      .join(' ');
  return { polite: wordsOf(false), assertive: wordsOf(true) };
}

function freshWords(fresh: readonly WaitingCall[]): string {
  return fresh.length === 1 ? fresh.map(waitWords).join('') : t('{0} calls need you', fresh.length);
}

function waitWords(waiting: WaitingCall): string {
  const { asker } = waiting;
  return asker === null ? callWords(waiting) : `${askerWords(asker)}: ${callWords(waiting)}`;
}

function callWords({ call, suspension, asked }: WaitingCall): string {
  const { verb, folder, subject } = toolLine(call);
  const what = `${verb} ${folder}${subject}`.trim();
  switch (asked) {
    case 'approval':
      return t('{0} needs your approval', what);
    case 'question':
      return t(
        'A question for you: {0}',
        suspension.question === '' ? suspension.message : suspension.question,
      );
    case 'outcome_unknown':
      return t('Outcome unknown: {0}', what);
    default:
      return unreachable(asked);
  }
}
