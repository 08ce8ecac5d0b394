import * as vscode from 'vscode';
import type { SettingName } from '../app/settings.ts';
import type { Choices } from './choices.ts';
import { SETTINGS_SECTION } from './contribution-ids.ts';
import { effectiveSettings, type EffectiveSettings, type Layers } from './effective-settings.ts';

/** The settings as they are now, with what was picked for this workspace; without `choices`, as they are set. */
export function hostSettings(choices: Pick<Choices, 'valueOf'> | null): EffectiveSettings {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const configuration = vscode.workspace.getConfiguration(SETTINGS_SECTION, folder?.uri ?? null);
  return effectiveSettings((name) => ({ ...layersOf(configuration, name), choice: choices?.valueOf(name) }));
}

function layersOf(configuration: vscode.WorkspaceConfiguration, name: SettingName): Layers {
  const found = configuration.inspect<unknown>(name);
  return {
    user: found?.globalValue,
    workspace: found?.workspaceValue,
    folder: found?.workspaceFolderValue,
  };
}
