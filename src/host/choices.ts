import * as vscode from 'vscode';
import type { SettingName, Settings } from '../app/settings.ts';
import { CHOICES, RECENT_MODELS } from './contribution-ids.ts';

/** The settings that can be picked in the chat, for this workspace only. */
const PICKABLE = ['provider', 'model', 'reasoningEffort', 'permissionMode'] as const satisfies SettingName[];
type Pickable = (typeof PICKABLE)[number];
export type Choice = { readonly [K in Pickable]?: Settings[K] };

const RECENT_KEPT = 5;

/** What was picked in this workspace. It is kept in VS Code's memory: no file of the repository, no setting. */
export class Choices {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly context: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>) {}

  /** As it was kept: whoever reads it checks it. Undefined where nothing was picked. */
  valueOf(name: SettingName): unknown {
    if (!isPickable(name)) return undefined;
    return entryOf(this.context.workspaceState.get<unknown>(CHOICES), name);
  }

  async choose(choice: Choice): Promise<void> {
    const known = PICKABLE.flatMap((name) => {
      const value = choice[name] ?? this.valueOf(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    await this.context.workspaceState.update(CHOICES, Object.fromEntries(known));
    if (choice.model !== undefined) await this.noteModel(choice.model);
    this.changed.fire();
  }

  get recentModels(): readonly string[] {
    const kept = this.context.globalState.get<unknown>(RECENT_MODELS);
    return Array.isArray(kept) ? kept.filter((name): name is string => typeof name === 'string') : [];
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async noteModel(model: string): Promise<void> {
    const models = [model, ...this.recentModels.filter((name) => name !== model)].slice(0, RECENT_KEPT);
    await this.context.globalState.update(RECENT_MODELS, models);
  }
}

function isPickable(name: SettingName): name is Pickable {
  return PICKABLE.some((one) => one === name);
}

function entryOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}
