import { isObject } from '../json-values.ts';
import { parsedOutput, textOf } from './agent-script.ts';
import { resultOf } from './call-round.ts';
import { inline } from './quotes.ts';
import { call, say, type ScriptStep } from './script-step.ts';
import type { CallView } from './turn-view.ts';

/** Stages of tasks: those of one run together, and each waits for the one before it. */
export type Stages = readonly (readonly string[])[];

const MOST_STEPS = 12;

/** Hands tasks to agents as one workflow, then tells what came of it. */
export function workflowStep(stages: Stages, calls: readonly CallView[]): ScriptStep {
  const made = calls.findLast(({ name }) => name === 'run_workflow');
  if (made !== undefined) return say(toldResult(made));
  const steps = stepsOf(stages);
  const count = steps.length === 1 ? 'one step' : `${steps.length} steps`;
  const workflow = { id: 'offline', name: 'Offline workflow', steps };
  return call(`I will run a workflow of ${count}.`, { name: 'run_workflow', args: { workflow } });
}

function stepsOf(stages: Stages): readonly { readonly id: string }[] {
  let count = 0;
  let before: readonly string[] = [];
  return stages.flatMap((tasks) => {
    const steps = tasks.map((task) => {
      count += 1;
      return { id: `step-${count}`, task, depends_on: before };
    });
    before = steps.map(({ id }) => id);
    return steps.slice(0, Math.max(0, MOST_STEPS - (count - steps.length)));
  });
}

function toldResult(made: CallView): string {
  const result = made.outcome === 'succeeded' ? parsedOutput(made.output) : null;
  if (!isObject(result) || !Array.isArray(result.steps)) return resultOf(made, 'The workflow');
  const lines = result.steps.flatMap((step: unknown) =>
    isObject(step) ? [`- ${textOf(step.id)}: ${textOf(step.status)}. ${inline(textOf(step.summary))}`] : [],
  );
  return [`The workflow ended as ${textOf(result.status)}.`, ...lines].join('\n');
}
