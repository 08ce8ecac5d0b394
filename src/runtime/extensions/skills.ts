import { draft, type NextAction } from '../events.ts';
import type { Extension } from '../extension.ts';
import type { ActiveSkill } from '../ports.ts';
import { activationDraft } from '../skill-activation.ts';

/** A skill that the prompt called by its name: on record before the model is asked, for this turn alone. */
export function activated(skill: ActiveSkill): Extension {
  return {
    name: 'skills',
    on: {
      run_start: ({ turn }) => {
        if (turn.responses > 0) return null;
        return { record: [activationDraft(turn.turn_id, skill, 'user')] };
      },
    },
  };
}

const SHOW: NextAction = { label: 'Show skills', command: 'ledgerline.showSkills' };

/** Skills that cannot be used, or that the model is not told of: on record in the turn that first went without them. */
export function skillProblems(faults: readonly string[]): Extension {
  const [first = '', ...others] = faults;
  const message = others.length === 0 ? first : `${first} More about skills: ${others.length}.`;
  return {
    name: 'skill_problems',
    on: {
      run_start: ({ turn }) => {
        if (turn.responses > 0) return null;
        const { turn_id } = turn;
        const details = { problems: faults };
        return {
          record: [
            draft('diagnostic', { turn_id, code: 'skill_problems', message, details, next_actions: [SHOW] }),
          ],
        };
      },
    },
  };
}
