import type { KnownEvent } from '../../src/runtime/events.ts';
import type { Stage } from '../lifecycle/window.ts';

export { asks, says, stage, type Window } from '../lifecycle/window.ts';

type Ask = readonly [call_id: string, name: string, args: object];
export type ChildEvent = KnownEvent<'subagent_event'>['data'];

export function spawn(call_id: string, task: string, more: object = {}): Ask {
  return [call_id, 'spawn_agent', { task, ...more }];
}

export function wait(call_id: string, more: object = {}): Ask {
  return [call_id, 'wait_agent', more];
}

/** What became of each child, by its task, in the order in which it was recorded. */
export async function lives(
  on: Stage,
  session?: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const told = await childEvents(on, session);
  const tasks = new Map(
    told.flatMap(({ subagent_id, task }) => (task === undefined ? [] : [[subagent_id, task]])),
  );
  const found: Record<string, string[]> = {};
  for (const { subagent_id, event, status } of told) {
    const task = tasks.get(subagent_id) ?? subagent_id;
    (found[task] ??= []).push(event === 'finished' ? status : event);
  }
  return found;
}

export async function childEvents(on: Stage, session?: string): Promise<readonly ChildEvent[]> {
  const events = await on.events(session);
  return events.flatMap((event) => (event.type === 'subagent_event' ? [event.data] : []));
}

/** The last event of the child with that task. */
export async function childOf(on: Stage, task: string): Promise<ChildEvent> {
  const events = await childEvents(on);
  const id = events.find((event) => event.task === task)?.subagent_id;
  const last = events.findLast((event) => event.subagent_id === id && event.event !== 'delivered');
  if (last === undefined) throw new Error(`no child for ${task}`);
  return last;
}

/** The output of a call of the first session, parsed. */
export async function outputOf(on: Stage, callId: string): Promise<unknown> {
  const results = await on.of('tool_result');
  const found = results.find(({ call_id }) => call_id === callId);
  return found?.output === undefined ? (found?.error ?? null) : JSON.parse(found.output);
}
