import { isTerminal, pendingCalls, type TurnState } from '../turn.ts';
import { APPROVAL, OUTCOME_UNKNOWN, WORKFLOW_HELD } from '../turn-calls.ts';
import { unreachable } from '../unreachable.ts';
import type { CallTrace } from './call-trace.ts';
import { deciderInWords, nameInWords } from './log-names.ts';
import { joined, sentence, spanOf, told, type Words } from './spoken-words.ts';
import { stateOf, type TurnTrace } from './turn-trace.ts';

/** Sentences that name the events which prove a state. A state without them is not shown as one. */

export function turnEvidence(trace: TurnTrace): readonly Words[] {
  const state = stateOf(trace);
  return [
    proof(trace, state),
    ...reasonOf(trace, state),
    sentence('Message at seq {0}, last event at seq {1}.', trace.turn.user_seq, trace.seqs.last),
    ...usageEvidence(trace),
  ];
}

function proof(trace: TurnTrace, state: TurnState): Words {
  const { seqs } = trace;
  const calls = pairing(trace);
  switch (state) {
    case 'completed':
      return sentence('Completed: answer at seq {0}, {1}, none pending.', known(seqs.answer), calls);
    case 'failed':
      return sentence('Failed at seq {0}, {1}.', known(seqs.failed), calls);
    case 'partial_failed':
      return sentence(
        'Stopped early: partial answer at seq {0}, failure at seq {1}, {2}.',
        known(seqs.partial),
        known(seqs.failed),
        calls,
      );
    case 'interrupted':
      return sentence('Interrupted at seq {0}, {1}, {2}.', known(seqs.failed), keptText(trace), calls);
    case 'timed_out':
      return sentence(
        'Timed out at seq {0}: limit {1}, elapsed {2}, {3}, {4}.',
        known(seqs.failed),
        spanOf(trace.timeout_ms),
        spanOf(trace.elapsed_ms),
        keptText(trace),
        calls,
      );
    case 'waiting':
      return sentence('Waiting since seq {0}: {1}.', known(seqs.waiting), suspended(trace));
    case 'running':
      return sentence('Not ended: no complete answer and no failure yet, {0}.', calls);
    default:
      return unreachable(state);
  }
}

function reasonOf({ turn: { failure } }: TurnTrace, state: TurnState): readonly Words[] {
  if (failure === null || state === 'timed_out') return [];
  const { interrupted_reason, error_kind, error_message } = failure;
  if (interrupted_reason !== undefined) return [sentence('Reason: {0}', nameInWords(interrupted_reason))];
  return [sentence('Reason: {0}', error_message === '' ? nameInWords(error_kind) : told(error_message))];
}

function keptText({ seqs }: TurnTrace): Words {
  return seqs.partial === null
    ? sentence('no text to keep')
    : sentence('text kept as partial at seq {0}', seqs.partial);
}

function pairing({ asked, paired }: TurnTrace): Words {
  return asked === 0 ? sentence('no calls') : sentence('{0} of {1} calls have their result', paired, asked);
}

function suspended({ turn, calls }: TurnTrace): Words {
  return joined(
    pendingCalls(turn).map(({ call_id, name, suspension }) => {
      const seq = known(calls.find((one) => one.call_id === call_id)?.suspension?.seq ?? null);
      switch (suspension?.reason ?? '') {
        case APPROVAL:
          return sentence('approval of {0} (seq {1})', name, seq);
        case 'question':
        case WORKFLOW_HELD:
          return sentence('answer to a question (seq {0})', seq);
        case OUTCOME_UNKNOWN:
          return sentence('outcome of {0} (seq {1})', name, seq);
        default:
          return joined([name, sentence('(seq {0})', seq)], ' ');
      }
    }),
  );
}

function usageEvidence({ turn, requests }: TurnTrace): readonly Words[] {
  if (requests.length === 0) return [];
  const files = new Set(turn.changes.map(({ path }) => path)).size;
  const parts = [
    requests.length === 1 ? sentence('1 request') : sentence('{0} requests', requests.length),
    ...(turn.tokens === 0 ? [] : [sentence('{0} tokens', { count: turn.tokens })]),
    ...(files === 0 ? [] : [files === 1 ? sentence('1 file changed') : sentence('{0} files changed', files)]),
  ];
  return [joined([joined(parts), ''], '.')];
}

export function callEvidence(call: CallTrace): readonly Words[] {
  const { result, suspension, permission, decision } = call;
  return [
    sentence('Called at seq {0}.', call.seq),
    ...(permission === null ? [] : [sentence('Permission at seq {0}: {1} ({2}).', ...verdict(permission))]),
    ...(suspension === null
      ? []
      : [
          sentence(
            'Waiting since seq {0} ({1}): {2}',
            suspension.seq,
            nameInWords(suspension.reason),
            told(suspension.message),
          ),
        ]),
    ...(decision === null ? [] : [sentence('Decision at seq {0}: {1} ({2}).', ...verdict(decision))]),
    call.started_seq === null
      ? sentence('It has not run.')
      : sentence('Started at seq {0}.', call.started_seq),
    ...(call.state_seq === call.seq ? [] : [stateSince(call.state_seq, call.state)]),
    result === null ? sentence('No result yet.') : resultEvidence(result),
    ...call.files.map(({ seq, path }) => sentence('Change at seq {0}: {1}.', seq, path)),
  ];
}

function verdict({ seq, what, by }: NonNullable<CallTrace['permission']>): readonly Words[] {
  return [seq, nameInWords(what), deciderInWords(by)];
}

function resultEvidence({ seq, ok, kind, message, duration_ms }: NonNullable<CallTrace['result']>): Words {
  const end = ok ? sentence('ok') : nameInWords(kind ?? 'failed');
  const outcome = joined([end, ...(duration_ms === 0 ? [] : [spanOf(duration_ms)])]);
  return message === null
    ? sentence('Result at seq {0}: {1}.', seq, outcome)
    : sentence('Result at seq {0}: {1}. {2}', seq, outcome, told(message));
}

function stateSince(seq: number, state: string): Words {
  return sentence('State since seq {0}: {1}.', seq, nameInWords(state));
}

/** What a turn that has ended leaves open is not under way any more. */
export function isSettledTurn(trace: TurnTrace): boolean {
  return isTerminal(stateOf(trace));
}

function known(seq: number | null): Words {
  return seq ?? sentence('unknown');
}
