import type { NodeState } from '../../src/presenter/agent-states.ts';
import { withoutKind } from '../../src/presenter/host-sentences.ts';
import { STATE_LOOKS } from '../../src/presenter/state-looks.ts';
import { wholeSeconds } from '../durations.ts';
import { firstCharacters } from '../first-characters.ts';
import { t, translated, whole } from '../l10n.ts';
import { visibleText } from '../visible-text.ts';
import { askedBy } from '../suspension.ts';
import { askedWords, type AskingChild } from '../waiting-calls.ts';
import type { Child } from './child-facts.ts';
import type { LiveChild } from './crew.ts';

/** What a child is called: its role, and its task in short. Both are words of a model. */

const SHORT_CHARS = 80;

/** The first line of a text, in short. */
export function inShort(text: string, most = SHORT_CHARS): string {
  const all = text.trim();
  const end = all.indexOf('\n');
  const line = end < 0 ? all : all.slice(0, end);
  const first = firstCharacters(line, most);
  return first === all ? visibleText(first) : `${visibleText(first.trimEnd())}…`;
}

/** One that says something: most agents have none. */
export function hasRole(agent: string | null | undefined): boolean {
  return (agent ?? '') !== '' && agent !== 'default';
}

export function roleOf(agent: string | null | undefined): string {
  return hasRole(agent) ? visibleText(agent ?? '') : t('agent');
}

/** As in "explorer · Find the clock". */
export function nameOf({ roles, task }: Pick<AskingChild, 'roles' | 'task'>): string {
  const role = roles.length === 0 ? roleOf(null) : roles.map(roleOf).join(' › ');
  const words = inShort(task, 60);
  return words === '' ? role : `${role} · ${words}`;
}

export function askerWords(asker: AskingChild): string {
  return t('{0} asks', nameOf(asker));
}

/** A child's or a step's end is not that of a response. */
export function phraseFor(state: NodeState): string {
  return state === 'interrupted' ? t('Interrupted') : t(STATE_LOOKS[state].phrase);
}

/** How one stands, in a few words; empty for what is to be found out by looking at the clock. */
export function stateWords(
  state: NodeState,
  facts: { readonly elapsed_ms: number | null; readonly timeout_ms: number | null; readonly reason: string },
): string {
  const reason = visibleText(translated(withoutKind(facts.reason)));
  const because = reason === '' ? '' : `: ${reason}`;
  const elapsed = facts.elapsed_ms === null ? null : wholeSeconds(facts.elapsed_ms);
  if (state === 'completed') return elapsed === null ? phraseFor(state) : t('Completed in {0}', elapsed);
  if (state === 'failed') return t('Failed: {0}', reason === '' ? t('the log does not say why') : reason);
  const limit = facts.timeout_ms === null ? elapsed : wholeSeconds(facts.timeout_ms);
  const phrase = state === 'timed_out' && limit !== null ? t('Timed out after {0}', limit) : phraseFor(state);
  return `${phrase}${because}`;
}

export function workingWords(live: LiveChild | undefined): string {
  const text = live?.activity?.text ?? '';
  return text === '' ? phraseFor('running') : t('Working: {0}', lowerFirst(visibleText(translated(text))));
}

export function waitingWords(live: LiveChild | undefined): string {
  const counts = askedWords((live?.questions ?? []).map(({ suspension }) => askedBy(suspension.reason)));
  return counts === '' ? phraseFor('waiting') : t('Needs you: {0}', counts);
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

export function attemptWords(attempt: number): string {
  if (attempt === 2) return t('2nd attempt');
  return attempt === 3 ? t('3rd attempt') : t('attempt {0}', attempt);
}

const SILENCE_MS = 10_000;

/** Empty while there is news. */
export function silenceWords(news_at: number | null, now: number): string {
  const silence = news_at === null ? 0 : now - news_at;
  return silence < SILENCE_MS ? '' : t('no news for {0}', wholeSeconds(silence));
}

/** How long it may take, where that is known. */
export function allowance({
  timeout_ms,
  deadline_at,
  started_at,
}: Pick<Child, 'timeout_ms' | 'deadline_at' | 'started_at'>): number | null {
  if (timeout_ms !== null) return timeout_ms;
  return deadline_at === null || started_at === null ? null : deadline_at - started_at;
}

/** In the order in which they matter to who looks. */
const COUNTS = [
  ['waiting', (n) => (n === 1 ? t('1 needs you') : t('{0} need you', whole(n)))],
  ['held', (n) => t('{0} held', whole(n))],
  ['running', (n) => t('{0} working', whole(n))],
  ['queued', (n) => t('{0} queued', whole(n))],
  ['failed', (n) => t('{0} failed', whole(n))],
  ['timed_out', (n) => t('{0} timed out', whole(n))],
  ['partial', (n) => t('{0} partial', whole(n))],
  ['interrupted', (n) => t('{0} interrupted', whole(n))],
  ['cancelled', (n) => t('{0} cancelled', whole(n))],
  ['closed', (n) => t('{0} closed', whole(n))],
  ['detached', (n) => t('{0} detached', whole(n))],
  ['completed', (n) => t('{0} completed', whole(n))],
] as const satisfies readonly (readonly [NodeState, (n: number) => string])[];

/** As in "1 needs you, 3 working, 8 completed". */
export function countWords(states: readonly (NodeState | null)[]): string {
  const counted = COUNTS.map(([state, words]) => ({
    words,
    n: states.filter((one) => one === state).length,
  }));
  const known = counted.reduce((sum, { n }) => sum + n, 0);
  const others = states.filter((state) => state !== null).length - known;
  return [
    ...counted.filter(({ n }) => n > 0).map(({ words, n }) => words(n)),
    ...(others > 0 ? [t('{0} in another state', whole(others))] : []),
  ].join(', ');
}
