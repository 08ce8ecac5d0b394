import { childActions, openTranscript, together } from './agent-actions.ts';
import { stepEvidence, subagentEvidence, workflowEvidence } from './child-evidence.ts';
import { isOpenChild, type SubagentTrace } from './child-traces.ts';
import type { Family } from './families.ts';
import { nameInWords } from './log-names.ts';
import { isOpenState, type NodeState } from './node-state.ts';
import { joined, sentence, type Words } from './spoken-words.ts';
import { NOT_SCHEDULED, type StepTrace } from './step-traces.ts';
import { node, type TreeNode } from './tree-node.ts';
import type { WorkflowTrace } from './workflow-traces.ts';

/** What is above a node. */
export interface Under {
  readonly session_id: string;
  readonly parent: string;
  readonly turn_id: string | null;
  /** What is above it has ended. */
  readonly settled: boolean;
  /** A live process has the log. */
  readonly live: boolean;
}

/** Pure: children and workflows below a turn, or below the session; a child of a step stands under its step. */
export function familyNodes(family: Family, under: Under): readonly TreeNode[] {
  const flows = new Map(family.workflows.map((flow) => [flow.workflow_id, flow]));
  const ofFlow = (child: SubagentTrace): WorkflowTrace | undefined =>
    child.workflow_id === null ? undefined : flows.get(child.workflow_id);
  const own = family.subagents.filter((child) => ofFlow(child) === undefined);
  const inFlows = grouped(family.subagents, (child) => ofFlow(child)?.workflow_id ?? null);
  return [
    ...others(family, under),
    ...own.map((child) => subagentNode(child, under)),
    ...family.workflows.flatMap((flow) => workflowNodes(flow, inFlows.get(flow.workflow_id) ?? [], under)),
  ];
}

function grouped(
  children: readonly SubagentTrace[],
  keyOf: (child: SubagentTrace) => string | null,
): ReadonlyMap<string | null, readonly SubagentTrace[]> {
  const groups = new Map<string | null, SubagentTrace[]>();
  for (const child of children) {
    const known = groups.get(keyOf(child));
    if (known === undefined) groups.set(keyOf(child), [child]);
    else known.push(child);
  }
  return groups;
}

/** Those that are not kept. */
function others(family: Family, { parent, turn_id }: Under): readonly TreeNode[] {
  const children = family.subagent_count - family.subagents.length;
  const flows = family.workflow_count - family.workflows.length;
  const first = { parent, turn_id, state: 'ok' as const };
  return [
    ...(children <= 0
      ? []
      : [
          node({
            ...first,
            id: `${parent}/more-subagents`,
            kind: 'more',
            label: children === 1 ? sentence('1 more subagent') : sentence('{0} more subagents', children),
          }),
        ]),
    ...(flows <= 0
      ? []
      : [
          node({
            ...first,
            id: `${parent}/more-workflows`,
            kind: 'more',
            label: flows === 1 ? sentence('1 more workflow') : sentence('{0} more workflows', flows),
          }),
        ]),
  ];
}

/** What is open is stale where nobody is there who could end it: no process, or only a turn that is over. */
function openOr(
  state: NodeState,
  turn_id: string | null,
  { settled, live, turn_id: above }: Under,
): NodeState {
  if (!isOpenState(state)) return state;
  return !live || (settled && turn_id === above) ? 'stale' : state;
}

function subagentNode(child: SubagentTrace, under: Under): TreeNode {
  const { session_id, parent, live } = under;
  return node({
    id: `${parent}/subagent:${child.subagent_id}`,
    parent,
    kind: 'subagent',
    state: openOr(child.state, child.turn_id, under),
    label: child.task ?? child.subagent_id,
    detail: subagentDetail(child),
    evidence: subagentEvidence(child),
    seq: child.state_seq,
    turn_id: under.turn_id,
    subagent_id: child.subagent_id,
    child_session_id: child.child_session_id,
    next_actions: childActions(session_id, child, { live }),
  });
}

function subagentDetail(child: SubagentTrace): Words {
  const { state, status, agent, attempts, questions } = child;
  const asks =
    questions.length < 2 ? questions.map(({ name }) => name) : [sentence('{0} questions', questions.length)];
  return joined([
    ...(state === 'unknown' ? [status] : []),
    // Of an ordinary one that goes without saying.
    ...(agent === null || agent === 'default' ? [] : [agent]),
    ...(isOpenChild(child) && attempts.length > 0 ? [sentence('attempt {0}', attempts.length + 1)] : []),
    ...(state === 'waiting' ? asks.filter((name) => name !== '') : []),
  ]);
}

function workflowNodes(
  flow: WorkflowTrace,
  children: readonly SubagentTrace[],
  under: Under,
): readonly TreeNode[] {
  const { parent, turn_id } = under;
  const id = `${parent}/workflow:${flow.workflow_id}`;
  const state = openOr(flow.state, flow.turn_id, under);
  const below = { ...under, parent: id };
  const known = new Set(flow.steps.map(({ step_id }) => step_id));
  const ofSteps = grouped(children, ({ step_id }) =>
    step_id !== null && known.has(step_id) ? step_id : null,
  );
  const steps = flow.steps.flatMap((step) =>
    stepNodes(step, ofSteps.get(step.step_id) ?? [], { flow, state, under: below }),
  );
  const rest = (ofSteps.get(null) ?? []).map((child) => subagentNode(child, below));
  const all = [...steps, ...moreSteps(flow, id), ...rest];
  const count = flow.steps.length + flow.more_steps;
  const self = node({
    id,
    parent,
    kind: 'workflow',
    state,
    label: flow.name ?? flow.workflow_id,
    detail: joined([
      ...(flow.state === 'unknown' ? [flow.status] : []),
      count === 1 ? sentence('1 step') : sentence('{0} steps', count),
    ]),
    evidence: workflowEvidence(flow),
    seq: flow.state_seq,
    turn_id,
    next_actions: flow.next_actions,
    children: all.filter((one) => one.parent === id).map((one) => one.id),
    open: flow.finished_seq === null,
  });
  return [self, ...all];
}

interface OfFlow {
  readonly flow: WorkflowTrace;
  /** As it is shown. */
  readonly state: NodeState;
  readonly under: Under;
}

function stepNodes(
  step: StepTrace,
  children: readonly SubagentTrace[],
  { flow, state, under }: OfFlow,
): readonly TreeNode[] {
  const { parent, turn_id } = under;
  const id = `${parent}/step:${step.step_id}`;
  const below = children.map((child) => subagentNode(child, { ...under, parent: id }));
  const { child_session_id } = step;
  const shown = stepState(step, flow, state);
  const self = node({
    id,
    parent,
    kind: 'step',
    state: shown,
    label: step.step_id,
    detail: stepDetail(step, shown),
    evidence: stepEvidence(step),
    seq: step.state_seq ?? flow.seq,
    turn_id,
    child_session_id,
    next_actions: together(
      step.next_actions,
      child_session_id === null ? [] : [openTranscript(child_session_id)],
    ),
    children: below.map((one) => one.id),
  });
  return [self, ...below];
}

/** What a workflow that is over left open did not run, or nobody knows how it ended. */
function stepState({ state }: StepTrace, flow: WorkflowTrace, shown: NodeState): NodeState {
  if (!isOpenState(state)) return state;
  if (flow.finished_seq !== null) return state === 'queued' ? 'not_run' : 'stale';
  return shown === 'stale' && state === 'running' ? 'stale' : state;
}

/** Beside the phrase of its state: what the phrase does not say. */
function stepDetail({ status }: StepTrace, shown: NodeState): Words {
  if (shown === 'unknown') return status;
  const isSaid = status === 'needs_orchestrator' || (status === NOT_SCHEDULED && shown === 'queued');
  return isSaid ? nameInWords(status) : '';
}

function moreSteps({ more_steps, seq, turn_id }: WorkflowTrace, parent: string): readonly TreeNode[] {
  if (more_steps <= 0) return [];
  const label = more_steps === 1 ? sentence('1 more step') : sentence('{0} more steps', more_steps);
  return [node({ id: `${parent}/more`, parent, kind: 'more', state: 'ok', label, seq, turn_id })];
}
