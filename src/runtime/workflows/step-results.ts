import type { Artifact, StepResult, StepSpec, StepStatus } from '../agent-events.ts';
import type { NextAction } from '../events.ts';
import { stoppedWords, type WorkflowEnding } from './endings.ts';
import type { ChildEnd, StepChild } from './ports.ts';

/** What a child may have written is bounded here, because all of it goes to the parent's model at once. */
export const LONGEST_SUMMARY = 4_000;

export interface StepOutcome {
  readonly child: StepChild | null;
  readonly end: ChildEnd;
  /** Those of the checkpoint, as they are on the disk. */
  readonly artifacts: readonly Artifact[];
  /** Set where the whole workflow is being ended: then it is the reason of what ends with it. */
  readonly ending: WorkflowEnding | null;
}

/** Pure: what a step ended with, from the end of its child. */
export function stepResult(step: StepSpec, { child, end, artifacts, ending }: StepOutcome): StepResult {
  const { checkpoint } = end;
  const status = statusOf(end, ending);
  const problems = artifacts.flatMap(({ path, problem }) =>
    problem === undefined ? [] : [`The artifact ${path} could not be checked: ${problem}`],
  );
  const unreported = end.status === 'completed' && checkpoint === null ? [UNREPORTED] : [];
  return {
    ...bareResult(step, status),
    summary: shortened(checkpoint?.summary ?? end.summary),
    limitations: [...(checkpoint?.limitations ?? []), ...unreported, ...problems],
    verification: checkpoint?.verification ?? [],
    artifacts,
    reason: reasonOf(end, status, ending),
    ...evidenceOf(child),
    elapsed_ms: end.elapsed_ms,
  };
}

const UNREPORTED = 'It ended without reporting a checkpoint, so it counts as partial.';

/** Pure: of a step that came to no end of its own. */
export function unendedResult(
  step: StepSpec,
  status: StepStatus,
  { child, reason }: { readonly child: StepChild | null; readonly reason: string },
): StepResult {
  return { ...bareResult(step, status), reason, ...evidenceOf(child) };
}

/** Pure: what a step becomes whose workflow is ended while it runs. */
export function stoppedStatus(ending: WorkflowEnding): StepStatus {
  switch (ending.kind) {
    case 'ran_out':
    case 'cancelled':
      return 'cancelled';
    case 'timed_out':
      return 'timed_out';
    case 'interrupted':
      return 'held';
    case 'broken':
      return 'failed';
  }
}

function bareResult({ id, required }: StepSpec, status: StepStatus): StepResult {
  return {
    id,
    status,
    required,
    summary: '',
    limitations: [],
    verification: [],
    artifacts: [],
    reason: null,
    subagent_id: null,
    child_session_id: null,
    elapsed_ms: null,
    next_actions: [],
  };
}

function evidenceOf(
  child: StepChild | null,
): Pick<StepResult, 'subagent_id' | 'child_session_id' | 'next_actions'> {
  if (child === null) return { subagent_id: null, child_session_id: null, next_actions: [] };
  const { subagent_id, child_session_id } = child;
  return { subagent_id, child_session_id, next_actions: [openTranscript(child_session_id)] };
}

function openTranscript(childSessionId: string): NextAction {
  return { label: 'Open transcript', command: 'ledgerline.openAgent', args: [childSessionId] };
}

/** Only a clean end makes a checkpoint count: what was said before anything else is not how it ended. */
function statusOf({ status, checkpoint }: ChildEnd, ending: WorkflowEnding | null): StepStatus {
  switch (status) {
    case 'completed':
      return checkpoint?.status ?? 'partial';
    case 'timed_out':
      return 'timed_out';
    case 'failed':
      return 'failed';
    case 'interrupted':
    case 'cancelled':
    case 'closed':
    case 'detached':
    case 'queued':
    case 'running':
      return ending === null ? 'failed' : stoppedStatus(ending);
  }
}

function reasonOf(
  { status, reason }: ChildEnd,
  as: StepStatus,
  ending: WorkflowEnding | null,
): string | null {
  if (status === 'completed') return reason;
  if (ending !== null && as === stoppedStatus(ending)) return stoppedWords(ending);
  return reason ?? `Its agent ended as ${status}.`;
}

function shortened(text: string): string {
  return text.length > LONGEST_SUMMARY ? `${text.slice(0, LONGEST_SUMMARY).toWellFormed()}…` : text;
}
