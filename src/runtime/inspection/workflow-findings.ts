import type { StepFault } from './step-faults.ts';
import type { StepTrace } from './step-traces.ts';
import type { WorkflowTrace } from './workflow-traces.ts';

/** Something that a workflow lacks, or that does not fit together in its record. */
export interface WorkflowFinding {
  readonly workflow_id: string;
  readonly step_id: string | null;
  readonly what: string;
  readonly seq: number;
  readonly child_session_id: string | null;
  /** Nothing says that it completed: it can be resumed. */
  readonly can_resume: boolean;
}

/** Who could still say something of a workflow. */
export interface FlowSurroundings {
  /** Nothing more can come of that turn. */
  readonly isOver: (turnId: string | null) => boolean;
  /** A live process has the log. */
  readonly live: boolean;
}

/** Pure: what a workflow lacks, and what is missing in its record or contradicts it. */
export function workflowFindings(
  flow: WorkflowTrace,
  { isOver, live }: FlowSurroundings,
): readonly WorkflowFinding[] {
  const { steps, finished_seq, turn_id } = flow;
  const left = finished_seq === null && (!live || isOver(turn_id));
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
    ...(finished_seq !== null && isOver(turn_id) ? shortfalls(flow, finished_seq) : []),
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

/** What a workflow ended without. One that still asks somebody is not over, and neither is one that was gone on with. */
function shortfalls(flow: WorkflowTrace, seq: number): readonly WorkflowFinding[] {
  const { status, steps } = flow;
  if (status === 'completed') return [];
  const unready = steps.filter((step) => step.required && step.status !== 'checkpoint_ready');
  if (unready.length === 0) return [ofFlow(flow, `ended as ${status}, without a step that is ready`, seq)];
  return unready
    .filter(({ started_seq, checkpoint_seq }) => started_seq === null || checkpoint_seq !== null)
    .map((step) => ofStep(flow, step, `ended as ${status}, though a required step is ${step.status}`, seq));
}

function faultWords(fault: StepFault): string {
  return fault.kind === 'before_dependency'
    ? `started before ${fault.other}, on which it depends, was ready`
    : `started while ${fault.other} was running, which writes ${fault.path} too`;
}

function ofFlow({ workflow_id, status }: WorkflowTrace, what: string, seq: number): WorkflowFinding {
  const can_resume = status !== 'completed';
  return { workflow_id, step_id: null, what, seq, child_session_id: null, can_resume };
}

function ofStep(flow: WorkflowTrace, step: StepTrace, what: string, seq: number): WorkflowFinding {
  const { step_id, child_session_id } = step;
  return { ...ofFlow(flow, what, seq), step_id, child_session_id };
}
