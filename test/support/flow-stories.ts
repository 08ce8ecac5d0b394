import { AgentBench, type AgentBenchOptions } from './agent-bench.ts';
import { asks, reports, run, says, type Cast } from './cast-provider.ts';
import type { Script } from './scripted-provider.ts';

/** Small stories of a session that runs one workflow, for whoever looks at what the runtime wrote of it. */

export interface PlannedStep {
  /** What its child says; that it is ready where nothing is said. */
  readonly says?: readonly Script[];
  readonly [field: string]: unknown;
}

export interface Plan {
  readonly name?: string;
  readonly timeout_ms?: number;
  readonly max_concurrency?: number;
  /** By id. The task of a step is to do it. */
  readonly steps: Readonly<Record<string, PlannedStep>>;
}

export const FLOW_ID = 'wf_flow';
export const FLOW = 'turn:turn_1/workflow:wf_flow';
export const READY = reports('checkpoint_ready', 'It is ready.');

/** A turn that runs one workflow and answers. */
export function runsFlow(
  { name = 'Flow', steps, ...plan }: Plan,
  options: AgentBenchOptions = {},
): Promise<AgentBench> {
  const planned = Object.entries(steps).map(([id, step]) => {
    const { says: lines, ...spec } = step;
    return { script: [`Do ${id}.`, lines ?? READY] as const, spec: { id, task: `Do ${id}.`, ...spec } };
  });
  const cast: Cast = {
    'Go.': [asks(run('flow', { name, steps: planned.map(({ spec }) => spec), ...plan })), says('Done.')],
    ...Object.fromEntries(planned.map(({ script }) => script)),
  };
  return new AgentBench(cast, options).turn('Go.');
}
