import { t } from '../l10n.ts';
import { canWrite, isRunning, isWaiting, lastTurn, type OfferedSkill, type State } from '../state.ts';

/** What is being typed that a list can finish. */
export interface Trigger {
  readonly kind: 'attach' | 'command';
  /** Where its sign stands in the text. */
  readonly start: number;
  readonly query: string;
}

/** Pure: what stands before the caret. A sign inside a word, as in a mail address, means nothing. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const command = /^\/([\w-]*)$/u.exec(before);
  if (command !== null && text.slice(caret).trim() === '')
    return { kind: 'command', start: 0, query: command[1] ?? '' };
  const attach = /(?:^|\s)@([^\s@]{0,200})$/u.exec(before);
  if (attach === null) return null;
  const query = attach[1] ?? '';
  return { kind: 'attach', start: caret - query.length - 1, query };
}

/** The text without what was typed for the list. */
export function withoutTrigger(text: string, { start, query }: Trigger): string {
  return text.slice(0, start) + text.slice(start + query.length + 1);
}

export interface SlashCommand {
  readonly name: string;
  readonly label: string;
  readonly command: string;
}

interface Offer extends SlashCommand {
  readonly isOffered?: (state: State) => boolean;
}

const hasTurns = (state: State): boolean => state.blocks.length > 0;
const isOpen = (state: State): boolean => (isRunning(state) || isWaiting(state)) && canWrite(state);

const OFFERS: readonly Offer[] = [
  { name: 'new', label: t('New session'), command: 'ledgerline.newSession' },
  { name: 'open', label: t('Open a session'), command: 'ledgerline.openSession' },
  { name: 'stop', label: t('Stop the answer'), command: 'ledgerline.stop', isOffered: isOpen },
  { name: 'fork', label: t('Fork this session'), command: 'ledgerline.fork', isOffered: hasTurns },
  {
    name: 'undo',
    label: t('Undo the last changes'),
    command: 'ledgerline.undoTurn',
    isOffered: (state) =>
      canWrite(state) && !isRunning(state) && (lastTurn(state)?.fold.evidence.changes.length ?? 0) > 0,
  },
  { name: 'model', label: t('Select a model'), command: 'ledgerline.selectModel' },
  { name: 'mode', label: t('Select a permission mode'), command: 'ledgerline.selectMode' },
  {
    name: 'inspect',
    label: t('Show the next request'),
    command: 'ledgerline.inspectRequest',
    isOffered: hasTurns,
  },
  {
    name: 'compact',
    label: t('Preview compaction'),
    command: 'ledgerline.compactDryRun',
    isOffered: (state) => hasTurns(state) && canWrite(state) && !isRunning(state),
  },
  { name: 'diagnose', label: t('Check the log'), command: 'ledgerline.diagnose', isOffered: hasTurns },
  { name: 'log', label: t('Open the log'), command: 'ledgerline.openLog', isOffered: hasTurns },
  {
    name: 'export',
    label: t('Export this session'),
    command: 'ledgerline.exportSession',
    isOffered: hasTurns,
  },
  { name: 'key', label: t('Set the API key'), command: 'ledgerline.setApiKey' },
];

/** Pure: what can be done now and begins, or at least goes on, with what was typed. */
export function commandsFor(state: State, query: string): readonly SlashCommand[] {
  return fitting(
    query,
    OFFERS.filter(({ isOffered }) => isOffered?.(state) ?? true),
    ({ label }) => label,
  );
}

/** Why words that look like a command are not sent without asking. */
export interface Doubt {
  readonly name: string;
  /** A command that there is: it is chosen from the list, alone. */
  readonly isCommand: boolean;
}

/**
 * Pure: whether a message begins like a command and calls no skill: sent, it would only be words for the model. A path
 * is none. Null where nothing is wrong, or where the skills are not known yet.
 */
export function doubtAbout({ skills }: Pick<State, 'skills'>, text: string): Doubt | null {
  const name = /^\/([a-z][\w-]*)(?=\s|$)/iu.exec(text.trimStart())?.[1];
  if (name === undefined || skills === null || skills.some((one) => one.name === name)) return null;
  return { name, isCommand: OFFERS.some((one) => one.name === name) };
}

/** Pure: the skills that a message can begin with, by their names and by what they are for. */
export function skillsFor({ skills }: State, query: string): readonly OfferedSkill[] {
  return fitting(query, skills ?? [], ({ description }) => description);
}

function fitting<T extends { readonly name: string }>(
  query: string,
  all: readonly T[],
  words: (one: T) => string,
): readonly T[] {
  const typed = query.toLowerCase();
  const found = all.filter((one) => one.name.includes(typed) || words(one).toLowerCase().includes(typed));
  return beginningFirst(found, ({ name }) => name, typed);
}

/** Pure: what begins with what was typed stands before what only has it in it, commands and skills alike. */
export function beginningFirst<T>(
  found: readonly T[],
  nameOf: (one: T) => string,
  query: string,
): readonly T[] {
  const begins = (one: T): number => Number(nameOf(one).startsWith(query.toLowerCase()));
  return found.toSorted((a, b) => begins(b) - begins(a));
}
