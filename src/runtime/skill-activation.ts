import { draft, type Draft } from './events.ts';
import type { ActiveSkill, ToolOutcome } from './ports.ts';
import type { Turn } from './turn.ts';

/** A skill for one turn, as it was read, and who called for it. */
export function activationDraft(
  turn_id: string,
  { name, path, content, content_hash }: ActiveSkill,
  activated_by: 'user' | 'model',
): Draft {
  return draft('skill_activation', { turn_id, name, path, content_hash, content, activated_by });
}

/** Pure: what a tool did, with a skill that the turn has already told as that: its text is sent once. */
export function activatedOnce(outcome: ToolOutcome, { skills }: Pick<Turn, 'skills'>): ToolOutcome {
  if (outcome.kind !== 'success' || outcome.activates === undefined) return outcome;
  const { activates, ...rest } = outcome;
  const { name, content_hash } = activates;
  const known = skills.some((one) => one.name === name && one.content_hash === content_hash);
  return known ? { ...rest, output: `The skill ${name} is active in this turn already.` } : outcome;
}
