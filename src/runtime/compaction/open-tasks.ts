import type { LogEvent } from '../events.ts';
import { list, parsed, text } from '../loose-fields.ts';
import { lineOf } from '../text-size.ts';
import { callFacts, type CallFact } from './call-facts.ts';
import { openChildren, type ChildFacts } from './remembered-children.ts';

const TASK_CHARS = 300;

interface Known {
  readonly calls: readonly CallFact[];
  readonly tail: readonly LogEvent[];
  readonly openBefore: readonly string[];
}

/** Children that are still at work, and steps of the last plan that are not done, unless the tail has a newer one. */
export function openTasks(all: readonly LogEvent[], known: Known): readonly string[] {
  const working = [...openChildren(all).values()].map(childTask);
  // A child at work outlives a plan: it is not what the bound leaves out.
  return [...working, ...planned(known)].map((task) => lineOf(task, TASK_CHARS));
}

/** One that waits for a person goes on only once they have answered. */
function childTask({ subagent_id, status, event, task }: ChildFacts): string {
  const is = event === 'waiting' ? 'waiting for the user' : status;
  const what = typeof task === 'string' ? task : '(its task is in the log)';
  return `Subagent ${subagent_id} is ${is}: ${what}`;
}

const PLAN = 'update_plan';
const CHILD_TASK = /^Subagent \S+ is (?:queued|running|waiting for the user): /u;

function isPlan({ name, ok }: CallFact): boolean {
  return name === PLAN && ok;
}

function planned(known: Known): readonly string[] {
  if (callFacts(known.tail).some(isPlan)) return [];
  const plan = known.calls.findLast(isPlan);
  // What is told of children is told anew each time: by now they may have ended.
  if (plan === undefined) return known.openBefore.filter((task) => !CHILD_TASK.test(task));
  return list(parsed(plan.args), 'steps').flatMap((step) => {
    const words = text(step, 'step');
    return words === '' || text(step, 'status') === 'completed' ? [] : [words];
  });
}
