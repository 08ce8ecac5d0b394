import * as vscode from 'vscode';
import type { SettingName } from '../app/settings.ts';
import { CHOICES, RECENT_MODELS, SETTINGS_SECTION } from './contribution-ids.ts';
import {
  choiceIn,
  isPickable,
  withChoice,
  withoutChoices,
  type Choice,
  type Pickable,
} from './kept-choices.ts';

const RECENT_KEPT = 5;

/** What was picked in this workspace. It is kept in VS Code's memory: no file of the repository, no setting. */
export class Choices {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly context: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>,
    onError: (error: unknown) => void,
  ) {
    this.subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      // Forgotten for good: a setting that is put back later does not bring an old pick back with it.
      if (event.affectsConfiguration(SETTINGS_SECTION)) this.keep(this.without([])).catch(onError);
    });
  }

  /** As it was kept: whoever reads it checks it. Undefined where nothing was picked, or a setting was changed since. */
  valueOf(name: SettingName): unknown {
    return isPickable(name) ? choiceIn(this.kept, name, ownSetting) : undefined;
  }

  async choose(choice: Choice): Promise<void> {
    await this.keep(withChoice(this.kept, choice, ownSetting));
    if (choice.model !== undefined) await this.noteModel(choice.model);
    this.changed.fire();
  }

  /** From now on these are as in settings. */
  async clear(names: readonly Pickable[]): Promise<void> {
    await this.keep(this.without(names));
    this.changed.fire();
  }

  get recentModels(): readonly string[] {
    const kept = this.context.globalState.get<unknown>(RECENT_MODELS);
    return Array.isArray(kept) ? kept.filter((name): name is string => typeof name === 'string') : [];
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private get kept(): unknown {
    return this.context.workspaceState.get<unknown>(CHOICES);
  }

  private without(names: readonly Pickable[]): object {
    return withoutChoices(this.kept, names, ownSetting);
  }

  private async keep(choices: object): Promise<void> {
    await this.context.workspaceState.update(CHOICES, choices);
  }

  private async noteModel(model: string): Promise<void> {
    const models = [model, ...this.recentModels.filter((name) => name !== model)].slice(0, RECENT_KEPT);
    await this.context.globalState.update(RECENT_MODELS, models);
  }
}

/** Not that of the workspace: a repository has no say in what a person picked. */
function ownSetting(name: Pickable): unknown {
  return vscode.workspace.getConfiguration(SETTINGS_SECTION).inspect<unknown>(name)?.globalValue;
}
