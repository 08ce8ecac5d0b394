import * as vscode from 'vscode';
import type { SettingName } from '../app/settings.ts';
import type { Choices } from './choices.ts';
import { SETTINGS_SECTION } from './contribution-ids.ts';
import { effectiveSettings, type EffectiveSettings, type Layers } from './effective-settings.ts';

/** The settings as they are now, with what was picked for this workspace; without `choices`, as they are set. */
export function hostSettings(choices: Pick<Choices, 'valueOf'> | null): EffectiveSettings {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const places = (folders.length === 0 ? [null] : folders).map((uri) =>
    vscode.workspace.getConfiguration(SETTINGS_SECTION, uri),
  );
  return effectiveSettings((name) => ({ ...layersOf(places, name), choice: choices?.valueOf(name) }));
}

/** What the person and the workspace set is the same in every folder. */
function layersOf(places: readonly vscode.WorkspaceConfiguration[], name: SettingName): Layers {
  const found = places.map((configuration) => configuration.inspect<unknown>(name));
  return {
    user: found[0]?.globalValue,
    workspace: found[0]?.workspaceValue,
    folders: found.map((one) => one?.workspaceFolderValue),
  };
}
