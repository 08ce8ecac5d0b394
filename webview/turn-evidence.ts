import { changedFiles, type CommandFact, type TurnEvidence } from '../src/presenter/turn-evidence.ts';
import type { CallEntry } from './call-entry.ts';
import { t, tenths } from './l10n.ts';
import type { Told } from './state.ts';
import type { Turn } from './transcript.ts';

export type TurnState =
  | 'running'
  | 'waiting'
  | 'completed'
  | 'partial_failed'
  | 'failed'
  | 'interrupted'
  | 'timed_out';

const FAILURES: readonly TurnState[] = ['partial_failed', 'failed', 'interrupted', 'timed_out'];

/**
 * What the shown part of the log proves about a turn. Used for turns of which the host has not said anything:
 * those before the last one.
 */
export function evidentState(turn: Turn): TurnState {
  if (turn.failure !== null) {
    return FAILURES.find((state) => state === turn.failure?.terminal_status) ?? 'failed';
  }
  const calls = turn.entries.filter((entry) => entry.kind === 'call');
  if (isAnswered(turn) && calls.every(isSettled)) return 'completed';
  return turn.run === 'waiting' && calls.some((call) => call.state === 'suspended') ? 'waiting' : 'running';
}

export function isTerminal(state: TurnState): boolean {
  return state !== 'running' && state !== 'waiting';
}

function isSettled(call: CallEntry): boolean {
  return call.result !== null && call.state !== 'suspended';
}

/** A clean text of a response without calls, after every call. */
function isAnswered(turn: Turn): boolean {
  const last = turn.entries.findLast((entry) => entry.kind === 'call' || entry.kind === 'text');
  if (last?.kind !== 'text' || last.partial || !last.whole || last.text === '') return false;
  return !turn.entries.some((entry) => entry.kind === 'call' && entry.stream_run_id === last.stream_run_id);
}

export interface ShownEvidence {
  readonly evidence: TurnEvidence;
  /** False when the turn began before what is shown, and nobody said what happened there. */
  readonly isWhole: boolean;
}

/** The host has the whole log, but speaks of the last turn only; what is shown later is newer than its words. */
export function evidenceOf(turn: Turn, told: Told | null): ShownEvidence {
  if (turn.prompt !== null) return { evidence: turn.fold.evidence, isWhole: true };
  const evidence = told?.evidence ?? null;
  return evidence === null ? { evidence: turn.fold.evidence, isWhole: false } : { evidence, isWhole: true };
}

/** That tokens are not known is no fact by itself: under a failure it would only be noise. */
export function hasFacts({ evidence }: ShownEvidence): boolean {
  const { changes, commands, others, skills, tokens, responses } = evidence;
  const calls = Object.values(others).some((count) => count > 0);
  const done = changes.length > 0 || commands.length > 0 || skills.length > 0;
  return done || calls || (responses > 0 && tokens !== null);
}

/** The facts in a few words; empty when there are none. */
export function evidenceWords({ evidence, isWhole }: ShownEvidence): string {
  const parts = [
    fileWords(evidence),
    commandWords(evidence.commands),
    otherWords(evidence),
    skillWords(evidence),
    ...tokenWords(evidence),
  ];
  const words = parts.filter((part) => part !== '').join(', ');
  return isWhole || words === '' ? words : t('in what is shown: {0}', words);
}

function skillWords({ skills }: TurnEvidence): string {
  if (skills.length === 0) return '';
  return skills.length === 1 ? t('1 skill') : t('{0} skills', skills.length);
}

function fileWords({ changes }: TurnEvidence): string {
  const files = changedFiles(changes);
  if (files.length === 0) return '';
  const undone = files.filter(({ standing }) => standing === 'undone').length;
  const words = files.length === 1 ? t('1 file changed') : t('{0} files changed', files.length);
  if (undone === 0) return words;
  return noted(words, [undone === files.length ? t('undone') : t('{0} undone', undone)]);
}

function commandWords(commands: readonly CommandFact[]): string {
  if (commands.length === 0) return '';
  const words = commands.length === 1 ? t('1 command') : t('{0} commands', commands.length);
  const of = (outcome: CommandFact['outcome']): number =>
    commands.filter((one) => one.outcome === outcome).length;
  return noted(words, outcomeNotes(of));
}

/** Calls that changed nothing and ran nothing are told when there is nothing else, or when they went wrong. */
function otherWords({ changes, commands, others }: TurnEvidence): string {
  const total = Object.values(others).reduce((sum, count) => sum + count, 0);
  const notes = outcomeNotes((outcome) => others[outcome]);
  const isAll = changes.length === 0 && commands.length === 0;
  if (total === 0 || (!isAll && notes.length === 0)) return '';
  if (isAll) return noted(total === 1 ? t('1 call') : t('{0} calls', total), notes);
  return noted(total === 1 ? t('1 other call') : t('{0} other calls', total), notes);
}

function outcomeNotes(of: (outcome: CommandFact['outcome']) => number): readonly string[] {
  return [
    of('failed') === 0 ? '' : t('{0} failed', of('failed')),
    of('refused') === 0 ? '' : t('{0} denied', of('refused')),
    of('skipped') === 0 ? '' : t('{0} skipped', of('skipped')),
    of('cancelled') === 0 ? '' : t('{0} cancelled', of('cancelled')),
    of('open') === 0 ? '' : t('{0} without a result', of('open')),
  ].filter((note) => note !== '');
}

function noted(words: string, notes: readonly string[]): string {
  return notes.length === 0 ? words : `${words} (${notes.join(', ')})`;
}

/** Unknown is not zero: the details say so, the one line has no room for what is not known. */
function tokenWords({ responses, tokens, cached }: TurnEvidence): readonly string[] {
  if (responses === 0 || tokens === null) return [];
  return [t('{0} tokens', shortCount(tokens)), cached === null ? '' : cachedWords(cached)];
}

export function cachedWords({ input, cached }: { readonly input: number; readonly cached: number }): string {
  return input === 0 ? '' : t('{0} % cached', Math.round((100 * cached) / input));
}

/** As short as a line wants it. */
export function shortCount(count: number): string {
  return count < 1000 ? String(count) : `${tenths(count / 1000)}k`;
}
