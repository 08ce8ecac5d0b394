import { isSettingName, parseSettings, SETTINGS, type SettingName, type Settings } from '../app/settings.ts';
import { SETTING_REACH, settingId } from './contribution-ids.ts';
import { EXPECTATIONS } from '../app/setting-expectations.ts';

/** The values of one setting by who set them; undefined where nobody did. */
export interface Layers {
  readonly user: unknown;
  readonly workspace: unknown;
  /** By each folder of the workspace. */
  readonly folders: readonly unknown[];
  /** What the person picked for this workspace; where it is not valid, nothing was picked. */
  readonly choice?: unknown;
}

export interface SettingProblem {
  readonly name: SettingName;
  readonly message: string;
  /** Where prompts would go is not certain: nothing is sent. */
  readonly blocks_sending: boolean;
}

export interface EffectiveSettings {
  readonly settings: Settings;
  readonly problems: readonly SettingProblem[];
}

const MODES = ['read_only', 'ask', 'auto'] as const;
type Mode = (typeof MODES)[number];

/** Pure: what counts of all that was set. A mistake is reported, and never allows more than its absence. */
export function effectiveSettings(layersOf: (name: SettingName) => Layers): EffectiveSettings {
  const problems: SettingProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(SETTINGS).filter(isSettingName)) {
    const { valid, invalid } = sorted(name, layersOf(name));
    problems.push(...invalid.map((where) => problemOf(name, where)));
    const value = chosenValue(name, layersOf(name)) ?? valid.at(-1)?.value;
    if (value !== undefined) values[name] = value;
  }
  const parsed = parseSettings(values);
  if (!parsed.ok)
    throw new Error(`settings that were valid one by one are not: ${parsed.problems.join('; ')}`);
  const settings: Settings = {
    ...parsed.settings,
    permissionMode: problems.some(({ name }) => SETTING_REACH[name] === 'tighten')
      ? 'read_only'
      : tightestMode(layersOf('permissionMode')),
    permissions: combinedRules(layersOf('permissions')),
  };
  return { settings, problems };
}

type Where = 'user' | 'workspace' | 'folder';

interface Sorted {
  readonly valid: readonly { readonly where: Where; readonly value: unknown }[];
  readonly invalid: readonly Where[];
}

/** The layers that may set it, the most specific last. */
function sorted(name: SettingName, { user, workspace, folders }: Layers): Sorted {
  const all: { where: Where; value: unknown }[] = [
    { where: 'user', value: user },
    { where: 'workspace', value: workspace },
    ...folders
      .filter((value) => !isSame(value, workspace))
      .map((value) => ({ where: 'folder' as const, value })),
  ];
  const valid: { where: Where; value: unknown }[] = [];
  const invalid = new Set<Where>();
  for (const { where, value } of all) {
    if (value === undefined || (SETTING_REACH[name] === 'machine' && where !== 'user')) continue;
    const parsed = SETTINGS[name].safeParse(value);
    if (parsed.success) valid.push({ where, value: parsed.data });
    else invalid.add(where);
  }
  return { valid, invalid: [...invalid] };
}

/** Where a workspace is one folder, VS Code tells what is set there twice: it counts once. */
function isSame(folder: unknown, workspace: unknown): boolean {
  return JSON.stringify(folder) === JSON.stringify(workspace);
}

function chosenValue(name: SettingName, { choice }: Layers): unknown {
  const parsed = choice === undefined ? null : SETTINGS[name].safeParse(choice);
  return parsed?.success === true ? parsed.data : undefined;
}

function problemOf(name: SettingName, where: Where): SettingProblem {
  const place = where === 'user' ? 'your settings' : `the settings of the ${where}`;
  const blocks_sending = name === 'provider' || name === 'baseUrl';
  const effect = blocks_sending
    ? 'Nothing is sent until it is corrected.'
    : SETTING_REACH[name] === 'tighten'
      ? 'Until it is corrected, Ledgerline only reads.'
      : 'It is ignored until it is corrected.';
  return {
    name,
    blocks_sending,
    message: `${settingId(name)} in ${place} is not valid. ${EXPECTATIONS[name]} ${effect}`,
  };
}

/** What was picked stands in for the person's setting, so that a workspace can still make it stricter. */
function tightestMode(layers: Layers): Mode {
  const user = modeOf(layers.choice) ?? modeOf(layers.user) ?? SETTINGS.permissionMode.parse(undefined);
  const modes = [user, modeOf(layers.workspace), ...layers.folders.map(modeOf)];
  return MODES.find((mode) => modes.includes(mode)) ?? 'read_only';
}

function modeOf(value: unknown): Mode | null {
  return MODES.find((mode) => mode === value) ?? null;
}

/** A workspace may add what is asked and what is denied, never what is allowed. */
function combinedRules(layers: Layers): Settings['permissions'] {
  const user = rulesOf(layers.user);
  const others = [rulesOf(layers.workspace), ...layers.folders.map(rulesOf)];
  return {
    allow: user.allow,
    ask: [...new Set([user, ...others].flatMap((rules) => rules.ask))],
    deny: [...new Set([user, ...others].flatMap((rules) => rules.deny))],
  };
}

function rulesOf(value: unknown): Settings['permissions'] {
  const parsed = SETTINGS.permissions.safeParse(value);
  return parsed.success ? parsed.data : { allow: [], ask: [], deny: [] };
}
