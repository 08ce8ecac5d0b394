import { type CacheUse, type Prompt, PromptCache } from '../responses-server/prompt-cache.ts';
import { isObject } from '../responses-server/refusals.ts';
import type { Reading } from './play.ts';

/**
 * What an agent does that does not care for the prompt cache. Each habit is one that a program falls into by itself: it
 * writes its system prompt anew for each turn, and begins it with what is true just now.
 */
export type Habit =
  /** Folder, branch and mode are in the first line of the instructions, and no longer in an item of the input. */
  | 'context_first'
  /** The first line says which turn it is, and when it began. */
  | 'time_first'
  /** Tools come in the order in which they happened to get ready, another one each turn. */
  | 'tools_as_they_come'
  /** The key is the id of the session: a fork is a stranger. */
  | 'key_of_session'
  /** Ours but for the mode in the key. */
  | 'key_without_mode';

/** Those of the naive agent. */
export const HABITS = [
  'context_first',
  'time_first',
  'tools_as_they_come',
  'key_of_session',
] as const satisfies readonly Habit[];

/** What all prompts cost together. */
export interface Bill {
  readonly input: number;
  readonly cached: number;
  /** Of the input, that which was found again. */
  readonly share: number;
  /** What was not. */
  readonly paid: number;
}

export function bill(uses: readonly CacheUse[]): Bill {
  const input = uses.reduce((sum, use) => sum + use.input, 0);
  const cached = uses.reduce((sum, use) => sum + use.cached, 0);
  return { input, cached, share: cached / input, paid: input - cached };
}

/** The same prompts as an agent with such habits would have sent them, read by a cache of their own. */
export function billWith(habits: ReadonlySet<Habit>, readings: readonly Reading[]): Bill {
  const cache = new PromptCache();
  return bill(readings.map((reading) => cache.use(keyOf(habits, reading), laidOut(habits, reading))));
}

function keyOf(habits: ReadonlySet<Habit>, { key, session_id }: Reading): string {
  if (habits.has('key_of_session')) return session_id;
  return habits.has('key_without_mode') ? key.replace(/:r_[a-z_]+/u, '') : key;
}

function laidOut(habits: ReadonlySet<Habit>, { prompt, turn }: Reading): Prompt {
  const { model, instructions, tools, input } = prompt;
  const context = habits.has('context_first');
  const first = [...(context ? [contextOf(input)] : []), ...(habits.has('time_first') ? [timeOf(turn)] : [])];
  return {
    model,
    instructions: first.length === 0 ? instructions : `${first.join(' ')}\n${instructions}`,
    tools: habits.has('tools_as_they_come') ? shuffled(turn, tools) : tools,
    input: context ? input.filter((item) => !isContext(item)) : input,
  };
}

function isContext(item: unknown): boolean {
  return isObject(item) && item.role === 'developer';
}

/** As it was last told. */
function contextOf(input: readonly unknown[]): string {
  return JSON.stringify(input.findLast(isContext) ?? null);
}

const MORNING = Date.UTC(2026, 0, 5, 8);
const MINUTES = 60_000;

function timeOf(turn: number): string {
  return `Turn ${turn}, ${new Date(MORNING + turn * 2 * MINUTES).toISOString()}.`;
}

/** Another order for each turn, and always the same one for it. */
function shuffled<T>(turn: number, list: readonly T[]): readonly T[] {
  const left = [...list];
  let chance = turn * 2_654_435_761;
  return list.flatMap(() => {
    chance = (chance * 1_103_515_245 + 12_345) % 2_147_483_648;
    return left.splice(Math.floor(chance / 65_536) % left.length, 1);
  });
}
