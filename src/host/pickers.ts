import * as vscode from 'vscode';
import { SETTINGS, type Settings } from '../app/settings.ts';
import type { ChatView } from './chat-view.ts';
import type { Choices } from './choices.ts';
import type { Choice, Pickable } from './kept-choices.ts';
import { hostSettings } from './host-settings.ts';
import { inform } from './notifications.ts';
import { pickFrom, type CurrentItem } from './pick-lists.ts';

export interface PickerParts {
  readonly chat: Pick<ChatView, 'knownFacts'>;
  readonly choices: Choices;
}

type Mode = Settings['permissionMode'];

function modeItems(): readonly (vscode.QuickPickItem & { readonly mode: Mode })[] {
  return [
    {
      mode: 'read_only',
      label: vscode.l10n.t('Read-only'),
      detail: vscode.l10n.t('Reads and searches only.'),
    },
    {
      mode: 'ask',
      label: vscode.l10n.t('Ask'),
      detail: vscode.l10n.t('Reads run; edits and commands are asked for.'),
    },
    {
      mode: 'auto',
      label: vscode.l10n.t('Auto'),
      detail: vscode.l10n.t('Edits and commands run too, except where a rule asks for or denies them.'),
    },
  ];
}

export async function selectMode(parts: PickerParts): Promise<void> {
  const now = hostSettings(parts.choices).settings.permissionMode;
  const isPicked = parts.choices.valueOf('permissionMode') !== undefined;
  const items = modeItems().map((item) => ({ ...item, ...present(isPicked && item.mode === now) }));
  const set = hostSettings(null).settings.permissionMode;
  const label = items.find(({ mode }) => mode === set)?.label ?? set;
  const picked = await pickFrom([...items, separator(), { ...asInSettings(label, isPicked), mode: null }], {
    title: vscode.l10n.t('Permission mode'),
    placeholder: vscode.l10n.t('What runs without asking, in this workspace'),
  });
  if (picked === undefined || !('mode' in picked)) return;
  if (picked.mode === null) return clear(parts, ['permissionMode']);
  await choose(parts, { permissionMode: picked.mode });
  const effective = hostSettings(parts.choices).settings.permissionMode;
  if (effective === picked.mode) return;
  const name = items.find(({ mode }) => mode === effective)?.label ?? effective;
  await inform(
    vscode.l10n.t('The settings of this workspace allow no more than {0}. That is what counts.', name),
  );
}

const WHO_ANSWERS = ['provider', 'model'] as const;

interface ModelItem extends CurrentItem {
  readonly run?: () => Promise<void>;
}

export async function selectModel(parts: PickerParts): Promise<void> {
  const { settings } = hostSettings(parts.choices);
  const offline = settings.provider === 'offline';
  const models = [...new Set([settings.model, ...parts.choices.recentModels])];
  const isPicked = WHO_ANSWERS.some((name) => parts.choices.valueOf(name) !== undefined);
  const set = hostSettings(null).settings;
  const items: readonly ModelItem[] = [
    ...models.map((model) => ({
      label: model,
      ...present(isPicked && !offline && model === settings.model),
      run: () => choose(parts, { provider: 'openai', model }),
    })),
    {
      label: vscode.l10n.t('Offline model'),
      detail: vscode.l10n.t('A script, not a real model. Needs no key and sends nothing.'),
      ...present(isPicked && offline),
      run: () => choose(parts, { provider: 'offline' }),
    },
    { label: vscode.l10n.t('Enter a name…'), run: () => enterModel(parts, settings.model) },
    {
      ...asInSettings(set.provider === 'offline' ? vscode.l10n.t('Offline model') : set.model, isPicked),
      run: () => clear(parts, WHO_ANSWERS),
    },
    separator(),
    {
      label: vscode.l10n.t('Reasoning effort…'),
      description: settings.reasoningEffort,
      run: () => selectEffort(parts, settings.reasoningEffort),
    },
  ];
  const picked = await pickFrom(items, {
    title: vscode.l10n.t('Model'),
    placeholder: vscode.l10n.t('Who answers, in this workspace'),
  });
  await picked?.run?.();
}

async function enterModel(parts: PickerParts, current: string): Promise<void> {
  const model = await vscode.window.showInputBox({
    title: vscode.l10n.t('Model'),
    prompt: vscode.l10n.t('Name of the model, as the provider knows it.'),
    value: current,
    validateInput: (value) =>
      SETTINGS.model.safeParse(value.trim()).success ? null : vscode.l10n.t('Give the name of a model.'),
  });
  if (model !== undefined) await choose(parts, { provider: 'openai', model: model.trim() });
}

async function selectEffort(parts: PickerParts, current: Settings['reasoningEffort']): Promise<void> {
  const efforts: readonly { readonly effort: Settings['reasoningEffort']; readonly detail: string }[] = [
    { effort: 'default', detail: vscode.l10n.t('What the provider takes when nothing is asked for.') },
    { effort: 'none', detail: vscode.l10n.t('No reasoning.') },
    { effort: 'minimal', detail: vscode.l10n.t('As little as possible.') },
    { effort: 'low', detail: vscode.l10n.t('Little.') },
    { effort: 'medium', detail: vscode.l10n.t('Balanced.') },
    { effort: 'high', detail: vscode.l10n.t('Much.') },
    { effort: 'xhigh', detail: vscode.l10n.t('As much as possible; slow.') },
  ];
  const isPicked = parts.choices.valueOf('reasoningEffort') !== undefined;
  const items = efforts.map(({ effort, detail }) => ({
    label: effort,
    detail,
    effort,
    ...present(isPicked && effort === current),
  }));
  const set = hostSettings(null).settings.reasoningEffort;
  const picked = await pickFrom([...items, separator(), { ...asInSettings(set, isPicked), effort: null }], {
    title: vscode.l10n.t('Reasoning effort'),
    placeholder: vscode.l10n.t('How much the model reasons before it answers, in this workspace'),
  });
  if (picked === undefined || !('effort' in picked)) return;
  if (picked.effort === null) return clear(parts, ['reasoningEffort']);
  await choose(parts, { reasoningEffort: picked.effort });
}

/** Takes a pick back; described with what counts then. */
function asInSettings(value: string, isPicked: boolean): CurrentItem {
  const words = isPicked ? value : vscode.l10n.t('{0} (current)', value);
  return { label: vscode.l10n.t('As in settings'), description: words, isCurrent: !isPicked };
}

function separator(): CurrentItem {
  return { label: '', kind: vscode.QuickPickItemKind.Separator };
}

function present(isPresent: boolean): Pick<CurrentItem, 'description' | 'isCurrent'> {
  return isPresent ? { description: vscode.l10n.t('current'), isCurrent: true } : {};
}

function choose(parts: PickerParts, choice: Choice): Promise<void> {
  return change(parts, () => parts.choices.choose(choice));
}

function clear(parts: PickerParts, names: readonly Pickable[]): Promise<void> {
  return change(parts, () => parts.choices.clear(names));
}

/** A turn that is under way keeps what it began with. */
async function change({ chat }: PickerParts, work: () => Promise<void>): Promise<void> {
  const { state } = await chat.knownFacts();
  await work();
  if (state === 'running')
    void inform(
      vscode.l10n.t('The running answer goes on as it began. This counts from the next message on.'),
    );
}
