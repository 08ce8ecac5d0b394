import type { StepTrace } from './step-traces.ts';

/** A start that the rules of workflows do not have (§10). */
export type StepFault = { readonly seq: number; readonly other: string } & (
  | { readonly kind: 'before_dependency' }
  /** Both write something of this name. */
  | { readonly kind: 'beside_writer'; readonly path: string }
);

/**
 * Pure: what is wrong with starting a step now. Only `checkpoint_ready` unlocks, and writers of one thing do not overlap.
 * Of a step that is not kept nothing is known.
 */
export function startFaults(
  step: StepTrace,
  { steps }: { readonly steps: readonly StepTrace[] },
  seq: number,
): readonly StepFault[] {
  const others = new Map(steps.map((one) => [one.step_id, one]));
  const early = step.depends_on
    .filter((id) => (others.get(id)?.status ?? 'checkpoint_ready') !== 'checkpoint_ready')
    .map((other) => ({ kind: 'before_dependency' as const, seq, other }));
  const writes = new Set(step.write_set);
  const beside = steps.flatMap((other) => {
    if (other.step_id === step.step_id || other.state !== 'running') return [];
    const path = other.write_set.find((one) => writes.has(one));
    return path === undefined ? [] : [{ kind: 'beside_writer' as const, seq, other: other.step_id, path }];
  });
  return [...early, ...beside];
}
