import { isTerminal, pendingCalls, type TurnState } from '../turn.ts';
import { unreachable } from '../unreachable.ts';
import type { CallTrace } from './call-trace.ts';
import type { StepTrace, SubagentTrace, WorkflowTrace } from './child-traces.ts';
import { stateOf, type TurnTrace } from './turn-trace.ts';

/** Sentences that name the events which prove a state. A state without them is not shown as one. */

export function turnEvidence(trace: TurnTrace): readonly string[] {
  const state = stateOf(trace);
  return [
    `${proof(trace, state)}.`,
    `user_message at seq ${trace.turn.user_seq}, last event at seq ${trace.seqs.last}.`,
    ...usageEvidence(trace),
  ];
}

function proof(trace: TurnTrace, state: TurnState): string {
  const { seqs } = trace;
  switch (state) {
    case 'completed':
      return `Completed: assistant_message at ${at(seqs.answer)}, ${pairing(trace)}, none pending`;
    case 'failed':
      return `Failed: turn_failed at ${at(seqs.failed)} (${why(trace)}), ${pairing(trace)}`;
    case 'partial_failed':
      return `Stopped early: partial assistant_message at ${at(seqs.partial)}, turn_failed at ${at(seqs.failed)} (${why(trace)}), ${pairing(trace)}`;
    case 'interrupted':
      return `Interrupted: turn_failed at ${at(seqs.failed)} (${why(trace)}), ${keptText(trace)}, ${pairing(trace)}`;
    case 'timed_out':
      return `Timed out: turn_failed at ${at(seqs.failed)}, limit ${seconds(trace.timeout_ms)}, elapsed ${seconds(trace.elapsed_ms)}, ${keptText(trace)}, ${pairing(trace)}`;
    case 'waiting':
      return `Waiting: run_status at ${at(seqs.waiting)}; suspended: ${suspended(trace)}`;
    case 'running':
      return `Not ended: no clean answer and no turn_failed yet, ${pairing(trace)}`;
    default:
      return unreachable(state);
  }
}

function keptText({ seqs }: TurnTrace): string {
  return seqs.partial === null ? 'no text to keep' : `text kept as partial at ${at(seqs.partial)}`;
}

function pairing({ asked, paired }: TurnTrace): string {
  return asked === 0 ? 'no calls' : `${paired} of ${asked} calls paired`;
}

function why({ turn }: TurnTrace): string {
  return turn.failure === null ? 'unknown' : (turn.failure.interrupted_reason ?? turn.failure.error_kind);
}

function suspended({ turn, calls }: TurnTrace): string {
  return pendingCalls(turn)
    .map(({ call_id, name }) => {
      const call = calls.find((one) => one.call_id === call_id);
      return `${name} at ${at(call?.suspension?.seq ?? null)}`;
    })
    .join(', ');
}

function usageEvidence({ turn, requests }: TurnTrace): readonly string[] {
  if (requests.length === 0) return [];
  const many = requests.length === 1 ? '1 request' : `${requests.length} requests`;
  const tokens = turn.tokens === 0 ? '' : `, ${turn.tokens} tokens`;
  const files = new Set(turn.changes.map(({ path }) => path)).size;
  return [`${many}${tokens}${files === 0 ? '' : `, ${files === 1 ? '1 file' : `${files} files`} changed`}.`];
}

export function callEvidence(call: CallTrace): readonly string[] {
  const { result, suspension, permission, decision } = call;
  const lines = [
    `tool_call at seq ${call.seq}.`,
    permission === null
      ? ''
      : `permission_decision at seq ${permission.seq}: ${permission.what} (${permission.by}).`,
    suspension === null
      ? ''
      : `Suspended at seq ${suspension.seq} (${suspension.reason}): ${suspension.message}`,
    decision === null ? '' : `Decision at seq ${decision.seq}: ${decision.what} by ${decision.by}.`,
    call.started_seq === null ? 'It has not run.' : `Running since seq ${call.started_seq}.`,
    call.state_seq === call.seq ? '' : `${call.state} at seq ${call.state_seq}.`,
    result === null ? 'No tool_result yet.' : resultEvidence(result),
    ...call.files.map(({ seq, path }) => `file_change at seq ${seq}: ${path}.`),
  ];
  return lines.filter((line) => line !== '');
}

function resultEvidence({ seq, ok, kind, message, duration_ms }: NonNullable<CallTrace['result']>): string {
  const took = duration_ms === 0 ? '' : `, ${seconds(duration_ms)}`;
  if (ok) return `tool_result at seq ${seq}: ok${took}.`;
  return `tool_result at seq ${seq}: ${kind ?? 'error'}${took}${message === null ? '' : `. ${message}`}`;
}

export function subagentEvidence(child: SubagentTrace): readonly string[] {
  const lines = [
    `${child.status} by subagent_event at seq ${child.state_seq}, first at seq ${child.seq}.`,
    child.child_session_id === null ? '' : `Its own log: session ${child.child_session_id}.`,
    child.task === null ? '' : `Task: ${child.task}`,
    child.summary === null ? '' : `Summary: ${child.summary}`,
    child.reason === null ? '' : `Reason: ${child.reason}`,
    child.timeout_ms === null
      ? ''
      : `Limit ${seconds(child.timeout_ms)}, elapsed ${seconds(child.elapsed_ms)}.`,
    child.delivered_seq === null ? '' : `Delivered to the model at seq ${child.delivered_seq}.`,
  ];
  return lines.filter((line) => line !== '');
}

export function workflowEvidence(flow: WorkflowTrace): readonly string[] {
  const decided = flow.steps.filter(({ checkpoint_seq }) => checkpoint_seq !== null).length;
  const end =
    flow.finished_seq === null
      ? 'No workflow_finished yet'
      : `workflow_finished at seq ${flow.finished_seq}: ${flow.status}`;
  return [
    `${end}.`,
    `workflow_event at seq ${flow.seq}, ${decided} of ${flow.steps.length} steps with a checkpoint.`,
  ];
}

export function stepEvidence(step: StepTrace): readonly string[] {
  const checkpoint =
    step.checkpoint_seq === null ? 'No checkpoint yet.' : `Checkpoint decided at seq ${step.checkpoint_seq}.`;
  const summary = step.summary === null ? [] : [`Summary: ${step.summary}`];
  return [`${step.status} by workflow_event at seq ${step.state_seq}.`, checkpoint, ...summary];
}

/** What a turn that has ended leaves open is not under way any more. */
export function isSettledTurn(trace: TurnTrace): boolean {
  return isTerminal(stateOf(trace));
}

/** As people read it: tenths below ten seconds, then whole ones, then minutes. */
export function seconds(ms: number | null): string {
  if (ms === null) return 'unknown';
  if (ms < 50) return '<0.1 s';
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  if (whole < 60) return `${whole} s`;
  const rest = whole % 60;
  return rest === 0 ? `${Math.floor(whole / 60)} min` : `${Math.floor(whole / 60)} min ${rest} s`;
}

function at(seq: number | null): string {
  return seq === null ? 'no seq' : `seq ${seq}`;
}
