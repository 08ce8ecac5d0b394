import type { NextAction } from '../events.ts';
import { isFinal } from '../machines.ts';
import { pendingCalls, turnState } from '../turn.ts';
import { OUTCOME_UNKNOWN, WORKFLOW_HELD } from '../turn-calls.ts';
import { decideInChat } from './agent-actions.ts';
import type { CallTrace } from './call-trace.ts';
import { familyNodes, type Under } from './child-nodes.ts';
import { compactionNode } from './compaction-trace.ts';
import { callEvidence, isSettledTurn, turnEvidence } from './evidence.ts';
import { nameInWords } from './log-names.ts';
import { oneLine } from './one-line.ts';
import { callNodeState, isOpenState, type NodeState } from './node-state.ts';
import { joined, sentence, spanOf, told, type Words } from './spoken-words.ts';
import { node, type TreeNode } from './tree-node.ts';
import { stateOf, type DiagnosticTrace, type RequestTrace, type TurnTrace } from './turn-trace.ts';

export interface TurnPlace {
  readonly session_id: string;
  /** The one that can be tried again or continued. */
  readonly last: boolean;
  /** A live process has the log. Without one, nothing that is open is under way. */
  readonly live: boolean;
}

/** They are about the last message, whatever turn offers them. */
const ABOUT_LAST: ReadonlySet<string> = new Set(['ledgerline.retryTurn', 'ledgerline.continueTurn']);

/** Pure: a turn and all below it, itself first. */
export function turnNodes(trace: TurnTrace, place: TurnPlace): readonly TreeNode[] {
  const { turn_id, user_seq } = trace.turn;
  const id = `turn:${turn_id}`;
  const { session_id, live } = place;
  const under = { session_id, parent: id, turn_id, settled: isSettledTurn(trace), live };
  const below = [
    ...diagnosticNodes(trace.diagnostics, id, turn_id),
    ...trace.compactions.map((one) => compactionNode(one, under)),
    ...earlierCalls(trace, id),
    ...trace.calls.map((call) => callNode(call, trace.requests, under)),
    ...familyNodes(trace, under),
  ];
  const state = stateOf(trace);
  const shown: NodeState = state === 'running' && !place.live ? 'stale' : (waitsForOutcome(trace) ?? state);
  const self = node({
    id,
    parent: 'session',
    kind: 'turn',
    state: shown,
    label: trace.title === '' ? turn_id : trace.title,
    detail: turnDetail(trace),
    evidence: turnEvidence(trace),
    seq: user_seq,
    turn_id,
    request_at: beforeRequest(trace.requests.at(-1)),
    fork_at: endOf(trace),
    next_actions: turnActions(trace, place),
    children: below.filter(({ parent }) => parent === id).map((one) => one.id),
    open: place.last,
  });
  return [self, ...below];
}

function waitsForOutcome(trace: TurnTrace): NodeState | null {
  if (stateOf(trace) !== 'waiting') return null;
  const asked = pendingCalls(trace.turn).map(({ suspension }) => suspension?.reason);
  return asked.every((reason) => reason === 'outcome_unknown') ? 'outcome_unknown' : null;
}

function turnDetail(trace: TurnTrace): Words {
  const { failure } = trace.turn;
  switch (stateOf(trace)) {
    case 'running':
      return joined(trace.calls.filter(({ state }) => state === 'running').map(({ name }) => name));
    case 'waiting':
      return neededWords(pendingCalls(trace.turn).map(({ suspension }) => suspension?.reason ?? ''));
    case 'completed':
      return callCount(trace);
    case 'timed_out':
      return trace.timeout_ms === null ? '' : spanOf(trace.timeout_ms);
    case 'interrupted':
      return nameInWords(failure?.interrupted_reason ?? '');
    case 'failed':
    case 'partial_failed':
      return failure === null ? '' : failureWords(failure.error_message, failure.error_kind);
  }
}

function failureWords(message: string, kind: string): Words {
  const line = oneLine(message, 100);
  return line === '' ? nameInWords(kind) : told(line);
}

/** What a person is needed for, counted as the chat counts it. */
function neededWords(reasons: readonly string[]): Words {
  const questions = reasons.filter((reason) => reason === 'question' || reason === WORKFLOW_HELD).length;
  const unknown = reasons.filter((reason) => reason === OUTCOME_UNKNOWN).length;
  const approvals = reasons.length - questions - unknown;
  return joined([
    ...(approvals === 0
      ? []
      : [approvals === 1 ? sentence('1 approval') : sentence('{0} approvals', approvals)]),
    ...(questions === 0
      ? []
      : [questions === 1 ? sentence('1 question') : sentence('{0} questions', questions)]),
    ...(unknown === 0
      ? []
      : [unknown === 1 ? sentence('1 unknown outcome') : sentence('{0} unknown outcomes', unknown)]),
  ]);
}

function callCount({ asked }: TurnTrace): Words {
  return asked === 0 ? '' : asked === 1 ? sentence('1 call') : sentence('{0} calls', asked);
}

function turnActions(trace: TurnTrace, { last }: TurnPlace): readonly NextAction[] {
  const { turn_id, failure } = trace.turn;
  if (stateOf(trace) === 'waiting') return [decideInChat(turn_id)];
  return (failure?.next_actions ?? []).filter(({ command }) => last || !ABOUT_LAST.has(command));
}

/** Of one that is over: what is said of it later, as of an undo, is no part of it. */
function endOf({ turn, seqs }: TurnTrace): number {
  const end = turnState(turn) === 'completed' ? seqs.answer : seqs.failed;
  return end ?? seqs.last;
}

function earlierCalls({ asked, calls, turn }: TurnTrace, parent: string): readonly TreeNode[] {
  const missing = asked - calls.length;
  if (missing <= 0) return [];
  const label = missing === 1 ? sentence('1 earlier call') : sentence('{0} earlier calls', missing);
  const { turn_id, user_seq: seq } = turn;
  return [node({ id: `${parent}/earlier`, parent, kind: 'earlier_calls', state: 'ok', label, seq, turn_id })];
}

function callNode(call: CallTrace, requests: readonly RequestTrace[], under: Under): TreeNode {
  const { parent, turn_id } = under;
  const state = callState(call, under);
  const request = requests.find(({ stream_run_id }) => stream_run_id === call.stream_run_id);
  const waits = (state === 'waiting' || state === 'outcome_unknown') && turn_id !== null;
  return node({
    id: `${parent}/call:${call.call_id}`,
    parent,
    kind: 'call',
    state,
    label: call.subject === '' ? call.name : `${call.name} ${call.subject}`,
    detail: callDetail(call, state),
    evidence: callEvidence(call),
    seq: call.seq,
    turn_id,
    request_at: beforeRequest(request),
    fork_at: call.result?.seq ?? call.seq,
    next_actions: waits ? [decideInChat(turn_id)] : [],
  });
}

function callState(call: CallTrace, { settled, live }: Under): NodeState {
  if (call.result?.ok === false && call.result.kind === 'denied') return 'denied';
  if (call.result?.ok === false && call.result.kind === 'outcome_unknown') return 'outcome_unknown';
  if (isFinal(call.state)) return callNodeState(call.state, null);
  if (settled) return call.result === null ? 'interrupted' : call.result.ok ? 'completed' : 'failed';
  const state = callNodeState(call.state, call.suspension?.reason ?? null);
  return isOpenState(state) && !live ? 'stale' : state;
}

function callDetail({ result, suspension }: CallTrace, state: NodeState): Words {
  if (state === 'waiting') return nameInWords(suspension?.reason ?? '');
  if (result === null) return '';
  if (result.ok) return result.duration_ms === 0 ? '' : spanOf(result.duration_ms);
  return state === 'failed' || state === 'cancelled' ? nameInWords(result.kind ?? '') : '';
}

export function diagnosticNodes(
  diagnostics: readonly DiagnosticTrace[],
  parent: string,
  turn_id: string | null,
): readonly TreeNode[] {
  return diagnostics.map(({ seq, code, message, next_actions }) =>
    node({
      id: `${parent}/diagnostic:${seq}`,
      parent,
      kind: 'diagnostic',
      state: 'attention',
      label: told(message),
      detail: code,
      evidence: [told(message), sentence('Recorded at seq {0} ({1}).', seq, code)],
      seq,
      fork_at: seq,
      turn_id,
      next_actions,
    }),
  );
}

function beforeRequest(request: RequestTrace | undefined): number | null {
  return request === undefined ? null : request.first_seq - 1;
}
