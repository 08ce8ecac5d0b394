import { canRedo, canUndo, needsDecision, type TurnFacts } from './turn-facts.ts';

/** Names for `when` clauses that follow the facts of a turn; the manifest uses one more, for the focus. */
export const CONTEXT_KEYS = [
  'ledgerline.state',
  'ledgerline.access',
  'ledgerline.hasSession',
  'ledgerline.needsDecision',
  'ledgerline.hasDecided',
  'ledgerline.canUndo',
  'ledgerline.canRedo',
] as const;

export type ContextKey = (typeof CONTEXT_KEYS)[number];

/** Pure: what menus, keys and the walkthrough may depend on. */
export function contextKeys(facts: TurnFacts): Readonly<Record<ContextKey, string | boolean>> {
  return {
    'ledgerline.state': facts.state ?? 'none',
    'ledgerline.access': facts.access ?? 'none',
    'ledgerline.hasSession': facts.has_log,
    'ledgerline.needsDecision': needsDecision(facts),
    'ledgerline.hasDecided': facts.has_decided,
    'ledgerline.canUndo': canUndo(facts),
    'ledgerline.canRedo': canRedo(facts),
  };
}

/** Pure: those that are not as they were. */
export function changedKeys(
  before: TurnFacts | null,
  now: TurnFacts,
): readonly (readonly [ContextKey, string | boolean])[] {
  const old = before === null ? null : contextKeys(before);
  const keys = contextKeys(now);
  return CONTEXT_KEYS.filter((key) => old === null || old[key] !== keys[key]).map(
    (key) => [key, keys[key]] as const,
  );
}
