import { flat, NO_SKILLS, skillIndex, type SkillIndex } from '../runtime/prompt/skill-index.ts';
import { isHidden, type FoundSkill } from './skills.ts';

/** What a skill is to the model: in its list, without room there, the person's alone, denied by a rule, or no use to anybody. */
export type SkillStanding = 'listed' | 'no_room' | 'person_only' | 'denied' | 'unusable';

export interface StandingSkill {
  readonly skill: FoundSkill;
  readonly standing: SkillStanding;
}

/** All skills there are, and what the model is told of them. */
export interface ToldSkills {
  readonly index: SkillIndex;
  readonly skills: readonly StandingSkill[];
}

export const NOTHING_TOLD: ToldSkills = { index: NO_SKILLS, skills: [] };

/** Pure: what the model is told of skills, given those that a rule keeps from it. */
export function toldSkills(found: readonly FoundSkill[], isDenied: (name: string) => boolean): ToldSkills {
  const index = skillIndex(
    found.flatMap((skill) => (skill.ok && skill.for_model && !isDenied(skill.name) ? [skill] : [])),
  );
  const listed = new Set(index.listed);
  const standingOf = (skill: FoundSkill): SkillStanding => {
    if (!skill.ok) return 'unusable';
    if (!skill.for_model) return 'person_only';
    if (isDenied(skill.name)) return 'denied';
    return listed.has(skill.name) ? 'listed' : 'no_room';
  };
  return { index, skills: found.map((skill) => ({ skill, standing: standingOf(skill) })) };
}

/** Sentences about skills that cannot be used or that the model is not told of, for a person; empty where all is well. */
export function skillFaults({ skills }: ToldSkills): readonly string[] {
  const unusable = skills.flatMap(({ skill }) => (skill.ok || isHidden(skill) ? [] : [skill]));
  const roomless = skills.filter(({ standing }) => standing === 'no_room').length;
  return [
    ...unusable.map(({ name, reason, shelf }) =>
      shelf === true
        ? `Not all skills in ${flat(name)} can be used. ${reason}`
        : `The skill ${flat(name)} cannot be used. ${reason}`,
    ),
    ...(roomless === 0
      ? []
      : [
          `Skills without room in the list that the model gets: ${roomless}. You can still call them by their names.`,
        ]),
  ];
}
