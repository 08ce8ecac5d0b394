import { project } from '../../../src/presenter/projection.ts';
import type { HostMessage, Item } from '../../../src/presenter/protocol.ts';
import type { EventData } from '../../../src/runtime/events.ts';
import type { StepResult, StepSpec, WorkflowSpec } from '../../../src/runtime/agent-events.ts';
import { crewAfter, NO_CREW, type Crew } from '../../../webview/agents/crew.ts';
import type { Child } from '../../../webview/agents/child-facts.ts';
import type { Workflow } from '../../../webview/agents/workflow-facts.ts';
import { made } from '../../support/made-events.ts';
import { item } from '../log-items.ts';

/** When the first second of every story here begins. */
export const BEGAN = Date.parse('2026-01-02T03:04:00.000Z');

export function at(second: number): string {
  return new Date(BEGAN + second * 1000).toISOString();
}

type ChildData = EventData['subagent_event'];
type FlowData = EventData['workflow_event'];

/** An event of a child as the page gets it; it is as many seconds into the story as its seq says. */
export function child(seq: number, event: string, status: string, more: Partial<ChildData> = {}): Item {
  const data = {
    turn_id: 't1',
    event,
    subagent_id: 'a1',
    child_session_id: 'child_1',
    status,
    ...more,
  };
  return { ...project(made('subagent_event', seq, data)), ts: at(seq) };
}

export function flow(seq: number, event: string, more: Partial<FlowData> = {}): Item {
  const data = { turn_id: 't1', workflow_id: 'w1', event, ...more };
  return { ...project(made('workflow_event', seq, data)), ts: at(seq) };
}

/** The life of a child up to its work: asked for by a call, queued, begun. */
export function begun(seq: number, more: Partial<ChildData> = {}): readonly Item[] {
  const id = more.subagent_id ?? 'a1';
  const task = more.task ?? 'Find the clock';
  const given = { agent: 'explorer', task, depth: 1, timeout_ms: 600_000, ...more };
  return [
    spawnCall(seq, id, task),
    child(seq + 1, 'spawned', 'queued', { ...given, call_id: `call_${id}` }),
    child(seq + 2, 'started', 'running', {
      ...(more.subagent_id === undefined ? {} : { subagent_id: id }),
      ...(more.child_session_id === undefined ? {} : { child_session_id: more.child_session_id }),
      timeout_ms: 600_000,
      deadline_at: at(seq + 2 + 600),
    }),
  ];
}

export function spawnCall(seq: number, id = 'a1', task = 'Find the clock'): Item {
  const args = JSON.stringify({ task, agent: 'explorer' });
  return item(seq, 'tool_call', { call_id: `call_${id}`, name: 'spawn_agent', args, stream_run_id: 's1' });
}

/** All the evidence that a final event carries. */
export function ended(seq: number, status: string, more: Partial<ChildData> = {}): Item {
  return child(seq, 'finished', status, {
    agent: 'explorer',
    task: 'Find the clock',
    depth: 1,
    summary: 'It is in **login.ts**.',
    checkpoint: null,
    timeout_ms: 600_000,
    elapsed_ms: 65_000,
    retry_history: [],
    next_actions: [],
    ...more,
  });
}

export function step(id: string, depends_on: readonly string[] = [], more: Partial<StepSpec> = {}): StepSpec {
  return {
    id,
    task: `Do ${id}`,
    agent: 'worker',
    depends_on,
    permission_mode: null,
    read_set: [],
    write_set: [],
    timeout_ms: null,
    required: true,
    ...more,
  };
}

export function spec(steps: readonly StepSpec[]): WorkflowSpec {
  return { id: 'release', name: 'Release', max_concurrency: null, timeout_ms: 1_800_000, steps };
}

export function result(id: string, status: StepResult['status'], more: Partial<StepResult> = {}): StepResult {
  return {
    id,
    status,
    required: true,
    summary: `${id} is done.`,
    limitations: [],
    verification: [],
    artifacts: [],
    reason: null,
    subagent_id: null,
    child_session_id: null,
    elapsed_ms: 2000,
    next_actions: [],
    ...more,
  };
}

type ChildrenMessage = Extract<HostMessage, { type: 'children' }>;
export type LiveItem = ChildrenMessage['items'][number];
export type LiveQuestion = LiveItem['questions'][number];

export function children(
  ...items: readonly (Partial<LiveItem> & { subagent_id: string })[]
): ChildrenMessage {
  return {
    v: 1,
    type: 'children',
    session_id: 'one',
    items: items.map((one) => ({
      child_session_id: `session_${one.subagent_id}`,
      activity: null,
      news_at: BEGAN,
      questions: [],
      ...one,
    })),
  };
}

export function asks(id: string, more: Partial<LiveQuestion> = {}): LiveQuestion {
  return {
    call_id: 'call_1',
    name: 'run_command',
    suspension: {
      id,
      reason: 'approval',
      message: 'Run npm test?',
      resume_mode: 'replay_tool_call',
      parameters: {
        subject: 'npm test',
        rule: 'mode:ask',
        sub_commands: [],
        always: ['run_command(npm test)'],
      },
    },
    asked_by: [{ subagent_id: 'a1', agent: 'explorer' }],
    ...more,
  };
}

export function crewOf(items: readonly Item[]): Crew {
  return crewAfter(NO_CREW, items);
}

export function childOf(items: readonly Item[], id = 'a1'): Child {
  const found = crewOf(items).children.get(id);
  if (found === undefined) throw new Error('there is no such child');
  return found;
}

export function workflowOf(items: readonly Item[]): Workflow {
  const found = crewOf(items).workflows.get('w1');
  if (found === undefined) throw new Error('there is no such workflow');
  return found;
}
