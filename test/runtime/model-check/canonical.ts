import { OUTCOME_UNKNOWN, type OpenCall } from '../../../src/runtime/turn-calls.ts';
import { isTerminal, turnState } from '../../../src/runtime/turn.ts';
import type { CallEvidence } from './evidence.ts';
import type { Position } from './position.ts';

/**
 * All that what comes can depend on, as a key: the names of ids are left out, and so is what nothing looks at
 * again. Of a turn that has ended only that is left that a late decision could meet.
 */
export function canonical({ turn, evidence, process, alive }: Position): string {
  const ids = Object.keys(evidence.calls).join('');
  const decided = evidence.decisions.length > 0;
  const state = turnState(turn);
  if (isTerminal(state) && turn.run === 'done') return `${state} ${ids} ${decided} ${alive.join('')}`;
  const { answered, waited, run, partial, failure } = turn;
  const { inferring, gating, again, executing, active, ports } = process;
  const flags = [answered, waited, partial !== null, active, ports, decided].map(Number).join('');
  const busy = [inferring ?? '-', gating, again, executing, alive].map(String).join('/');
  const rounds = turn.rounds.map(({ call_ids }) => call_ids.join('')).join('+');
  const calls = Object.entries(evidence.calls).map(([id, call]) => ofCall(id, call, turn.open.get(id)));
  return [run, flags, failure?.terminal_status, busy, rounds, ...calls].join(';');
}

function ofCall(id: string, evidence: CallEvidence, call: OpenCall | undefined): string {
  if (call === undefined) return id;
  const { state, results, say, ticket, denied, happened, again } = evidence;
  const { suspension, decision, approved } = call;
  const flags = [ticket, denied, happened, again, approved.length > 0, approved.some(isUnknown)]
    .map(Number)
    .join('');
  const question = suspension ?? (state === 'resuming' ? approved.at(-1) : undefined);
  const asked =
    question === undefined ? '' : `${question.reason} ${question.resume_mode} ${question.message}`;
  const said =
    decision === null
      ? ''
      : `${decision.action} ${decision.resume_mode} ${'result' in decision ? JSON.stringify(decision.result) : ''}`;
  return [id, call.state, state, results, say, flags, asked, said, call.process?.pid].join(',');
}

function isUnknown({ reason }: { readonly reason: string }): boolean {
  return reason === OUTCOME_UNKNOWN;
}
