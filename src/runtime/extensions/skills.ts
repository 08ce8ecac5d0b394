import { draft, type EventData } from '../events.ts';
import type { Extension } from '../extension.ts';

/** A skill as it was read when the person called for it. */
export type ActiveSkill = Pick<EventData['skill_activation'], 'name' | 'path' | 'content' | 'content_hash'>;

/** A skill that the prompt called by its name: on record before the model is asked, for this turn alone. */
export function activated({ name, path, content, content_hash }: ActiveSkill): Extension {
  return {
    name: 'skills',
    on: {
      run_start: ({ turn }) => {
        if (turn.responses > 0) return null;
        const skill = { name, path, content_hash, content, activated_by: 'user' };
        return { record: [draft('skill_activation', { turn_id: turn.turn_id, ...skill })] };
      },
    },
  };
}
