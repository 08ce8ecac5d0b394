import type { ChildStatus } from '../../src/runtime/agent-events.ts';
import { AgentBench, type AgentBenchOptions } from './agent-bench.ts';
import { asks, NOTHING, says, spawn, wait } from './cast-provider.ts';
import { fails, text, type Script } from './scripted-provider.ts';

/** Small stories of a session and one child, for whoever looks at what the runtime wrote of them. */

export const MINUTE = 60_000;
export const TASK = 'Look at it.';

/** A turn that hands one task on, waits for it and answers. */
export function handsOn(
  lines: readonly Script[],
  more: object = {},
  options: AgentBenchOptions = {},
): Promise<AgentBench> {
  const parent = [asks(spawn('c1', TASK, more)), asks(wait('c2')), says('Done.')];
  return new AgentBench({ 'Go.': parent, [TASK]: lines }, options).turn('Go.');
}

/** A turn that hands one task on and does nothing more before it has ended. */
export function leavesAlone(lines: readonly Script[], ...rest: readonly Script[]): Promise<AgentBench> {
  return new AgentBench({ 'Go.': [asks(spawn('c1', TASK)), ...rest], [TASK]: lines }).turn('Go.');
}

/** The way to the model fails once, after the first word. */
export const CUT: Script = [text('Hm'), fails('stream_cut')];

/** One child, ended in each of the ways that there are. */
export const ENDED = {
  completed: () => handsOn([says('Seen.')]),
  failed: () => handsOn([[fails('invalid_request')]]),
  timed_out: async () => (await handsOn([NOTHING], { timeout_ms: MINUTE })).pass(MINUTE),
  interrupted: async () => {
    const bench = await handsOn([NOTHING]);
    return bench.person(() => bench.supervisor.liveOf('agent_1')?.session?.stop() ?? Promise.resolve());
  },
  cancelled: async () => (await handsOn([NOTHING])).stop(),
  closed: async () => (await handsOn([NOTHING])).person((desk) => desk.close('agent_1', null)),
  detached: async () => (await handsOn([NOTHING])).crash(),
} as const satisfies Record<Exclude<ChildStatus, 'queued' | 'running'>, () => Promise<AgentBench>>;
