import type { RunContext } from './active-run.ts';
import { promptSurface } from './prompt/contract.ts';
import { compactionView } from './session-compaction.ts';
import type { SessionLog } from './session-log.ts';
import type { RunPorts, SessionPorts } from './session-ports.ts';

/** What the steps of a run share: what the session has for every run, and what this one was given. */
export function runContext(
  { clock, ids, hasher, publish, isAlive }: SessionPorts,
  { provider, tools, extensions, settings, offered, skill_index = '' }: RunPorts,
  of: { readonly log: SessionLog } & Pick<RunContext, 'turn' | 'record' | 'children'>,
): RunContext {
  const { log, turn, record, children } = of;
  const { folds } = log;
  const surface = promptSurface(offered ?? tools.specs, skill_index, hasher);
  return {
    clock,
    ids,
    hasher,
    publish,
    isAlive,
    provider,
    tools,
    extensions,
    settings,
    log: log.writer,
    surface,
    session: () => folds.state,
    turn,
    record,
    children,
    input: (target) => folds.input(target),
    knowsCall: (callId) => folds.knowsCall(callId),
    images: () => folds.images,
    compaction: (target) => compactionView(folds, target, surface),
  };
}
