import type { Extension } from '../runtime/extension.ts';
import { skillProblems } from '../runtime/extensions/skills.ts';
import { NOTHING_TOLD, skillFaults, type ToldSkills } from './told-skills.ts';

/** What is wrong with skills, for the next turn that begins: once, and again when it is something else. */
export class SkillNews {
  private told: ToldSkills = NOTHING_TOLD;
  private said = '';

  found(told: ToldSkills): void {
    this.told = told;
  }

  take(): Extension | null {
    const faults = skillFaults(this.told);
    const now = faults.join('\n');
    if (now === this.said) return null;
    this.said = now;
    return faults.length === 0 ? null : skillProblems(faults);
  }
}
