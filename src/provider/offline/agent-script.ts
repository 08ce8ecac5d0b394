import { isObject } from '../json-values.ts';
import { resultOf } from './call-round.ts';
import { inline } from './quotes.ts';
import { call, say, type ScriptStep } from './script-step.ts';
import type { CallView } from './turn-view.ts';

/** Hands tasks to agents, waits for them, and tells how each ended. */
export function agentStep(tasks: readonly string[], calls: readonly CallView[]): ScriptStep {
  if (calls.length === 0) {
    const spawns = tasks.map((task) => ({ name: 'spawn_agent', args: { task } }));
    const what = tasks.length === 1 ? 'a task to an agent' : `${tasks.length} tasks to agents`;
    return call(`I will give ${what}.`, ...spawns);
  }
  const waits = calls.filter(({ name }) => name === 'wait_agent');
  const spawns = calls.filter(({ name }) => name === 'spawn_agent');
  const started = spawns.filter(({ outcome }) => outcome === 'succeeded');
  if (started.length > 0 && waits.length === 0)
    return call('Now I wait for them.', { name: 'wait_agent', args: {} });
  const lost = spawns.flatMap((made, index) =>
    made.outcome === 'succeeded' ? [] : [resultOf(made, tasks[index] ?? made.name)],
  );
  return say([...lost, ...waits.map((made) => toldEnds(made, spawns, tasks))].join('\n\n'));
}

function toldEnds(made: CallView, spawns: readonly CallView[], tasks: readonly string[]): string {
  const told = made.outcome === 'succeeded' ? parsedOutput(made.output) : null;
  if (!isObject(told) || !Array.isArray(told.agents)) return resultOf(made, 'The agents');
  const ids = spawns.map(({ output }) => {
    const answer = parsedOutput(output);
    return isObject(answer) ? answer.subagent_id : null;
  });
  const lines = told.agents.flatMap((one: unknown) => {
    if (!isObject(one)) return [];
    const task = tasks[ids.indexOf(one.subagent_id)];
    // Those of earlier messages were told of then.
    if (task === undefined) return [];
    return [`- ${inline(task)}: ${textOf(one.status)}. ${inline(textOf(one.summary))}`];
  });
  return ['This is how they ended:', ...lines].join('\n');
}

export function parsedOutput(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
