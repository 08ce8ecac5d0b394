import { CORE } from './core.ts';
import type { Cast } from './inputs.ts';

const TOOLS: Cast['tools'] = {
  a: { name: 'write', effect: 'write' },
  b: { name: 'ask', effect: 'interact' },
  c: { name: 'read', effect: 'read' },
};

/** A write and a question to a person; later perhaps a read. */
export const WRITE_AND_ASK: Cast = {
  core: CORE,
  batch: false,
  tools: TOOLS,
  first: ['a', 'b'],
  suspends: { b: 'use_decision_as_result' },
};

/** Nothing of a round goes on before all of it is decided; and the asking tool gets the answer itself. */
export const BATCHED: Cast = {
  ...WRITE_AND_ASK,
  batch: true,
  suspends: { b: 'pass_decision_to_tool' },
};

/** A command whose process may outlive the program, beside a read. */
export const COMMAND_AND_READ: Cast = {
  ...WRITE_AND_ASK,
  tools: {
    a: { name: 'run', effect: 'execute' },
    b: { name: 'read', effect: 'read' },
    c: { name: 'write', effect: 'write' },
  },
  suspends: {},
};

/** A tool with effects that also asks, and runs again with the answer. */
export const ASKING_WRITE: Cast = {
  ...WRITE_AND_ASK,
  suspends: { a: 'replay_tool_call', b: 'use_decision_as_result' },
};
