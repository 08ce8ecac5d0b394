import { project } from '../../../src/presenter/projection.ts';
import type { HostMessage, Item } from '../../../src/presenter/protocol.ts';
import type { LogEvent } from '../../../src/runtime/events.ts';
import type { Child } from '../../../webview/agents/child-facts.ts';
import { crewAfter, NO_CREW, type Crew } from '../../../webview/agents/crew.ts';
import type { Workflow } from '../../../webview/agents/workflow-facts.ts';
import { asks } from '../../support/cast-provider.ts';
import { FLOW_ID } from '../../support/flow-stories.ts';
import { append, snapshot } from '../log-items.ts';

/** What the page gets of logs that the runtime wrote. */

/** When every story begins. */
export const BEGAN = Date.UTC(2026, 0, 1);

/** Asks a person, where the mode is to ask. */
export const COMMAND = asks(['ask', 'run_command', { command: 'npm test' }]);

export function itemsOf(events: readonly LogEvent[]): readonly Item[] {
  return events.map(project);
}

type Snapshot = Extract<HostMessage, { type: 'snapshot' }>;

export function opening(items: readonly Item[], more: Partial<Snapshot> = {}): Snapshot {
  return snapshot(items, { session_id: 's1', ...more });
}

export function news(items: readonly Item[]): HostMessage {
  return { ...append(items), session_id: 's1' } as HostMessage;
}

export type ChildrenMessage = Extract<HostMessage, { type: 'children' }>;
export type LiveItem = ChildrenMessage['items'][number];

/** With other facts of all that it tells of. */
export function told(message: ChildrenMessage, facts: Partial<LiveItem>): ChildrenMessage {
  return { ...message, items: message.items.map((one) => ({ ...one, ...facts })) };
}

export function crewOf(items: readonly Item[]): Crew {
  return crewAfter(NO_CREW, items);
}

export function childOf(items: readonly Item[], id = 'agent_1'): Child {
  const found = crewOf(items).children.get(id);
  if (found === undefined) throw new Error('there is no such child');
  return found;
}

export function workflowOf(items: readonly Item[]): Workflow {
  const found = crewOf(items).workflows.get(FLOW_ID);
  if (found === undefined) throw new Error('there is no such workflow');
  return found;
}
