import { resultOf } from './call-round.ts';
import { call, say, type ScriptStep } from './script-step.ts';
import type { CallView } from './turn-view.ts';

const EXAMPLE = ['Look at what is there', 'Make the change', 'Run the tests'] as const;

/** Shows a plan, then ticks off one step a round. Nothing is done about them, and the last words say so. */
export function planStep(given: readonly string[], calls: readonly CallView[]): ScriptStep {
  const steps = given.length === 0 ? EXAMPLE : given;
  const last = calls.at(-1);
  if (last !== undefined && last.outcome !== 'succeeded') return say(resultOf(last, 'The plan'));
  const done = calls.length;
  if (done > steps.length)
    return say(
      `All ${steps.length} steps are ticked off. I am a script: nothing was really done about them.`,
    );
  const args = {
    steps: steps.map((step, index) => ({ step, status: statusOf(index, done) })),
  };
  return call(done === 0 ? 'This is my plan.' : '', { name: 'update_plan', args });
}

function statusOf(index: number, done: number): 'pending' | 'in_progress' | 'completed' {
  if (index < done) return 'completed';
  return index === done ? 'in_progress' : 'pending';
}
