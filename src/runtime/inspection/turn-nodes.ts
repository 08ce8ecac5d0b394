import type { NextAction } from '../events.ts';
import { isFinal } from '../machines.ts';
import { pendingCalls } from '../turn.ts';
import { OUTCOME_UNKNOWN } from '../turn-calls.ts';
import type { CallTrace } from './call-trace.ts';
import type { SubagentTrace, WorkflowTrace } from './child-traces.ts';
import { compactionNode } from './compaction-trace.ts';
import {
  callEvidence,
  isSettledTurn,
  seconds,
  stepEvidence,
  subagentEvidence,
  turnEvidence,
  workflowEvidence,
} from './evidence.ts';
import { nameInWords } from './log-names.ts';
import { oneLine } from './one-line.ts';
import { callNodeState, isOpenState, type NodeState } from './node-state.ts';
import { joined, sentence, told, type Words } from './spoken-words.ts';
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
  const under = { parent: id, turn_id, settled: isSettledTurn(trace), live: place.live };
  const below = [
    ...diagnosticNodes(trace.diagnostics, id, turn_id),
    ...trace.compactions.map((one) => compactionNode(one, under)),
    ...earlierCalls(trace, id),
    ...trace.calls.map((call) => callNode(call, trace.requests, under)),
    ...trace.subagents.map((child) => subagentNode(child, under)),
    ...trace.workflows.flatMap((flow) => workflowNodes(flow, under)),
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
      return trace.timeout_ms === null ? '' : seconds(trace.timeout_ms);
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
  const questions = reasons.filter((reason) => reason === 'question').length;
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
  if (stateOf(trace) === 'waiting') return [decide(turn_id)];
  return (failure?.next_actions ?? []).filter(({ command }) => last || !ABOUT_LAST.has(command));
}

function decide(turn_id: string): NextAction {
  const args = [{ what: 'decision', turn_id }];
  return { label: 'Decide in chat', command: 'ledgerline.revealInChat', args };
}

interface Under {
  readonly parent: string;
  readonly turn_id: string | null;
  /** What is above it has ended. */
  readonly settled: boolean;
  readonly live: boolean;
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
    next_actions: waits ? [decide(turn_id)] : [],
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
  if (result.ok) return result.duration_ms === 0 ? '' : seconds(result.duration_ms);
  return state === 'failed' || state === 'cancelled' ? nameInWords(result.kind ?? '') : '';
}

function openOr(state: NodeState, { settled, live }: Under): NodeState {
  return isOpenState(state) && (settled || !live) ? 'stale' : state;
}

export function subagentNode(child: SubagentTrace, under: Under): TreeNode {
  const { parent, turn_id } = under;
  return node({
    id: `${parent}/subagent:${child.subagent_id}`,
    parent,
    kind: 'subagent',
    state: openOr(child.state, under),
    label: child.task ?? child.subagent_id,
    detail: child.state === 'unknown' ? child.status : (child.agent ?? ''),
    evidence: subagentEvidence(child),
    seq: child.state_seq,
    turn_id,
    next_actions: child.next_actions,
  });
}

export function workflowNodes(flow: WorkflowTrace, under: Under): readonly TreeNode[] {
  const { parent, turn_id } = under;
  const id = `${parent}/workflow:${flow.workflow_id}`;
  const over = { ...under, parent: id, settled: under.settled || flow.finished_seq !== null };
  const steps = flow.steps.map((step) =>
    node({
      id: `${id}/step:${step.step_id}`,
      parent: id,
      kind: 'step',
      state: openOr(step.state, over),
      label: step.step_id,
      detail: step.status,
      evidence: stepEvidence(step),
      seq: step.state_seq,
      turn_id,
    }),
  );
  const self = node({
    id,
    parent,
    kind: 'workflow',
    state: openOr(flow.state, under),
    label: flow.name ?? flow.workflow_id,
    detail: flow.steps.length === 1 ? sentence('1 step') : sentence('{0} steps', flow.steps.length),
    evidence: workflowEvidence(flow),
    seq: flow.state_seq,
    turn_id,
    next_actions: flow.next_actions,
    children: steps.map((step) => step.id),
    open: flow.finished_seq === null,
  });
  return [self, ...steps];
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
      turn_id,
      next_actions,
    }),
  );
}

function beforeRequest(request: RequestTrace | undefined): number | null {
  return request === undefined ? null : request.first_seq - 1;
}
