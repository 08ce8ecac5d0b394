import type { SettingName, Settings } from '../app/settings.ts';

/** The settings that can be picked in the chat, for this workspace only. */
export const PICKABLE = [
  'provider',
  'model',
  'reasoningEffort',
  'permissionMode',
] as const satisfies SettingName[];
export type Pickable = (typeof PICKABLE)[number];
export type Choice = { readonly [K in Pickable]?: Settings[K] };

/** A pick, and what the person's own setting said when it was made; null where it said nothing. */
interface KeptChoice {
  readonly value: unknown;
  readonly over: unknown;
}

/** What the person's own settings say; undefined where they say nothing. */
export type OwnSetting = (name: Pickable) => unknown;

export function isPickable(name: SettingName): name is Pickable {
  return PICKABLE.some((one) => one === name);
}

/**
 * Pure: what counts of what was kept. The person's last word does: a pick counts until their own setting is
 * changed. The value is as it was kept: whoever reads it checks it.
 */
export function choiceIn(kept: unknown, name: Pickable, own: OwnSetting): unknown {
  const entry = entryIn(kept, name);
  return entry !== null && isSame(entry.over, own(name)) ? entry.value : undefined;
}

/** Pure: what is to be kept after a pick. Picks that no longer count are forgotten. */
export function withChoice(kept: unknown, choice: Choice, own: OwnSetting): object {
  return keeping((name) => choice[name] ?? choiceIn(kept, name, own), own);
}

/** Pure: what is to be kept when these are to be as in settings. Picks that no longer count are forgotten. */
export function withoutChoices(kept: unknown, names: readonly Pickable[], own: OwnSetting): object {
  return keeping((name) => (names.includes(name) ? undefined : choiceIn(kept, name, own)), own);
}

function keeping(valueOf: (name: Pickable) => unknown, own: OwnSetting): object {
  const entries = PICKABLE.flatMap((name): (readonly [Pickable, KeptChoice])[] => {
    const value = valueOf(name);
    return value === undefined ? [] : [[name, { value, over: own(name) ?? null }]];
  });
  return Object.fromEntries(entries);
}

function entryIn(kept: unknown, name: string): KeptChoice | null {
  const entry = fieldOf(kept, name);
  const value = fieldOf(entry, 'value');
  return value === undefined ? null : { value, over: fieldOf(entry, 'over') };
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
