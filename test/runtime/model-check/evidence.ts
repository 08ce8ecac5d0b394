import type { KnownEvent } from '../../../src/runtime/events.ts';

/** The tables of the contract, written down a second time: what is checked must not be its own judge. */
const CALL_MOVES: Readonly<Record<string, readonly string[]>> = {
  new: ['running', 'suspended', 'failed', 'cancelled'],
  running: ['suspended', 'succeeded', 'failed', 'cancelled'],
  suspended: ['resuming', 'cancelled'],
  resuming: ['running', 'suspended', 'succeeded', 'failed', 'cancelled'],
};
const RUN_MOVES: Readonly<Record<string, readonly string[]>> = {
  running: ['waiting', 'done'],
  waiting: ['running', 'done'],
};
const FINAL = ['succeeded', 'failed', 'cancelled'];
const NO_EFFECT = /had no effect|did not run(?! again)/;

/** What is known of one call from raw events and from what was done, without any fold of the runtime. */
export interface CallEvidence {
  readonly round: string;
  readonly state: string;
  readonly results: number;
  readonly ok: boolean;
  /** Of the last time it was suspended. */
  readonly suspension_id: string | null;
  /** It went on, and is asked about again: what was decided with it does not wait for that. */
  readonly again: boolean;
  /** What a person said about it and nothing has come of yet. */
  readonly say: 'resume' | 'cancel' | null;
  /** One more run of it is covered: by the gate when it is new, by a person's `resume` later. */
  readonly ticket: boolean;
  /** A person said no to what they were asked. */
  readonly denied: boolean;
  /** How often its tool was started. */
  readonly runs: number;
  readonly happened: boolean;
}

export interface Evidence {
  readonly calls: Readonly<Record<string, CallEvidence>>;
  readonly decisions: readonly string[];
  readonly run: string;
  /** Since the last response. */
  readonly waited: boolean;
  readonly answered: boolean;
  readonly failed: string | null;
  /** Streams of which the text so far is kept. */
  readonly partial: readonly string[];
}

export const NO_EVIDENCE: Evidence = {
  calls: {},
  decisions: [],
  run: 'running',
  waited: false,
  answered: false,
  failed: null,
  partial: [],
};

export interface Rules {
  readonly batch: boolean;
}

/** Pure: the evidence after one more durable event; throws what is broken by it. */
export function witness(evidence: Evidence, event: KnownEvent, rules: Rules): Evidence {
  if (evidence.run === 'done') return broken(`${event.type} after the run was done`);
  switch (event.type) {
    case 'tool_call':
      return afterCall(evidence, event.data);
    case 'tool_call_status':
      return afterMove(evidence, event.data, rules);
    case 'tool_result':
      return afterResult(evidence, event.data);
    case 'tool_call_decision':
      return afterDecision(evidence, event.data);
    case 'permission_decision': {
      const { call_id, decision } = event.data;
      const call = evidence.calls[call_id];
      if (call === undefined) return broken(`permission for unknown ${call_id}`);
      const fresh = call.state === 'new' && decision === 'allow';
      return withCall(evidence, call_id, { ticket: fresh || (call.ticket && decision === 'allow') });
    }
    case 'assistant_message': {
      const { metadata, text, stream_run_id, pending_calls = [] } = event.data;
      const asked = Object.values(evidence.calls).some(({ round }) => round === stream_run_id);
      // The request behind it had a placeholder for these: it is the last word only while they are pending.
      const stale = pending_calls.some((id) => evidence.calls[id]?.results !== 0);
      if (metadata.partial) return { ...evidence, partial: [...evidence.partial, stream_run_id] };
      return { ...evidence, answered: !asked && !stale && text.trim() !== '' };
    }
    case 'provider_usage':
      return { ...evidence, waited: false };
    case 'turn_failed':
      if (evidence.failed !== null || stateOf(evidence) === 'completed')
        return broken('a turn that had ended failed');
      return { ...evidence, failed: event.data.terminal_status };
    case 'run_status':
      return afterRun(evidence, event.data.status);
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'user_message':
    case 'reasoning':
    case 'file_change':
    case 'interruption_note':
    case 'skill_activation':
    case 'history_compaction':
    case 'branch_summary':
    case 'subagent_event':
    case 'workflow_event':
    case 'diagnostic':
      return evidence;
  }
}

/** A tool starts to run. */
export function started(evidence: Evidence, callId: string): Evidence {
  const call = evidence.calls[callId];
  if (call === undefined || call.state !== 'running') return broken(`${callId} runs unannounced`);
  if (!call.ticket) return broken(`${callId} runs without anybody's say`);
  if (call.denied) return broken(`${callId} runs though it was denied`);
  return withCall(evidence, callId, { ticket: false, runs: call.runs + 1 });
}

export function happened(evidence: Evidence, callId: string): Evidence {
  return withCall(evidence, callId, { happened: true });
}

/** A request leaves. */
export function asked(evidence: Evidence): Evidence {
  const pending = Object.values(evidence.calls).filter(({ state }) => state === 'suspended');
  if (evidence.waited && pending.length > 0) return broken('infers though it waited and waits still');
  const last = Object.values(evidence.calls).at(-1)?.round;
  const round = Object.values(evidence.calls).filter((call) => call.round === last);
  const all = round.length > 0 && round.every(({ state }) => state === 'suspended');
  return all ? broken('infers with a whole round pending') : evidence;
}

/** What was shown of an answer that was cut off is in the log. */
export function kept({ partial }: Evidence, stream: string): void {
  if (partial.filter((known) => known === stream).length !== 1)
    broken(`what was shown of ${stream} is not kept`);
}

export function isSettled({ state, results }: CallEvidence): boolean {
  return FINAL.includes(state) && results > 0;
}

/** The turn's state by the table of the contract. */
export function stateOf({ calls, failed, answered, run }: Evidence): string {
  if (failed !== null) return failed;
  const all = Object.values(calls);
  if (answered && all.every(isSettled)) return 'completed';
  return run === 'waiting' && all.some(({ state }) => state === 'suspended') ? 'waiting' : 'running';
}

export class Broken extends Error {
  override readonly name = 'Broken';
}

export function broken(how: string): never {
  throw new Broken(how);
}

function withCall(evidence: Evidence, id: string, change: Partial<CallEvidence>): Evidence {
  const call = evidence.calls[id];
  if (call === undefined) return broken(`unknown call ${id}`);
  return { ...evidence, calls: { ...evidence.calls, [id]: { ...call, ...change } } };
}

function afterCall(
  evidence: Evidence,
  { call_id, stream_run_id }: KnownEvent<'tool_call'>['data'],
): Evidence {
  if (evidence.calls[call_id] !== undefined) return broken(`${call_id} twice`);
  const call: CallEvidence = {
    round: stream_run_id,
    state: 'new',
    results: 0,
    ok: false,
    suspension_id: null,
    again: false,
    say: null,
    ticket: false,
    denied: false,
    runs: 0,
    happened: false,
  };
  return { ...evidence, answered: false, calls: { ...evidence.calls, [call_id]: call } };
}

function afterMove(evidence: Evidence, data: KnownEvent<'tool_call_status'>['data'], rules: Rules): Evidence {
  const { call_id, from, to, suspension } = data;
  const call = evidence.calls[call_id];
  if (call === undefined) return broken(`move of unknown ${call_id}`);
  if (call.state !== from || CALL_MOVES[from]?.includes(to) !== true)
    return broken(`illegal move ${call.state}/${from} -> ${to} of ${call_id}`);
  if (FINAL.includes(to)) {
    const fits = call.results === 1 && call.ok === (to === 'succeeded');
    return fits
      ? withCall(evidence, call_id, { state: to, ticket: false })
      : broken(`${call_id} is ${to} with ${call.results} results, ok ${call.ok}`);
  }
  if (to === 'suspended') {
    if (suspension === undefined) return broken(`${call_id} is suspended without a question`);
    // What was said before nobody could have said about an outcome that is unknown.
    const say = suspension.reason === 'outcome_unknown' ? null : call.say;
    const asked = { suspension_id: suspension.id, again: from === 'resuming' };
    return withCall(evidence, call_id, { state: to, say, ticket: false, ...asked });
  }
  if (to !== 'resuming') return withCall(evidence, call_id, { state: to });
  if (call.say !== 'resume') return broken(`${call_id} goes on though a person said ${call.say}`);
  const open = Object.values(evidence.calls).filter((other) => other.round === call.round);
  const undecided = open.some(({ state, say, again }) => state === 'suspended' && say === null && !again);
  if (rules.batch && undecided) return broken(`${call_id} goes on while its round is undecided`);
  return withCall(evidence, call_id, { state: to, say: null, ticket: true });
}

function afterResult(evidence: Evidence, data: KnownEvent<'tool_result'>['data']): Evidence {
  const { call_id, ok, error } = data;
  const call = evidence.calls[call_id];
  if (call === undefined || FINAL.includes(call.state) || call.results > 0)
    return broken(`a result too many of ${call_id}`);
  if (call.happened && (error?.kind === 'never_started' || NO_EFFECT.test(error?.message ?? '')))
    return broken(`${call_id} happened, and is told as ${error?.message}`);
  return { ...withCall(evidence, call_id, { results: 1, ok }), answered: false };
}

function afterDecision(evidence: Evidence, data: KnownEvent<'tool_call_decision'>['data']): Evidence {
  const { decision_id, call_id = '', action, decided_by } = data;
  const call = evidence.calls[call_id];
  if (decided_by !== 'user') return broken(`${decided_by} decides about ${call_id}`);
  if (evidence.decisions.includes(decision_id)) return broken(`${decision_id} is on record twice`);
  if (call === undefined || call.results > 0) return broken(`a decision about settled ${call_id}`);
  if (call.say !== null) return broken(`a second decision about ${call_id}`);
  const denied = call.denied || (action === 'cancel' && call.state === 'suspended');
  const noted = { ...evidence, decisions: [...evidence.decisions, decision_id] };
  return withCall(noted, call_id, { say: action, denied });
}

function afterRun(evidence: Evidence, status: string): Evidence {
  const again = evidence.run === 'running' && status === 'running';
  if (!again && RUN_MOVES[evidence.run]?.includes(status) !== true)
    return broken(`illegal run move ${evidence.run} -> ${status}`);
  const calls = Object.entries(evidence.calls);
  const open = calls.find(([, call]) => !isSettled(call));
  if (status === 'done' && open !== undefined) return broken(`done with ${open[0]} ${open[1].state}`);
  if (status === 'done' && ['running', 'waiting'].includes(stateOf(evidence)))
    return broken('done without evidence of an end');
  if (status === 'waiting' && !calls.some(([, { state }]) => state === 'suspended'))
    return broken('waits for nothing');
  return { ...evidence, run: status, waited: evidence.waited || status === 'waiting' };
}
