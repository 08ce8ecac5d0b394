import { deliveredDraft } from '../agents/child-drafts.ts';
import type { Extension } from '../extension.ts';

/** Tells the model how children ended, before it is asked: each end once, and only where no call has told of it. */
export const childEnds: Extension = {
  name: 'child_ends',
  on: {
    step_start: ({ session, turn }) => {
      const { untold } = session.children;
      return untold.length === 0 ? null : { record: untold.map((one) => deliveredDraft(turn.turn_id, one)) };
    },
  },
};
