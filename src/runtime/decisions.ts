import {
  draft,
  type CommandProcess,
  type Draft,
  type EventData,
  type ResumeMode,
  type Suspension,
} from './events.ts';
import { answerFault } from './answer-fault.ts';
import { OUTCOME_UNKNOWN, targetOf, type OpenCall } from './turn-calls.ts';
import { isTerminal, pendingCalls, turnState, type Turn } from './turn.ts';

/** A decision as it comes in: nothing of it is believed yet. */
export interface Decision {
  readonly decision_id: string;
  readonly target_id: string;
  readonly action: string;
  readonly resume_mode?: ResumeMode | undefined;
  /** Wrapped, because any value is a payload: also `null`. */
  readonly payload?: { readonly result: unknown } | undefined;
  readonly reason?: string | undefined;
  readonly remember?: unknown;
}

export type DecisionVerdict =
  | {
      readonly kind: 'record';
      readonly draft: Draft;
      readonly call: OpenCall;
      readonly remembered: Remembered | null;
    }
  | { readonly kind: 'duplicate'; readonly call_id: string | null }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Rules that "always" stands for, as the question showed them. */
export interface Remembered {
  readonly decision: 'allow' | 'deny';
  readonly rules: readonly string[];
}

export interface PastDecision {
  readonly call_id: string | null;
  readonly target_id: string;
  readonly action: string;
}

/** A decision on record, by its id. */
export function pastDecision(data: EventData['tool_call_decision']): readonly [string, PastDecision] {
  const { decision_id, call_id = null, target_id, action } = data;
  return [decision_id, { call_id, target_id, action }];
}

/** What the session knows of decisions and calls beside its last turn. */
export interface DecisionHistory {
  /** What a decision of that id was, where one is on record. */
  decided(decisionId: string): PastDecision | undefined;
  knowsCall(callId: string): boolean;
}

/** Pure: what becomes of a decision. Only an explicit `resume` approves, and nothing is approved twice. */
export function checkDecision(
  turn: Turn | null,
  decision: Decision,
  history: DecisionHistory,
): DecisionVerdict {
  const { decision_id, target_id, action, reason } = decision;
  const known = history.decided(decision_id);
  if (known !== undefined) return repeated(turn, decision, known);
  if (action !== 'resume' && action !== 'cancel')
    return refused(
      'unknown_action',
      `The action is ${JSON.stringify(action)}; only "resume" and "cancel" decide.`,
    );
  const call = turn === null || isTerminal(turnState(turn)) ? undefined : targetOf(turn, target_id);
  if (turn === null || call === undefined) {
    return history.knowsCall(target_id)
      ? refused('already_settled', `The call ${target_id} has its result already.`)
      : refused('unknown_target', `Nothing waits for a decision under ${target_id}.`);
  }
  if (
    call.decision !== null ||
    call.state === 'resuming' ||
    (call.state === 'running' && call.approved.length > 0)
  )
    return refused('already_decided', `${call.name} has been decided already.`);
  if (call.result !== 'none') return refused('already_settled', `${call.name} has its result already.`);
  const remembered = rememberedBy(decision, call.suspension);
  if (remembered === 'unknown')
    return refused('unknown_rule', 'Only the rules that the question showed can be remembered.');
  const mode = action === 'cancel' ? null : chosenMode(decision, call.suspension);
  if (mode !== null && 'code' in mode) return mode;
  return {
    kind: 'record',
    call,
    remembered,
    draft: draft('tool_call_decision', {
      turn_id: turn.turn_id,
      call_id: call.call_id,
      decision_id,
      target_id,
      action,
      decided_by: 'user',
      ...(mode === null ? {} : mode),
      ...(decision.payload === undefined ? {} : { result: decision.payload.result }),
      ...(reason === undefined || reason.trim() === '' ? {} : { reason }),
      ...(remembered === null ? {} : { rule: remembered.rules.join(', ') }),
    }),
  };
}

/** The same again changes nothing; the same id for something else is a mistake that must not pass for an answer. */
function repeated(
  turn: Turn | null,
  { decision_id, target_id, action }: Decision,
  past: PastDecision,
): DecisionVerdict {
  const now = turn === null ? undefined : targetOf(turn, target_id);
  const isSame = past.target_id === target_id || (now !== undefined && now.call_id === past.call_id);
  if (!isSame || past.action !== action)
    return refused('decision_id_reused', `The decision ${decision_id} has been made about something else.`);
  const call = past.call_id === null ? now : turn?.open.get(past.call_id);
  if (call?.state === 'suspended' && call.decision === null)
    return refused(
      'asked_again',
      `${call.name} was asked again since, as ${call.suspension?.id ?? call.call_id}.`,
    );
  return { kind: 'duplicate', call_id: past.call_id };
}

type Refusal = Extract<DecisionVerdict, { kind: 'refused' }>;

function refused(code: string, message: string): Refusal {
  return { kind: 'refused', code, message: `${message} Nothing was changed.` };
}

/** An early decision has no question yet, so it is checked against none. */
function chosenMode(
  { resume_mode, payload }: Decision,
  suspension: Suspension | null,
): { readonly resume_mode?: ResumeMode } | Refusal {
  if (suspension === null) return resume_mode === undefined ? {} : { resume_mode };
  // What is known of an outcome is only ever told by saying so: a payload means that it is the result.
  const told =
    suspension.reason === OUTCOME_UNKNOWN && payload !== undefined ? 'use_decision_as_result' : undefined;
  const mode = resume_mode ?? told ?? suspension.resume_mode;
  if (mode !== suspension.resume_mode && !(suspension.resume_modes ?? []).includes(mode))
    return refused('bad_resume_mode', `This cannot be resumed with ${mode}.`);
  if (mode === 'replay_tool_call' && payload !== undefined && saysNo(payload.result))
    return refused(
      'contradictory_decision',
      `The action is "resume", but its result is ${JSON.stringify(payload.result)}. Send "resume" without a result to approve, or "cancel" to deny.`,
    );
  if (mode === 'use_decision_as_result' && payload === undefined && suspension.reason !== OUTCOME_UNKNOWN)
    return refused('missing_result', 'This waits for an answer, and the decision has no result.');
  const fault = payload === undefined ? null : wrongAnswer(mode, suspension, payload.result);
  if (fault !== null) return refused('invalid_answer', fault);
  return mode === suspension.resume_mode ? {} : { resume_mode: mode };
}

/** Why a result cannot be the answer to a question; null where it can, or is none. */
export function wrongAnswer(
  mode: ResumeMode,
  { reason, response_schema }: Suspension,
  result: unknown,
): string | null {
  if (mode !== 'use_decision_as_result') return null;
  // Whatever a person knows of an outcome is taken, but not nothing, and no is not done.
  if (reason === OUTCOME_UNKNOWN && !isNothing(result) && !saysNo(result)) return null;
  return answerFault(response_schema, result);
}

function isNothing(result: unknown): boolean {
  return result === null || (typeof result === 'object' && Object.keys(result).length === 0);
}

/** The action decides: a result that says nothing is none. One that plainly says no contradicts a `resume`. */
export function saysNo(result: unknown): boolean {
  if (result === false || result === 0) return true;
  if (Array.isArray(result)) return result.length === 0;
  return typeof result === 'object' && result !== null && 'approved' in result && result.approved === false;
}

function rememberedBy(
  { action, remember }: Decision,
  suspension: Suspension | null,
): Remembered | 'unknown' | null {
  if (remember === undefined || remember === null || remember === false) return null;
  const decision = action === 'resume' ? 'allow' : 'deny';
  const rules = rulesIn(suspension?.parameters, decision === 'allow' ? 'always' : 'never');
  const wanted = remember === true ? rules : Array.isArray(remember) ? remember : [remember];
  return rules.length > 0 && wanted.length === rules.length && wanted.every((rule) => rules.includes(rule))
    ? { decision, rules }
    : 'unknown';
}

function rulesIn(parameters: unknown, key: 'always' | 'never'): readonly unknown[] & readonly string[] {
  if (typeof parameters !== 'object' || parameters === null || !(key in parameters)) return [];
  const rules: unknown = Object.getOwnPropertyDescriptor(parameters, key)?.value;
  return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [];
}

/** When a decided call can go on. */
export interface ResumeRules {
  /** None of a round goes on before all of it is decided. */
  readonly batch: boolean;
  readonly isAlive: (process: CommandProcess) => boolean;
}

/** Pure but for the processes it looks at: the calls whose decision can be carried out now, oldest first. */
export function decidedCalls(turn: Turn, { batch, isAlive }: ResumeRules): readonly OpenCall[] {
  return pendingCalls(turn).filter(
    (call) => call.decision !== null && !isHeldBack(turn, call, batch) && !waitsForProcess(call, isAlive),
  );
}

/** In a batch, by a call of the same round that is not decided yet, or may still come to be asked about. */
function isHeldBack(turn: Turn, { stream_run_id }: OpenCall, batch: boolean): boolean {
  return (
    batch &&
    [...turn.open.values()].some((other) => other.stream_run_id === stream_run_id && isOpenEnded(other))
  );
}

function isOpenEnded({ state, decision, approved }: OpenCall): boolean {
  if (state === 'suspended') return decision === null;
  return (state === 'new' || state === 'running') && approved.length === 0;
}

/** Running a command again waits for the end of what is left of the first time. */
function waitsForProcess(call: OpenCall, isAlive: ResumeRules['isAlive']): boolean {
  const { decision, suspension, process } = call;
  if (suspension?.reason !== OUTCOME_UNKNOWN || decision?.action !== 'resume' || process === null)
    return false;
  return modeOf(call) !== 'use_decision_as_result' && isAlive(process);
}

const MODES: readonly ResumeMode[] = ['replay_tool_call', 'use_decision_as_result', 'pass_decision_to_tool'];

/** How a decided call goes on. A log may have a mode of a later version: the call then runs as it was asked for. */
export function modeOf({ decision, suspension }: OpenCall): ResumeMode {
  const told = decision?.resume_mode ?? suspension?.resume_mode;
  return MODES.find((mode) => mode === told) ?? 'replay_tool_call';
}
