import type { ToolBox } from '../runtime/ports.ts';
import { fault } from './tool-faults.ts';

function none(name: string): ReturnType<typeof fault> {
  return fault('unknown_tool', `There is no tool ${name}: this turn has none. Answer with words alone.`);
}

/** For a turn that is answered with words alone. A call that comes all the same is an error result; nobody is asked. */
export const NO_TOOLS: ToolBox = {
  specs: [],
  prepare: ({ name }) => none(name),
  preview: async ({ name }) => none(name),
  run: async ({ name }) => ({ kind: 'failure', error: none(name).error, changes: [] }),
};
