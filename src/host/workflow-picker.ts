import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { FoundTemplate } from '../app/workflow-templates.ts';
import { translatedSentence } from '../presenter/host-sentences.ts';
import {
  PARAMETER_LIMITS,
  type ParameterValue,
  type TemplateParameter,
} from '../runtime/workflows/template-parameters.ts';
import type { ChatView } from './chat-view.ts';
import { inform } from './notifications.ts';
import { chooseOne, pickFrom } from './pick-lists.ts';
import { foreign } from './shown-text.ts';

type Usable = Extract<FoundTemplate, { ok: true }>;

/** What a picker needs of the chat. */
export type PickerChat = Pick<ChatView, 'present'> & {
  host(): Promise<{ templates(): Promise<readonly FoundTemplate[]> }>;
};

/** Lets a person choose a template and say what it wants to know. Nothing runs before all of that is there. */
export async function pickWorkflow(chat: PickerChat): Promise<void> {
  if (!vscode.workspace.isTrusted) return sayUntrusted();
  const templates = await (await chat.host()).templates();
  if (templates.length === 0) return offerExample();
  const found = await choose(templates);
  if (found === undefined) return;
  if (!found.ok) {
    // It cannot run: the file is what there is to see.
    await vscode.window.showTextDocument(vscode.Uri.file(found.file));
    return;
  }
  const parameters = await ask(found);
  if (parameters === null) return;
  const workflow = { template: found.name, parameters };
  await chat.present({ type: 'run_workflow', client_turn_id: randomUUID(), workflow });
}

async function sayUntrusted(): Promise<void> {
  await inform(vscode.l10n.t('This workspace is not trusted, so no workflow runs in it.'));
}

async function choose(templates: readonly FoundTemplate[]): Promise<FoundTemplate | undefined> {
  const usable = templates.filter((one) => one.ok);
  const others = templates.filter((one) => !one.ok);
  const items = [
    ...usable.map((one) => ({
      ...lineOf(one),
      detail: foreign(one.template.description || one.template.title),
    })),
    ...(others.length === 0
      ? []
      : [{ label: vscode.l10n.t('Not usable; opens the file'), kind: vscode.QuickPickItemKind.Separator }]),
    ...others.map((one) => ({
      ...lineOf(one),
      iconPath: new vscode.ThemeIcon('error'),
      detail: faultsOf(one),
    })),
  ];
  const picked = await chooseOne(items, {
    title: vscode.l10n.t('Run workflow'),
    placeHolder: vscode.l10n.t('Which one is to be run in this conversation'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked !== undefined && 'found' in picked ? picked.found : undefined;
}

function lineOf(found: FoundTemplate): { label: string; description: string; found: FoundTemplate } {
  return { label: foreign(found.name), description: foreign(found.path), found };
}

function faultsOf({ mistakes }: Extract<FoundTemplate, { ok: false }>): string {
  const [first, ...others] = mistakes.map(
    ({ at, message }) => `${foreign(at)}: ${translatedSentence(foreign(message, 300), vscode.l10n.t)}`,
  );
  const more = others.length === 0 ? [] : [vscode.l10n.t('and {0} more', others.length)];
  return [first ?? '', ...more].join(', ');
}

/** Null when the person left one of the boxes. */
async function ask({ name, template }: Usable): Promise<Readonly<Record<string, ParameterValue>> | null> {
  const { parameters } = template;
  const given: [name: string, value: ParameterValue][] = [];
  for (const [index, parameter] of parameters.entries()) {
    const title = vscode.l10n.t(
      '{0}: {1} ({2} of {3})',
      foreign(name),
      parameter.name,
      index + 1,
      parameters.length,
    );
    const value = await askFor(parameter, title);
    if (value === undefined) return null;
    given.push([parameter.name, value]);
  }
  return Object.fromEntries(given);
}

async function askFor(parameter: TemplateParameter, title: string): Promise<ParameterValue | undefined> {
  const { type, values, preset, description } = parameter;
  const hint = description === '' ? parameter.name : foreign(description, 300);
  switch (type) {
    case 'enum':
    case 'boolean': {
      const choices =
        type === 'enum'
          ? values.map((value) => ({ label: foreign(value), value }))
          : [
              { label: vscode.l10n.t('Yes'), value: true },
              { label: vscode.l10n.t('No'), value: false },
            ];
      const items = choices.map((one) => ({ ...one, isCurrent: one.value === preset }));
      return (await pickFrom(items, { title, placeholder: hint }))?.value;
    }
    case 'string':
    case 'number': {
      const typed = await vscode.window.showInputBox({
        title,
        prompt: hint,
        value: preset === null ? '' : String(preset),
        ignoreFocusOut: true,
        validateInput: (words) => (type === 'number' ? numberFault(words) : textFault(words, preset)),
      });
      return typed === undefined || type === 'string' ? typed : Number(typed);
    }
  }
}

function numberFault(words: string): string | null {
  return words.trim() !== '' && Number.isFinite(Number(words)) ? null : vscode.l10n.t('Give a number.');
}

function textFault(words: string, preset: ParameterValue | null): string | null {
  if (words.length > PARAMETER_LIMITS.text)
    return vscode.l10n.t('At most {0} characters.', PARAMETER_LIMITS.text);
  return preset === null && words.trim() === '' ? vscode.l10n.t('Give some text.') : null;
}

const EXAMPLE = {
  name: 'Review',
  description: 'Looks at a folder from two sides, then sums up.',
  parameters: { folder: { type: 'string', description: 'The folder to look at.', default: 'src' } },
  steps: [
    {
      id: 'bugs',
      task: 'Look for bugs in ${folder}. Name file and line of each.',
      agent: 'explorer',
      read_set: ['${folder}/**'],
    },
    {
      id: 'tests',
      task: 'Find what is not tested in ${folder}.',
      agent: 'explorer',
      read_set: ['${folder}/**'],
      required: false,
    },
  ],
};

async function offerExample(): Promise<void> {
  const create = vscode.l10n.t('Show an Example');
  const said = vscode.l10n.t(
    'This workspace has no workflows. They are JSON files in .ledgerline/workflows, which is also where to save the example.',
  );
  if ((await inform(said, create)) !== create) return;
  const content = `${JSON.stringify(EXAMPLE, null, 2)}\n`;
  await vscode.window.showTextDocument(
    await vscode.workspace.openTextDocument({ language: 'json', content }),
  );
}
