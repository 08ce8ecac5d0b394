import type { KnownEvent } from '../events.ts';
import { applyToSubagent, isOpenChild, toldOf, type SubagentTrace, type Telling } from './child-traces.ts';
import { applyToWorkflow, type WorkflowTrace } from './workflow-traces.ts';

/** The children and workflows of a turn, or of none: those at work, the last of the others, and how many there were. */
export interface Family {
  readonly subagents: readonly SubagentTrace[];
  readonly workflows: readonly WorkflowTrace[];
  /** All that there ever were, also those that are not kept. */
  readonly subagent_count: number;
  readonly workflow_count: number;
}

export const NO_FAMILY: Family = { subagents: [], workflows: [], subagent_count: 0, workflow_count: 0 };

/** Children that are kept one by one. Those that are over make room first; of more at work, the first stay. */
export const CHILDREN_KEPT = 100;
const OPEN_KEPT = 400;
export const WORKFLOWS_KEPT = 50;

/** Pure: the family after one more event of one of it. */
export function familyAfter(family: Family, event: KnownEvent<'subagent_event' | 'workflow_event'>): Family {
  const before = familyOf(family);
  return event.type === 'subagent_event' ? withChildEvent(before, event) : withFlowEvent(before, event);
}

function withChildEvent(family: Family, event: KnownEvent<'subagent_event'>): Family {
  const { subagent_id, event: what } = event.data;
  const at = indexOfChild(family, subagent_id);
  const after = applyToSubagent(family.subagents[at], event);
  if (at >= 0) return { ...family, subagents: family.subagents.with(at, after) };
  // One that is told of again after it had made room was counted when it came.
  const isNew = what === 'spawned' || family.subagent_count === family.subagents.length;
  return {
    ...family,
    subagents: roomFor([...family.subagents, after]),
    subagent_count: family.subagent_count + (isNew ? 1 : 0),
  };
}

function roomFor(children: readonly SubagentTrace[]): readonly SubagentTrace[] {
  if (children.length <= CHILDREN_KEPT) return children;
  const over = children.findIndex((child) => !isOpenChild(child) && child.state !== 'detached');
  if (over >= 0) return children.toSpliced(over, 1);
  return children.slice(0, OPEN_KEPT);
}

function withFlowEvent(family: Family, event: KnownEvent<'workflow_event'>): Family {
  const { workflow_id, event: what } = event.data;
  const at = indexOfFlow(family, workflow_id);
  const after = applyToWorkflow(family.workflows[at], event);
  if (at >= 0) return { ...family, workflows: family.workflows.with(at, after) };
  const isNew = what === 'workflow_started' || family.workflow_count === family.workflows.length;
  return {
    ...family,
    workflows: [...family.workflows, after].slice(-WORKFLOWS_KEPT),
    workflow_count: family.workflow_count + (isNew ? 1 : 0),
  };
}

/** Pure: the family after the end of a child of it was told to the model. */
export function familyTold(family: Family, telling: Telling & { readonly subagent_id: string }): Family {
  const at = indexOfChild(family, telling.subagent_id);
  const child = family.subagents[at];
  if (child === undefined) return family;
  return { ...familyOf(family), subagents: family.subagents.with(at, toldOf(child, telling)) };
}

/** The family alone, without whose it is. */
export function familyOf({ subagents, workflows, subagent_count, workflow_count }: Family): Family {
  return { subagents, workflows, subagent_count, workflow_count };
}

export function indexOfChild({ subagents }: Family, id: string): number {
  return subagents.findLastIndex(({ subagent_id }) => subagent_id === id);
}

export function indexOfFlow({ workflows }: Family, id: string): number {
  return workflows.findLastIndex(({ workflow_id }) => workflow_id === id);
}

/** Pure: what must not be lost from sight where its turn is not shown any more. */
export function leftOpen({ subagents, workflows }: Family): Family {
  const flows = workflows.filter(({ finished_seq }) => finished_seq === null);
  const ids = new Set(flows.map(({ workflow_id }) => workflow_id));
  const children = subagents.filter(
    (child) =>
      isOpenChild(child) ||
      child.state === 'detached' ||
      (child.workflow_id !== null && ids.has(child.workflow_id)),
  );
  return {
    subagents: children,
    workflows: flows,
    subagent_count: children.length,
    workflow_count: flows.length,
  };
}

export function joinedFamilies(a: Family, b: Family): Family {
  return {
    subagents: [...a.subagents, ...b.subagents].slice(-OPEN_KEPT),
    workflows: [...a.workflows, ...b.workflows].slice(-WORKFLOWS_KEPT),
    subagent_count: a.subagent_count + b.subagent_count,
    workflow_count: a.workflow_count + b.workflow_count,
  };
}

/** Where what is known later is to be found. */
export interface LaterNews {
  child(id: string): SubagentTrace | undefined;
  workflow(id: string): WorkflowTrace | undefined;
}

/** Pure: the family as it is by now; itself where nothing was said of it since. */
export function caughtUp<F extends Family>(family: F, news: LaterNews): F {
  const subagents = family.subagents.map((child) => later(child, news.child(child.subagent_id)));
  const workflows = family.workflows.map((flow) => {
    const found = news.workflow(flow.workflow_id);
    return found !== undefined && found.news_seq > flow.news_seq ? found : flow;
  });
  const isSame =
    subagents.every((child, index) => child === family.subagents[index]) &&
    workflows.every((flow, index) => flow === family.workflows[index]);
  return isSame ? family : { ...family, subagents, workflows };
}

function later(child: SubagentTrace, found: SubagentTrace | undefined): SubagentTrace {
  if (found === undefined) return child;
  const isLater = found.news.seq > child.news.seq || (found.told_seq ?? -1) > (child.told_seq ?? -1);
  return isLater ? found : child;
}
