import type { HostMessage } from '../presenter/protocol.ts';

type Told = Extract<HostMessage, { type: 'children' }>;
export type ChildQuestion = Told['items'][number]['questions'][number];

/** What children ask a person, by child. */
export type AskedByChildren = ReadonlyMap<string, readonly ChildQuestion[]>;

export const NOBODY_ASKS: AskedByChildren = new Map();

/** Pure: after what was told of children; the same one when nobody asks and nobody did. */
export function askedAfter(before: AskedByChildren, { items }: Told): AskedByChildren {
  const changed = items.filter(
    ({ subagent_id, questions }) => questions.length > 0 || before.has(subagent_id),
  );
  if (changed.length === 0) return before;
  const after = new Map(before);
  for (const { subagent_id, questions } of changed)
    if (questions.length === 0) after.delete(subagent_id);
    else after.set(subagent_id, questions);
  return after;
}
