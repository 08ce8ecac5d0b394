import { isBlank } from './blank-text.ts';
import {
  draft,
  type Draft,
  type EventData,
  type NextAction,
  type Suspension,
  type TerminalStatus,
  type ToolError,
} from './events.ts';
import { moveCall, moveRun, type CallState, type StopCode } from './machines.ts';
import { endReason, finishedReason, type RunEnd } from './run-end.ts';
import { field } from './loose-fields.ts';
import { OUTCOME_UNKNOWN, WORKFLOW_HELD } from './turn-calls.ts';
import { turnState, type OpenCall, type Turn } from './turn.ts';

/** What a run leaves behind when it ends, beside what the log already holds. */
export interface Remains {
  /** Text of a stream that did not complete. */
  readonly text: string;
  readonly stream_run_id: string | null;
  readonly usage: EventData['provider_usage'] | null;
  readonly timeout_ms: number | null;
  readonly elapsed_ms: number;
}

export const NOTHING_REMAINS: Remains = {
  text: '',
  stream_run_id: null,
  usage: null,
  timeout_ms: null,
  elapsed_ms: 0,
};

const RETRY: NextAction = { label: 'Try again', command: 'ledgerline.retryTurn' };
const CONTINUE: NextAction = { label: 'Continue', command: 'ledgerline.continueTurn' };

const STOP_ACTIONS = {
  timeout: [CONTINUE, RETRY, raise('ledgerline.turnTimeout')],
  max_rounds: [CONTINUE, RETRY, raise('ledgerline.maxRounds')],
  token_budget: [CONTINUE, RETRY, raise('ledgerline.tokenBudget')],
  loop_detected: [CONTINUE, RETRY],
  consecutive_errors: [CONTINUE, RETRY],
} as const satisfies Record<StopCode, readonly NextAction[]>;

function raise(setting: string): NextAction {
  return { label: 'Raise the limit', command: 'workbench.action.openSettings', args: [setting] };
}

/** Pure: the events that end a run honestly. The turn's state follows from them alone. */
export function closing(turn: Turn, end: RunEnd, remains: Remains): readonly Draft[] {
  const usage = remains.usage === null ? [] : [draft('provider_usage', remains.usage)];
  if (end.kind === 'natural_end') return [...usage, ...done(turn, end)];
  if (turnState(turn) === 'completed') return [...usage, ...afterAnswer(turn, end)];
  const calls = [...turn.open.values()].flatMap((call) => closeCall(turn.turn_id, call));
  const failed = turn.failure === null ? [turnFailed(turn, end, remains)] : [];
  return [...calls, ...partialText(turn, end, remains), ...usage, ...failed, ...done(turn, end)];
}

function done(turn: Turn, end: RunEnd): readonly Draft[] {
  if (turn.run === 'done') return [];
  const code = end.kind === 'stopped' ? { code: end.code } : {};
  const status = moveRun(turn.run, 'done', turn.turn_id);
  return [draft('run_status', { turn_id: turn.turn_id, status, reason: endReason(end), ...code })];
}

/** The answer is durable: a halt that comes later is too late, and a fault is told beside it. */
function afterAnswer(turn: Turn, end: RunEnd): readonly Draft[] {
  if (end.kind === 'plugin_requested') return done(turn, end);
  if (end.kind !== 'error') return done(turn, { kind: 'natural_end' });
  const { error_kind: code, message, details, next_actions } = end;
  return [
    draft('diagnostic', { turn_id: turn.turn_id, code, message, details, next_actions }),
    ...done(turn, end),
  ];
}

function terminalStatus(turn: Turn, end: RunEnd, remains: Remains): TerminalStatus {
  if (end.kind === 'interrupted') return 'interrupted';
  if (end.kind === 'stopped' && end.code === 'timeout') return 'timed_out';
  return !isBlank(remains.text) || turn.partial !== null ? 'partial_failed' : 'failed';
}

/** What had been shown of an answer that did not complete. */
export function partialText(turn: Turn, end: RunEnd, remains: Remains): readonly Draft[] {
  const { text, stream_run_id } = remains;
  if (isBlank(text) || stream_run_id === null || turn.partial?.stream_run_id === stream_run_id) return [];
  const interrupted = end.kind === 'interrupted';
  return [
    draft('assistant_message', {
      turn_id: turn.turn_id,
      stream_run_id,
      text,
      metadata: {
        partial: true,
        interrupted,
        ...(interrupted ? { interrupted_reason: end.reason } : {}),
        client_turn_id: turn.client_turn_id,
        finished_reason: finishedReason(end),
        // Four characters a token is a rule of thumb; the field says that it is an estimate.
        token_estimate: Math.ceil(text.length / 4),
        terminal_status: terminalStatus(turn, end, remains),
        error_kind: errorKind(end),
        output_truncation: errorKind(end) === 'output_limit' ? 'truncated' : 'unknown',
      },
    }),
  ];
}

function errorKind(end: RunEnd): string {
  if (end.kind === 'error') return end.error_kind;
  if (end.kind === 'stopped') return `stopped:${end.code}`;
  return end.kind === 'interrupted' ? end.reason : end.kind;
}

function turnFailed(turn: Turn, end: Exclude<RunEnd, { kind: 'natural_end' }>, remains: Remains): Draft {
  const timed = end.kind === 'stopped' && end.code === 'timeout';
  return draft('turn_failed', {
    turn_id: turn.turn_id,
    ...(remains.stream_run_id === null ? {} : { stream_run_id: remains.stream_run_id }),
    terminal_status: terminalStatus(turn, end, remains),
    error_kind: errorKind(end),
    error_message: failureMessage(end),
    ...(end.kind === 'interrupted' ? { interrupted_reason: end.reason } : {}),
    ...(timed ? timing(remains) : {}),
    details: end.kind === 'error' || end.kind === 'stopped' ? end.details : {},
    next_actions: nextActions(end),
  });
}

/** The limit has passed, however coarse the count is that says so. */
function timing({ timeout_ms, elapsed_ms }: Remains): { timeout_ms: number; elapsed_ms: number } {
  const limit = timeout_ms ?? 0;
  return { timeout_ms: limit, elapsed_ms: Math.max(limit, elapsed_ms) };
}

const INTERRUPTED_MESSAGES = {
  user_cancelled: 'Stopped by the user.',
  superseded: 'Superseded by a newer message.',
  disconnect:
    'The window closed, reloaded, lost its host or gave the session to another window before the answer was complete.',
} as const;

function failureMessage(end: Exclude<RunEnd, { kind: 'natural_end' }>): string {
  return end.kind === 'interrupted' ? (end.message ?? INTERRUPTED_MESSAGES[end.reason]) : end.message;
}

function nextActions(end: Exclude<RunEnd, { kind: 'natural_end' }>): readonly NextAction[] {
  if (end.kind === 'error') return end.next_actions;
  if (end.kind === 'stopped') return STOP_ACTIONS[end.code];
  return end.kind === 'interrupted' ? [CONTINUE, RETRY] : [CONTINUE];
}

/** Why an open call gets no result of its own, by how far it had come. */
const CLOSED_AS: Record<CallState, ToolError> = {
  new: { kind: 'never_started', message: 'The turn ended before this call started. It had no effect.' },
  running: { kind: 'interrupted', message: 'The turn ended while this call was running.' },
  suspended: { kind: 'cancelled', message: 'The turn ended while this call was waiting. It did not run.' },
  resuming: {
    kind: 'cancelled',
    message: 'The turn ended before this call was resumed. It did not run again.',
  },
  succeeded: { kind: 'lost_result', message: 'The call succeeded, but its result was not recorded.' },
  failed: { kind: 'lost_result', message: 'The call failed, but its result was not recorded.' },
  cancelled: { kind: 'cancelled', message: 'The call was cancelled.' },
};

const ENDED_BETWEEN: ToolError = {
  kind: 'cancelled',
  message: 'The turn ended while this call was waiting to go on. What it had done before is not known.',
};

const UNANSWERED: ToolError = {
  kind: 'cancelled',
  message:
    'The turn ended before the person answered what the workflow asks, so it stays as it is. It can be resumed later.',
};

/** The same, where a process ended over the call: its turn may still wait for others. */
const LEFT_AS: Partial<Record<CallState, ToolError>> = {
  new: { kind: 'never_started', message: 'Ledgerline ended before this call started. It had no effect.' },
  running: { kind: 'interrupted', message: 'Ledgerline ended while this call was running.' },
  resuming: {
    kind: 'cancelled',
    message: 'Ledgerline ended before this call was resumed. It did not run again.',
  },
};

/** The log was made of another one's, which may know what became of it: this one has no move of it. */
const LEFT_BEHIND: ToolError = {
  kind: 'left_behind',
  message:
    'The session was forked before this call had a result. Whether it ran, and what it changed, is not known here.',
};

/** What ended over a call that is closed. */
interface Closer {
  readonly ended: 'turn' | 'process' | 'fork';
}

function closedAs(call: OpenCall, { ended }: Closer): ToolError {
  const asked = askedBy(call);
  if (asked?.reason === OUTCOME_UNKNOWN)
    return { kind: OUTCOME_UNKNOWN, message: `${asked.message} The turn ended before that was settled.` };
  if (asked?.reason === WORKFLOW_HELD && call.state === 'suspended' && call.decision === null)
    return UNANSWERED;
  if (isWaiting(call) && call.started) return ENDED_BETWEEN;
  if (ended === 'fork' && call.state === 'new') return LEFT_BEHIND;
  return (ended === 'process' ? LEFT_AS[call.state] : undefined) ?? CLOSED_AS[call.state];
}

function isWaiting({ state }: OpenCall): boolean {
  return state === 'suspended' || state === 'resuming';
}

function askedBy(call: OpenCall): Suspension | undefined {
  return isWaiting(call) ? (call.suspension ?? call.approved.at(-1)) : undefined;
}

/** Pure: a workflow that nobody answers is over as it is, and what it has so far is told all the same. */
export function standingOf(call: OpenCall): { readonly output?: string } {
  const asked = askedBy(call);
  const result = asked?.reason === WORKFLOW_HELD ? field(asked.parameters, 'result') : undefined;
  return result === undefined ? {} : { output: JSON.stringify(result) };
}

/** Gives an open call the result and the final state it lacks. */
export function closeCall(
  turnId: string,
  call: OpenCall,
  closer: Closer = { ended: 'turn' },
): readonly Draft[] {
  const drafts: Draft[] = [];
  if (call.result === 'none') {
    const { call_id } = call;
    const error = closedAs(call, closer);
    const standing = standingOf(call);
    drafts.push(
      draft('tool_result', { turn_id: turnId, call_id, ok: false, error, ...standing, duration_ms: 0 }),
    );
  }
  let { state } = call;
  for (const to of movesToEnd(call)) {
    drafts.push(callMove(turnId, { call_id: call.call_id, state }, to));
    state = to;
  }
  return drafts;
}

/** The event of one move, checked against the table. */
export function callMove(
  turnId: string,
  call: Pick<OpenCall, 'call_id' | 'state'>,
  to: CallState,
): Draft<'tool_call_status'> {
  const { call_id, state: from } = call;
  return {
    type: 'tool_call_status',
    data: { turn_id: turnId, call_id, from, to: moveCall(from, to, call_id) },
  };
}

/** The moves that bring a call to the end that its result, or the lack of one, stands for. */
function movesToEnd(call: OpenCall): readonly CallState[] {
  switch (call.state) {
    case 'new':
      if (call.result === 'none') return ['cancelled'];
      // A log that was made of another holds the results of its calls, but not their moves.
      return call.result === 'ok' ? ['running', 'succeeded'] : ['failed'];
    case 'running':
    case 'resuming':
      if (call.result === 'none') return ['cancelled'];
      return call.result === 'ok' ? ['succeeded'] : ['failed'];
    case 'suspended':
      return ['cancelled'];
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return [];
  }
}
