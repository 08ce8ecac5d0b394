import { toldState, toldStepStatus, type NodeState } from '../../src/presenter/agent-states.ts';
import type { Item } from '../../src/presenter/protocol.ts';
import { actionsIn, type Action } from '../actions.ts';
import { isTrueIn, listIn, numberIn, recordIn, stringIn } from '../fields.ts';
import { momentIn, momentOf, NOTHING_REPORTED, reportedIn, wordsOrNull, type Reported } from './reported.ts';

/** A step of a workflow: what its specification says, and what the log says became of it. */
export interface Step {
  readonly id: string;
  readonly task: string | null;
  readonly agent: string | null;
  readonly depends_on: readonly string[];
  readonly required: boolean;
  /** Null while it was not begun. */
  readonly status: string | null;
  readonly state: NodeState | null;
  readonly subagent_id: string | null;
  readonly child_session_id: string | null;
  readonly started_at: number | null;
  readonly timeout_ms: number | null;
  readonly elapsed_ms: number | null;
  readonly summary: string;
  readonly reason: string;
  readonly reported: Reported;
  readonly actions: readonly Action[];
  readonly as_of: number;
}

export interface WorkflowEnd {
  readonly elapsed_ms: number | null;
  readonly completion_ready: boolean;
  readonly partial_outcome_ready: boolean;
  readonly actions: readonly Action[];
}

/** What the log says of a workflow, as far as its events were seen. */
export interface Workflow {
  readonly workflow_id: string;
  readonly name: string | null;
  readonly status: string;
  readonly state: NodeState;
  /** In the order of the specification; those that it does not name come after them. */
  readonly steps: readonly Step[];
  /** Its specification was seen: these are all steps. */
  readonly is_whole: boolean;
  readonly started_at: number | null;
  readonly deadline_at: number | null;
  /** Where in the log that was said. */
  readonly deadline_seq: number;
  readonly timeout_ms: number | null;
  readonly end: WorkflowEnd | null;
  readonly as_of: number;
}

/** Pure: a workflow after one more event of it. As with children, what is loaded from before tells only what is missing. */
export function workflowAfter(known: Workflow | undefined, item: Item): Workflow {
  if (known !== undefined && item.seq === known.as_of) return known;
  const base = known ?? newWorkflow(stringIn(item.data, 'workflow_id') ?? '');
  const isEarlier = item.seq < base.as_of;
  const seen: Workflow = {
    ...base,
    name: base.name ?? wordsOrNull(item.data, 'name'),
    as_of: Math.max(base.as_of, item.seq),
  };
  const planned = withSpec(seen, item);
  const step_id = wordsOrNull(item.data, 'step_id');
  if (step_id !== null) return withStep(planned, step_id, (step) => stepAfter(step, item));
  return withDeadline(isEarlier ? withStart(planned, item) : moved(planned, item), item);
}

/** Pure: what a child's event says of the step that it works on. */
export function workflowWithChild(known: Workflow | undefined, item: Item): Workflow | undefined {
  const { data } = item;
  const [workflow_id, step_id] = [wordsOrNull(data, 'workflow_id'), wordsOrNull(data, 'step_id')];
  const subagent_id = wordsOrNull(data, 'subagent_id');
  if (workflow_id === null || step_id === null || subagent_id === null) return known;
  const base = known ?? newWorkflow(workflow_id);
  const isKnown = base.steps.some((step) => step.id === step_id && step.subagent_id !== null);
  // A retry keeps its name; another child for the same step is a later one.
  if (isKnown && stringIn(data, 'event') !== 'spawned') return known;
  return withStep(base, step_id, (step) =>
    item.seq < step.as_of && step.subagent_id !== null ? step : { ...step, subagent_id },
  );
}

function newWorkflow(workflow_id: string): Workflow {
  return {
    workflow_id,
    name: null,
    status: 'running',
    state: 'running',
    steps: [],
    is_whole: false,
    started_at: null,
    deadline_at: null,
    deadline_seq: -1,
    timeout_ms: null,
    end: null,
    as_of: -1,
  };
}

function newStep(id: string): Step {
  return {
    id,
    task: null,
    agent: null,
    depends_on: [],
    required: true,
    status: null,
    state: null,
    subagent_id: null,
    child_session_id: null,
    started_at: null,
    timeout_ms: null,
    elapsed_ms: null,
    summary: '',
    reason: '',
    reported: NOTHING_REPORTED,
    actions: [],
    as_of: -1,
  };
}

function withStep(workflow: Workflow, id: string, change: (step: Step) => Step): Workflow {
  const at = workflow.steps.findIndex((step) => step.id === id);
  const before = workflow.steps[at];
  const after = change(before ?? newStep(id));
  if (after === before) return workflow;
  return { ...workflow, steps: at < 0 ? [...workflow.steps, after] : workflow.steps.with(at, after) };
}

function withSpec(workflow: Workflow, { data }: Item): Workflow {
  const spec = recordIn(data, 'spec');
  if (spec === undefined || workflow.is_whole) return workflow;
  const known = new Map(workflow.steps.map((step) => [step.id, step]));
  const named = new Set<string>();
  const planned = listIn(spec, 'steps').flatMap((one) => {
    const id = wordsOrNull(one, 'id');
    if (id === null || named.has(id)) return [];
    const step = known.get(id) ?? newStep(id);
    named.add(id);
    known.delete(id);
    return [
      {
        ...step,
        task: wordsOrNull(one, 'task'),
        agent: wordsOrNull(one, 'agent'),
        depends_on: listIn(one, 'depends_on').filter((name) => typeof name === 'string'),
        required: recordOf(one)?.required !== false,
        timeout_ms: numberIn(one, 'timeout_ms') ?? null,
      },
    ];
  });
  return {
    ...workflow,
    name: workflow.name ?? wordsOrNull(spec, 'name'),
    timeout_ms: numberIn(spec, 'timeout_ms') ?? workflow.timeout_ms,
    steps: [...planned, ...known.values()],
    is_whole: true,
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return recordIn({ value }, 'value');
}

const BEGINS: ReadonlySet<string> = new Set(['workflow_started', 'workflow_resumed']);

function withStart(workflow: Workflow, { ts, data }: Item): Workflow {
  if (workflow.started_at !== null || !BEGINS.has(stringIn(data, 'event') ?? '')) return workflow;
  return { ...workflow, started_at: momentOf(ts) };
}

/** The one that was said last counts, in whatever order they are seen. */
function withDeadline(workflow: Workflow, { seq, data }: Item): Workflow {
  const at = momentIn(data, 'deadline_at');
  const isNews = at !== null || BEGINS.has(stringIn(data, 'event') ?? '');
  return isNews && seq >= workflow.deadline_seq
    ? { ...workflow, deadline_at: at, deadline_seq: seq }
    : workflow;
}

function moved(workflow: Workflow, item: Item): Workflow {
  const { ts, data } = item;
  const event = stringIn(data, 'event') ?? '';
  if (BEGINS.has(event))
    return {
      ...workflow,
      status: 'running',
      state: 'running',
      started_at: momentOf(ts),
      steps: workflow.steps.map((step) => (WAITS_AGAIN.has(step.state) ? begunAnew(step) : step)),
      end: null,
    };
  if (event !== 'workflow_finished') return workflow;
  const status = wordsOrNull(data, 'status') ?? 'unknown';
  const at = momentOf(ts);
  const { started_at } = workflow;
  const results = listIn(data, 'steps').reduce<Workflow>((flow, result) => {
    const id = wordsOrNull(result, 'id');
    return id === null ? flow : withStep(flow, id, (step) => withResult(step, result, item.seq));
  }, workflow);
  return {
    ...results,
    status,
    state: toldState(status),
    end: {
      elapsed_ms:
        numberIn(data, 'elapsed_ms') ?? (at === null || started_at === null ? null : at - started_at),
      completion_ready: isTrueIn(data, 'completion_ready'),
      partial_outcome_ready: isTrueIn(data, 'partial_outcome_ready'),
      actions: actionsIn(data.next_actions),
    },
  };
}

/** Nothing came of these, so they are begun once the workflow goes on. */
const WAITS_AGAIN: ReadonlySet<NodeState | null> = new Set<NodeState | null>([
  'not_run',
  'skipped',
  'cancelled',
]);

function begunAnew(step: Step): Step {
  return { ...step, status: null, state: null, elapsed_ms: null, reason: '', actions: [] };
}

function stepAfter(step: Step, { seq, ts, data }: Item): Step {
  if (seq <= step.as_of) return step;
  const status = toldStepStatus(data) ?? step.status;
  const state = status === null ? null : toldState(status);
  const starts = stringIn(data, 'event') === 'step_started';
  const next: Step = {
    ...step,
    as_of: seq,
    status,
    state,
    subagent_id: wordsOrNull(data, 'subagent_id') ?? step.subagent_id,
    child_session_id: wordsOrNull(data, 'child_session_id') ?? step.child_session_id,
    started_at: starts ? momentOf(ts) : state === 'queued' ? null : step.started_at,
    elapsed_ms: state === 'running' || state === 'queued' ? null : endOf(step, ts, data),
    summary: wordsOrNull(data, 'summary') ?? step.summary,
    reason: state === 'running' || state === 'queued' ? '' : (wordsOrNull(data, 'reason') ?? step.reason),
  };
  const result = recordIn(data, 'result');
  return result === undefined ? next : withResult(next, result, seq);
}

function endOf({ started_at, elapsed_ms }: Step, ts: string, data: Item['data']): number | null {
  const at = momentOf(ts);
  const sinceStart = at === null || started_at === null ? null : at - started_at;
  return numberIn(data, 'elapsed_ms') ?? elapsed_ms ?? sinceStart;
}

function withResult(step: Step, result: unknown, seq: number): Step {
  const status = wordsOrNull(result, 'status') ?? step.status;
  return {
    ...step,
    as_of: seq,
    status,
    state: status === null ? null : toldState(status),
    required: recordOf(result)?.required === undefined ? step.required : isTrueIn(result, 'required'),
    subagent_id: wordsOrNull(result, 'subagent_id') ?? step.subagent_id,
    child_session_id: wordsOrNull(result, 'child_session_id') ?? step.child_session_id,
    elapsed_ms: numberIn(result, 'elapsed_ms') ?? step.elapsed_ms,
    summary: wordsOrNull(result, 'summary') ?? step.summary,
    reason: wordsOrNull(result, 'reason') ?? '',
    reported: reportedIn(result),
    actions: actionsIn(recordOf(result)?.next_actions),
  };
}
