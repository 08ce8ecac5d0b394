import type { CommandProcess, EventData, KnownEvent, Suspension } from './events.ts';
import { canMoveCall, isFinal, type CallState } from './machines.ts';

/** What was decided about a call. */
export type CallDecision = Omit<
  EventData['tool_call_decision'],
  'turn_id' | 'client_turn_id' | 'stream_run_id'
>;

/** A call of the turn that is not settled yet: settled means a final state and a result. */
export interface OpenCall {
  readonly call_id: string;
  readonly name: string;
  readonly args: string;
  readonly stream_run_id: string;
  readonly state: CallState;
  readonly result: 'none' | 'ok' | 'error';
  readonly suspension: Suspension | null;
  /** The event that suspended it: one more name of what is pending. */
  readonly pending_id: string | null;
  /** On record and not carried out yet: it may be early, or wait for others. */
  readonly decision: CallDecision | null;
  /** Questions about it that a person has answered with `resume`. */
  readonly approved: readonly Suspension[];
  /** It has run, at least a little: what it did then is not undone by what becomes of it. */
  readonly started: boolean;
  /** The process of the command that it started last. */
  readonly process: CommandProcess | null;
}

/** One response that asked for calls, for the stop conditions. */
export interface Round {
  readonly stream_run_id: string;
  readonly call_ids: readonly string[];
  /** Names and arguments, in order. */
  readonly signature: readonly string[];
  readonly settled: number;
  readonly failed: number;
}

/** What a turn knows of its calls. */
export interface TurnCalls {
  readonly open: ReadonlyMap<string, OpenCall>;
  /** The last rounds, oldest first; as many as the stop conditions look at. */
  readonly rounds: readonly Round[];
  /** Names of the calls that succeeded, the last few. */
  readonly completed_calls: readonly string[];
}

export const NO_CALLS: TurnCalls = { open: new Map(), rounds: [], completed_calls: [] };

/** What one more event changes of the calls, or what is wrong with the event. */
export type CallsAfter = Partial<TurnCalls> | { readonly violation: string };

/** The reason of a suspension that asks for permission. */
export const APPROVAL = 'approval';

/** The reason of a suspension that stands for a call cut off while it had effects. */
export const OUTCOME_UNKNOWN = 'outcome_unknown';
/** Asked by a workflow that cannot go on by itself. */
export const WORKFLOW_HELD = 'workflow_held';

const ROUNDS_KEPT = 6;
const COMPLETED_KEPT = 12;

export function afterCall(calls: TurnCalls, data: EventData['tool_call']): CallsAfter {
  const { call_id, name, args, stream_run_id } = data;
  if (calls.rounds.some((round) => round.call_ids.includes(call_id)) || calls.open.has(call_id))
    return { violation: `second call ${call_id}` };
  const call: OpenCall = {
    call_id,
    name,
    args,
    stream_run_id,
    state: 'new',
    result: 'none',
    suspension: null,
    pending_id: null,
    decision: null,
    approved: [],
    started: false,
    process: null,
  };
  const last = calls.rounds.at(-1);
  const mark = `${name}\u0000${args}`;
  const rounds =
    last?.stream_run_id === stream_run_id
      ? [
          ...calls.rounds.slice(0, -1),
          { ...last, call_ids: [...last.call_ids, call_id], signature: [...last.signature, mark] },
        ]
      : [
          ...calls.rounds.slice(1 - ROUNDS_KEPT),
          { stream_run_id, call_ids: [call_id], signature: [mark], settled: 0, failed: 0 },
        ];
  return { rounds, open: new Map(calls.open).set(call_id, call) };
}

export function afterResult(calls: TurnCalls, data: EventData['tool_result']): CallsAfter {
  const call = calls.open.get(data.call_id);
  if (call === undefined) return { violation: `result of unknown or settled call ${data.call_id}` };
  if (call.result !== 'none') return { violation: `second result of call ${data.call_id}` };
  const at = calls.rounds.findLastIndex((round) => round.call_ids.includes(data.call_id));
  const round = calls.rounds[at];
  // What a person denied did not go wrong: they are steering.
  const failed = data.ok || data.error?.kind === 'denied' ? 0 : 1;
  const settled = { settled: (round?.settled ?? 0) + 1, failed: (round?.failed ?? 0) + failed };
  const rounds = round === undefined ? calls.rounds : calls.rounds.with(at, { ...round, ...settled });
  const completed_calls = data.ok
    ? [...calls.completed_calls.slice(1 - COMPLETED_KEPT), call.name]
    : calls.completed_calls;
  const open = openWith(calls, { ...call, result: data.ok ? 'ok' : 'error' });
  return { rounds, completed_calls, open };
}

export function afterStatus(calls: TurnCalls, { id, data }: KnownEvent<'tool_call_status'>): CallsAfter {
  const call = calls.open.get(data.call_id);
  if (call === undefined) return { violation: `status of unknown or settled call ${data.call_id}` };
  const { state } = call;
  if (state !== data.from || !canMoveCall(state, data.to))
    return { violation: `call ${data.call_id}: ${state} -> ${data.to}` };
  const suspension = data.to === 'suspended' ? (data.suspension ?? null) : null;
  const open = openWith(calls, {
    ...call,
    state: data.to,
    suspension,
    pending_id: data.to === 'suspended' ? id : null,
    decision: decisionAfter(call, data.to, suspension),
    approved:
      data.to === 'resuming' && call.suspension !== null && !isByRule(call.decision)
        ? [...call.approved, call.suspension]
        : call.approved,
    started: call.started || data.to === 'running',
    process: data.process ?? call.process,
  });
  return { open };
}

/**
 * A decision is used up once its call goes on. An early one waits for the suspension, but never for one that
 * nobody could have had in mind: that the outcome is unknown.
 */
function decisionAfter(call: OpenCall, to: CallState, suspension: Suspension | null): CallDecision | null {
  switch (call.state) {
    case 'new':
    case 'running':
      return suspension?.reason === OUTCOME_UNKNOWN ? null : call.decision;
    case 'suspended':
      return call.decision;
    case 'resuming':
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return null;
  }
}

/** A rule that came to allow it decided, and no person. */
export function isByRule(decision: CallDecision | null): boolean {
  return decision?.decided_by === 'rule';
}

/** The first decision counts. */
export function afterDecision(calls: TurnCalls, data: EventData['tool_call_decision']): CallsAfter {
  const call = data.call_id === undefined ? targetOf(calls, data.target_id) : calls.open.get(data.call_id);
  if (call === undefined || call.decision !== null) return {};
  return { open: openWith(calls, { ...call, decision: data }) };
}

/** The open call that a decision names: by itself, by its suspension or by the event that suspended it. */
export function targetOf(calls: TurnCalls, targetId: string): OpenCall | undefined {
  const named = calls.open.get(targetId);
  if (named !== undefined) return named;
  return [...calls.open.values()].find(
    ({ suspension, pending_id }) => suspension?.id === targetId || pending_id === targetId,
  );
}

function openWith(calls: TurnCalls, call: OpenCall): TurnCalls['open'] {
  const open = new Map(calls.open);
  if (isFinal(call.state) && call.result !== 'none') open.delete(call.call_id);
  else open.set(call.call_id, call);
  return open;
}
