import type { HostMessage } from '../src/presenter/protocol.ts';
import { isTrueIn, numberIn, recordIn } from './fields.ts';
import type { LiveCall, WatchedProcess } from './state.ts';
import { suspensionOf } from './suspension.ts';

/** Of what a command says, as much as is ever shown. */
const PROGRESS_CHARS = 4096;

export function liveCallOf(
  message: Extract<HostMessage, { type: 'tool_state' }>,
  before: LiveCall | undefined,
): LiveCall {
  return {
    state: message.state,
    suspension: suspensionOf(message.suspension),
    progress: `${before?.progress ?? ''}${message.progress ?? ''}`.slice(-PROGRESS_CHARS),
    process: processOf(recordIn(message, 'process')),
  };
}

function processOf(value: unknown): WatchedProcess | null {
  const pid = numberIn(value, 'pid');
  return pid === undefined ? null : { pid, alive: isTrueIn(value, 'alive') };
}
