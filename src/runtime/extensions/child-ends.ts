import { deliveredDraft } from '../agents/child-drafts.ts';
import { toldTogether } from '../agents/told-words.ts';
import type { Extension } from '../extension.ts';
import { list, parsed, wordsOrNull } from '../loose-fields.ts';
import type { OpenCall } from '../turn-calls.ts';

/** Tells the model how children ended, before it is asked: each end once, and only where no call tells of it. */
export const childEnds: Extension = {
  name: 'child_ends',
  on: {
    step_start: ({ session, turn }) => {
      const calls = [...turn.open.values()];
      const ends = session.children.untold.filter(
        ({ subagent_id }) => !calls.some((call) => mayTell(call, subagent_id)),
      );
      if (ends.length === 0) return null;
      const words = toldTogether(ends.map(({ summary }) => summary));
      return {
        record: ends.map((one, index) =>
          deliveredDraft(turn.turn_id, { ...one, summary: words[index] ?? one.summary }),
        ),
      };
    },
  },
};

const TELLING: ReadonlySet<string> = new Set(['wait_agent', 'close_agent']);

/** A call that was decided late runs beside the model: what it may be about to tell is left to it. */
function mayTell({ name, args, state, result, decision }: OpenCall, subagentId: string): boolean {
  const isAsked = state === 'suspended' && decision === null;
  if (!TELLING.has(name) || result !== 'none' || isAsked) return false;
  const given = parsed(args);
  const ids = [...list(given, 'ids'), wordsOrNull(given, 'id')].filter((id) => id !== null);
  return ids.length === 0 || ids.includes(subagentId);
}
