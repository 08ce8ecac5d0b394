import { lostChildren } from './agents/lost-children.ts';
import type { Draft } from './events.ts';
import type { Effect, Ids, StreamScratch, ToolSpec } from './ports.ts';
import { recovery } from './recovery.ts';
import type { SessionState } from './session-state.ts';
import { turnState, type Turn } from './turn.ts';
import { INTERRUPTED, RAN_OUT, type WorkflowEnding } from './workflows/endings.ts';
import { resultOf, workflowRecovery } from './workflows/result.ts';
import type { WorkflowState } from './workflows/state.ts';

export interface Left {
  /** What streamed in and is not in the log. */
  readonly scratch: StreamScratch | null;
  readonly specs: readonly ToolSpec[];
  readonly ids: Ids;
  readonly batch: boolean;
}

/** Pure: what a writer that is gone left to be said, of its children first: its turn cannot go on over them. */
export function sessionRecovery(state: SessionState, { scratch, specs, ids, batch }: Left): readonly Draft[] {
  const { session_id, children, workflows, turn, worked_until, pressure } = state;
  const inherited = turn !== null && turn.user_seq <= pressure.inherited_to;
  const effects = new Map(specs.map((spec) => [spec.name, spec.effect]));
  const effectOf = (name: string): Effect | null => effects.get(name) ?? null;
  return [
    ...lostChildren(session_id, children, worked_until),
    ...workflowRecovery(workflows, worked_until),
    ...recovery(alone(turn), scratch, effectOf, ids, { batch, worked_until, inherited }).map((one) =>
      withStanding(one, workflows),
    ),
  ];
}

/** The result of a call whose workflow was cut off says how far that came: only then can a model go on with it. */
function withStanding(one: Draft, workflows: readonly WorkflowState[]): Draft {
  if (one.type !== 'tool_result' || one.data.output !== undefined) return one;
  const { call_id } = one.data;
  const cut = workflows.find((flow) => flow.spec !== null && flow.call_id === call_id);
  if (cut === undefined) return one;
  return { ...one, data: { ...one.data, output: JSON.stringify(resultOf(cut, endingOf(cut))) } };
}

/** How a workflow ended of which the log has its steps. */
function endingOf({ status, steps }: WorkflowState): WorkflowEnding {
  if (status === 'cancelled') return { kind: 'cancelled' };
  const isCut =
    status === 'running' || steps.some((step) => step.status === 'running' || step.status === 'scheduled');
  return isCut ? INTERRUPTED : RAN_OUT;
}

/** A turn that lacked nothing but the ends of its children has them now, and is completed: nothing interrupts it. */
function alone(turn: Turn | null): Turn | null {
  if (turn === null) return null;
  const childless = { ...turn, open_children: new Set<string>() };
  return turnState(childless) === 'completed' ? childless : turn;
}
