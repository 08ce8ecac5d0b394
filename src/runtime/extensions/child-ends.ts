import { deliveredDraft } from '../agents/child-drafts.ts';
import { toldTogether } from '../agents/told-words.ts';
import type { Extension } from '../extension.ts';

/** Tells the model how children ended, before it is asked: each end once, and only where no call has told of it. */
export const childEnds: Extension = {
  name: 'child_ends',
  on: {
    step_start: ({ session, turn }) => {
      const { untold } = session.children;
      if (untold.length === 0) return null;
      const words = toldTogether(untold.map(({ summary }) => summary));
      return {
        record: untold.map((one, index) =>
          deliveredDraft(turn.turn_id, { ...one, summary: words[index] ?? one.summary }),
        ),
      };
    },
  },
};
