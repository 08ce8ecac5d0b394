import * as vscode from 'vscode';
import type { FoundSkill } from '../app/skills.ts';
import type { SkillStanding, StandingSkill, ToldSkills } from '../app/told-skills.ts';
import { translatedSentence } from '../presenter/host-sentences.ts';
import { inform, warn } from './notifications.ts';
import { chooseOne } from './pick-lists.ts';
import { foreign } from './shown-text.ts';

/** What a picker needs of the chat. */
export interface SkillChat {
  host(): Promise<{ skills(): Promise<ToldSkills> }>;
}

interface Line extends vscode.QuickPickItem {
  readonly skill?: FoundSkill;
}

/** Shows all skills there are, with what the model is told of them and what is wrong with them. Choosing one opens its file. */
export async function pickSkill(chat: SkillChat): Promise<void> {
  const { skills } = await (await chat.host()).skills();
  if (skills.length === 0) return sayNone();
  const picked = await chooseOne<Line>(linesOf(skills), {
    title: vscode.l10n.t('Skills'),
    placeHolder: vscode.l10n.t('A skill opens its file. To use one, begin a message with its /name.'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked?.skill !== undefined) await openFile(picked.skill);
}

async function openFile({ file, path }: FoundSkill): Promise<void> {
  try {
    await vscode.window.showTextDocument(vscode.Uri.file(file));
  } catch (error) {
    await warn(vscode.l10n.t('{0} could not be opened: {1}', foreign(path), foreign(String(error), 300)));
  }
}

async function sayNone(): Promise<void> {
  await inform(
    vscode.workspace.isTrusted
      ? vscode.l10n.t(
          'There are no skills. A skill is a SKILL.md in a folder below .agents/skills or .ledgerline/skills, of the workspace or of your home folder.',
        )
      : vscode.l10n.t(
          'There are no skills of your own, and those of a workspace that is not trusted are not looked at.',
        ),
  );
}

/** By what they are to the model; each group by name. */
const GROUPS: readonly (readonly [SkillStanding, () => string])[] = [
  ['listed', () => vscode.l10n.t('The model may choose these')],
  ['no_room', () => vscode.l10n.t('Not in the list that the model gets: it is full')],
  ['person_only', () => vscode.l10n.t('Only you call these')],
  ['denied', () => vscode.l10n.t('A rule keeps the model from these')],
  ['unusable', () => vscode.l10n.t('Not usable')],
];

function linesOf(skills: readonly StandingSkill[]): Line[] {
  return GROUPS.flatMap(([standing, title]) => {
    const group = skills.filter((one) => one.standing === standing);
    if (group.length === 0) return [];
    const head: Line = { label: title(), kind: vscode.QuickPickItemKind.Separator };
    return [head, ...group.map(({ skill }) => lineOf(skill))];
  });
}

function lineOf(skill: FoundSkill): Line {
  const label = !skill.ok && skill.shelf === true ? foreign(skill.name) : `/${foreign(skill.name)}`;
  const where = skill.origin === 'user' ? vscode.l10n.t('yours') : vscode.l10n.t('workspace');
  const description = `${where} · ${foreign(skill.path)}`;
  if (!skill.ok) {
    const detail = translatedSentence(foreign(skill.reason, 300), vscode.l10n.t);
    return { label, description, detail, iconPath: new vscode.ThemeIcon('error'), skill };
  }
  const use = skill.when_to_use === null ? '' : ` ${foreign(skill.when_to_use, 200)}`;
  return { label, description, detail: `${foreign(skill.description, 200)}${use}`, skill };
}
