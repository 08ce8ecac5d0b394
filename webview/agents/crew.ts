import { isOpenState } from '../../src/presenter/agent-states.ts';
import type { HostMessage, Item } from '../../src/presenter/protocol.ts';
import { listIn, numberIn, recordIn, stringIn } from '../fields.ts';
import { suspensionOf, type Suspension } from '../suspension.ts';
import { childAfter, type Child } from './child-facts.ts';
import { isOfCrew } from './placing.ts';
import { wordsOrNull } from './reported.ts';
import { workflowAfter, workflowWithChild, type Workflow } from './workflow-facts.ts';

/** Who asks, from the child down to the one whose call it is. */
export interface Asker {
  readonly subagent_id: string;
  readonly agent: string;
}

/** A call of a child, or of one of its own children, that waits for a person. */
export interface ChildQuestion {
  readonly call_id: string;
  readonly name: string;
  readonly subject: string;
  readonly suspension: Suspension;
  /** What the suspension has of the call's arguments, as they were written; empty where it has none. */
  readonly args: string;
  readonly asked_by: readonly Asker[];
}

/** What the host last said of a child, beside the log. */
export interface LiveChild {
  readonly child_session_id: string | null;
  readonly activity: { readonly text: string; readonly since: number } | null;
  readonly news_at: number | null;
  readonly questions: readonly ChildQuestion[];
}

/**
 * The children and workflows of a session: what the log says of them, wherever in it that was seen, and what the host
 * says of the moment. One that nothing new is known of stays the same object.
 */
export interface Crew {
  readonly children: ReadonlyMap<string, Child>;
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly live: ReadonlyMap<string, LiveChild>;
}

export const NO_CREW: Crew = { children: new Map(), workflows: new Map(), live: new Map() };

/** Pure: after more items of the log, wherever in it they are. */
export function crewAfter(crew: Crew, items: readonly Item[]): Crew {
  const own = items.filter(isOfCrew);
  if (own.length === 0) return crew;
  const children = new Map(crew.children);
  const workflows = new Map(crew.workflows);
  for (const item of own) {
    const workflow_id = wordsOrNull(item.data, 'workflow_id');
    const subagent_id = wordsOrNull(item.data, 'subagent_id');
    if (item.type === 'subagent_event' && subagent_id !== null)
      children.set(subagent_id, childAfter(children.get(subagent_id), item));
    if (workflow_id === null) continue;
    const known = workflows.get(workflow_id);
    const next = item.type === 'workflow_event' ? workflowAfter(known, item) : workflowWithChild(known, item);
    if (next !== undefined) workflows.set(workflow_id, next);
  }
  return { ...crew, children, workflows };
}

/** Pure: after what the host says of the moment. */
export function crewWithLive(crew: Crew, message: Extract<HostMessage, { type: 'children' }>): Crew {
  const live = new Map(crew.live);
  for (const item of listIn(message, 'items')) {
    const id = wordsOrNull(item, 'subagent_id');
    if (id !== null) live.set(id, liveOf(item));
  }
  return { ...crew, live };
}

function liveOf(item: unknown): LiveChild {
  const activity = recordIn(item, 'activity');
  const text = stringIn(activity, 'text') ?? '';
  const news_at = numberIn(item, 'news_at') ?? null;
  return {
    child_session_id: wordsOrNull(item, 'child_session_id'),
    activity: text === '' ? null : { text, since: numberIn(activity, 'since') ?? news_at ?? 0 },
    news_at,
    questions: listIn(item, 'questions').flatMap(questionOf),
  };
}

function questionOf(value: unknown): readonly ChildQuestion[] {
  const told = recordIn(value, 'suspension');
  const suspension = suspensionOf(told);
  if (suspension === null) return [];
  const subject = stringIn(value, 'subject') ?? suspension.subject;
  return [
    {
      call_id: stringIn(value, 'call_id') ?? suspension.id,
      name: stringIn(value, 'name') ?? '',
      subject,
      suspension,
      args: stringIn(recordIn(told, 'parameters'), 'args') ?? '',
      asked_by: listIn(value, 'asked_by').map((one) => ({
        subagent_id: stringIn(one, 'subagent_id') ?? '',
        agent: stringIn(one, 'agent') ?? '',
      })),
    },
  ];
}

/** By the log it is over. One that the log says nothing of is not: the host tells only of those that are open. */
export function isOver(crew: Crew, subagent_id: string): boolean {
  const child = crew.children.get(subagent_id);
  return child !== undefined && child.end !== null;
}

export function isOpenChild({ state, end }: Child): boolean {
  return end === null && (isOpenState(state) || state === 'unknown');
}
