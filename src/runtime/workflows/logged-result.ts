import type { Artifact, StepResult, StepStatus } from '../agent-events.ts';
import { isRaw } from '../line-rules.ts';
import { field, list, nextActions, numberOrNull, text, wordsOrNull } from '../loose-fields.ts';

const STATUSES = {
  checkpoint_ready: true,
  partial: true,
  failed: true,
  held: true,
  needs_orchestrator: true,
  timed_out: true,
  cancelled: true,
  skipped: true,
  not_run: true,
} as const satisfies Record<StepStatus, true>;

function isStatus(value: unknown): value is StepStatus {
  return typeof value === 'string' && Object.hasOwn(STATUSES, value);
}

/**
 * Pure: what a step ended with, as far as a line of the log says it; null where it does not say its state. A field of
 * another type counts as absent.
 */
export function readStepResult(id: string, value: unknown, told: string | null): StepResult | null {
  const own = field(value, 'status');
  const status = isStatus(own) ? own : told;
  if (!isStatus(status)) return null;
  return {
    id,
    status,
    required: field(value, 'required') !== false,
    summary: text(value, 'summary'),
    limitations: wordsIn(value, 'limitations'),
    verification: wordsIn(value, 'verification'),
    artifacts: list(value, 'artifacts').flatMap(artifactOf),
    reason: wordsOrNull(value, 'reason'),
    subagent_id: wordsOrNull(value, 'subagent_id'),
    child_session_id: wordsOrNull(value, 'child_session_id'),
    elapsed_ms: numberOrNull(value, 'elapsed_ms'),
    next_actions: nextActions(value),
  };
}

function wordsIn(value: unknown, key: string): readonly string[] {
  return list(value, key).filter((one) => typeof one === 'string');
}

function artifactOf(value: unknown): readonly Artifact[] {
  const path = wordsOrNull(value, 'path');
  if (path === null || !isRaw(value)) return [];
  const bytes = numberOrNull(value, 'bytes');
  const problem = wordsOrNull(value, 'problem');
  return [
    {
      path,
      sha256: wordsOrNull(value, 'sha256'),
      ...(bytes === null ? {} : { bytes }),
      ...(problem === null ? {} : { problem }),
    },
  ];
}
