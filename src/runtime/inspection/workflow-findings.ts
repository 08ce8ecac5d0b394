import type { StepFault } from './step-faults.ts';
import type { StepTrace } from './step-traces.ts';
import type { WorkflowTrace } from './workflow-traces.ts';

/** Something in the record of a workflow that does not fit together. */
export interface WorkflowFinding {
  readonly workflow_id: string;
  readonly step_id: string | null;
  readonly what: string;
  readonly seq: number;
  readonly child_session_id: string | null;
  /** Nothing says how it ended: it can be resumed. */
  readonly is_open: boolean;
}

/** Pure: what is missing in the record of a workflow, or contradicts it. `isOver`: nothing more can come of that turn. */
export function workflowFindings(
  flow: WorkflowTrace,
  isOver: (turnId: string | null) => boolean,
): readonly WorkflowFinding[] {
  const { steps, finished_seq, turn_id } = flow;
  const left = finished_seq === null && isOver(turn_id);
  const faults = steps.flatMap((step) =>
    step.faults.map((fault) => ofStep(flow, step, faultWords(fault), fault.seq)),
  );
  if (finished_seq === null && !left) return faults;
  return [
    ...(left ? [ofFlow(flow, 'the end of the workflow is not on record', flow.seq)] : []),
    ...steps
      .filter(({ started_seq, checkpoint_seq }) => started_seq !== null && checkpoint_seq === null)
      .map((step) =>
        ofStep(flow, step, `no checkpoint was decided (${step.status})`, step.state_seq ?? flow.seq),
      ),
    ...(finished_seq === null ? [] : contradictions(flow, finished_seq)),
    ...faults,
  ];
}

/** An end that its own steps or flags do not bear out. */
function contradictions(flow: WorkflowTrace, seq: number): readonly WorkflowFinding[] {
  const { status, ok, completion_ready, steps } = flow;
  const completed = status === 'completed';
  const unready = completed
    ? steps.filter((step) => step.required && step.status !== 'checkpoint_ready')
    : [];
  return [
    ...unready.map((step) => ofStep(flow, step, `completed, though a required step is ${step.status}`, seq)),
    ...(ok === true && !completed
      ? [ofFlow(flow, `called a success, though it ended as ${status}`, seq)]
      : []),
    ...(ok === false && completed ? [ofFlow(flow, 'completed, but not called a success', seq)] : []),
    ...(completion_ready === true && !completed
      ? [ofFlow(flow, `called ready to complete, though it ended as ${status}`, seq)]
      : []),
  ];
}

function faultWords(fault: StepFault): string {
  return fault.kind === 'before_dependency'
    ? `started before ${fault.other}, on which it depends, was ready`
    : `started while ${fault.other} was running, which writes ${fault.path} too`;
}

function ofFlow({ workflow_id, finished_seq }: WorkflowTrace, what: string, seq: number): WorkflowFinding {
  return { workflow_id, step_id: null, what, seq, child_session_id: null, is_open: finished_seq === null };
}

function ofStep(flow: WorkflowTrace, step: StepTrace, what: string, seq: number): WorkflowFinding {
  const { step_id, child_session_id } = step;
  return { ...ofFlow(flow, what, seq), step_id, child_session_id };
}
