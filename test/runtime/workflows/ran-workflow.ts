import type { StepStatus, WorkflowSpec } from '../../../src/runtime/agent-events.ts';
import type { LogEvent } from '../../../src/runtime/events.ts';
import type { ChildEnd } from '../../../src/runtime/workflows/ports.ts';
import { workflowRecovery } from '../../../src/runtime/workflows/result.ts';
import { parseSpec } from '../../../src/runtime/workflows/spec.ts';
import {
  applyToWorkflows,
  type StepAnswer,
  type WorkflowState,
} from '../../../src/runtime/workflows/state.ts';
import { ofFlow, without } from '../../support/changed-log.ts';
import { Bench, BenchAgents, checkpoint } from './workflow-bench.ts';

/** Workflows that were run, for what is pure over the fold of their log. */

export function specOf(...steps: readonly object[]): WorkflowSpec {
  return wholeSpec({ id: 'flow', steps: steps.map((step) => ({ task: 'Do it.', ...step })) });
}

export function wholeSpec(value: unknown): WorkflowSpec {
  const parsed = parseSpec(value);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.mistakes));
  return parsed.spec;
}

/** What becomes of a step. Nothing that the log speaks of, where it is `never`. */
export type Fate = Exclude<StepStatus, 'not_run'> | 'running' | 'never' | Partial<ChildEnd>;

export const FINISHED = ofFlow('workflow_finished');
export const RESUMED = ofFlow('workflow_resumed');
const STOPPED = { kind: 'interrupted', reason: 'user_cancelled' } as const;

/** A workflow whose steps came to this; those that are not named are at work if they could begin. */
export async function ran(spec: WorkflowSpec, fates: Readonly<Record<string, Fate>> = {}): Promise<Bench> {
  const bench = new Bench({ script: ({ step_id }) => endOf(step_id, fates[step_id] ?? 'running') });
  const over = bench.begin(spec);
  await bench.clock.idle();
  if (Object.values(fates).includes('cancelled')) bench.halting.abort(STOPPED);
  const skipped = Object.entries(fates).filter(([, fate]) => fate === 'skipped');
  if (skipped.length > 0) {
    await over;
    await bench.goOn(Object.fromEntries(skipped.map(([id]) => [id, { action: 'skip', text: '' }])));
  }
  await bench.clock.idle();
  return bench;
}

/** The same, as its log has it before its end is on record. */
export async function cameTo(
  spec: WorkflowSpec,
  fates: Readonly<Record<string, Fate>> = {},
): Promise<WorkflowState> {
  const { events } = (await ran(spec, fates)).log;
  const last = events.findLastIndex(FINISHED);
  const never = Object.entries(fates).flatMap(([id, fate]) => (fate === 'never' ? [id] : []));
  const open = last === events.length - 1 ? events.slice(0, last) : events;
  return workflowIn(
    without(
      open,
      ({ type, data }) =>
        type === 'workflow_event' && data.step_id !== undefined && never.includes(data.step_id),
    ),
  );
}

/** Another process opens what was left, all of it or a part, and goes on with it; whatever goes on stays at work. */
export async function goneOn(
  before: Bench,
  answers: Readonly<Record<string, StepAnswer>> | null = null,
  lines: readonly string[] = before.log.lines,
): Promise<Bench> {
  const agents = new BenchAgents(() => null, '_later');
  agents.inherit(before.agents.children);
  const bench = new Bench({ lines, agents });
  if (bench.workflow.status === 'running') await bench.record(workflowRecovery([bench.workflow]));
  void bench.goOn(answers);
  await bench.clock.idle();
  return bench;
}

function endOf(id: string, fate: Fate): Partial<ChildEnd> | null {
  if (typeof fate === 'object') return fate;
  switch (fate) {
    case 'running':
    case 'cancelled':
      return null;
    case 'never':
    case 'failed':
    case 'timed_out':
      return { status: fate === 'timed_out' ? 'timed_out' : 'failed' };
    case 'skipped':
      return { checkpoint: checkpoint('held', { summary: `${id} says so.` }) };
    case 'checkpoint_ready':
    case 'partial':
    case 'held':
    case 'needs_orchestrator':
      return { checkpoint: checkpoint(fate, { summary: `${id} says so.` }) };
  }
}

export function foldOf(events: readonly LogEvent[]): readonly WorkflowState[] {
  return events.reduce<readonly WorkflowState[]>(applyToWorkflows, []);
}

/** The one workflow of a log. */
export function workflowIn(events: readonly LogEvent[]): WorkflowState {
  const [workflow] = foldOf(events);
  if (workflow === undefined) throw new Error('there is no workflow');
  return workflow;
}

export function statuses({ steps }: WorkflowState): Readonly<Record<string, string>> {
  return Object.fromEntries(steps.map(({ id, status }) => [id, status]));
}
