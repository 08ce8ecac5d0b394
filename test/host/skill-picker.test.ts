import { describe, expect, test, vi } from 'vitest';
import type { FoundSkill } from '../../src/app/skills.ts';
import { toldSkills } from '../../src/app/told-skills.ts';
import { pickSkill, type SkillChat } from '../../src/host/skill-picker.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

function skill(name: string, more: Partial<Extract<FoundSkill, { ok: true }>> = {}): FoundSkill {
  const path = `.agents/skills/${name}/SKILL.md`;
  const file = { ok: true as const, name, path, file: `/w/${path}`, origin: 'workspace' as const };
  const said = { description: `Does ${name}.`, when_to_use: null, for_model: true };
  return { ...file, ...said, content: 'x', content_hash: 'h', ...more };
}

const BAD: FoundSkill = {
  ok: false,
  name: 'broken',
  path: '.agents/skills/broken/SKILL.md',
  file: '/w/.agents/skills/broken/SKILL.md',
  origin: 'workspace',
  reason: 'It is not text in UTF-8.',
};

function chatWith(...found: readonly FoundSkill[]): SkillChat {
  const told = toldSkills(found, (name) => name === 'secret');
  return { host: async () => ({ skills: async () => told }) };
}

describe('the list of skills', () => {
  test('has all of them, by what they are to the model, with where they are', async () => {
    const mine = skill('mine', { origin: 'user', path: '~/.agents/skills/mine/SKILL.md' });
    const person = skill('person', { for_model: false });
    const review = skill('review', { when_to_use: 'Before a merge.' });
    const twice: FoundSkill = {
      ...BAD,
      name: 'mine',
      path: '.agents/skills/mine/SKILL.md',
      reason: 'Your own skill of this name counts: ~/.agents/skills/mine/SKILL.md.',
    };
    await pickSkill(chatWith(BAD, mine, twice, person, review, skill('secret')));
    expect(double.offered).toEqual([
      ['The model may choose these', ''],
      ['/mine', 'yours · ~/.agents/skills/mine/SKILL.md'],
      ['/review', 'workspace · .agents/skills/review/SKILL.md'],
      ['Only you call these', ''],
      ['/person', 'workspace · .agents/skills/person/SKILL.md'],
      ['A rule keeps the model from these', ''],
      ['/secret', 'workspace · .agents/skills/secret/SKILL.md'],
      ['Not usable', ''],
      ['/broken', 'workspace · .agents/skills/broken/SKILL.md'],
      ['/mine', 'workspace · .agents/skills/mine/SKILL.md'],
    ]);
    expect(double.details).toEqual([
      '',
      'Does mine.',
      'Does review. Before a merge.',
      '',
      'Does person.',
      '',
      'Does secret.',
      '',
      'It is not text in UTF-8.',
      'Your own skill of this name counts: ~/.agents/skills/mine/SKILL.md.',
    ]);
  });

  test('says which ones have no room in the list that the model gets', async () => {
    const many = Array.from({ length: 40 }, (_, n) => skill(`s${10 + n}`, { description: 'd'.repeat(400) }));
    await pickSkill(chatWith(...many));
    const labels = double.offered.map(([label]) => label);
    expect(labels).toContain('Not in the list that the model gets: it is full');
    expect(labels).toHaveLength(42);
  });

  test('opens the file of the one that is chosen, also of one that cannot be used', async () => {
    double.answer = '/broken';
    await pickSkill(chatWith(skill('review'), BAD));
    expect(double.shown.map(({ fsPath }) => fsPath)).toEqual(['/w/.agents/skills/broken/SKILL.md']);
  });

  test('says where skills are looked for when there are none', async () => {
    await pickSkill(chatWith());
    expect(double.offered).toEqual([]);
    expect(double.questions.join()).toContain('A skill is a SKILL.md in a folder below .agents/skills');
  });
});
