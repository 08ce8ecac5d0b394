import type { LogEvent, NextAction } from '../events.ts';
import type { InputItem } from '../replay/items.ts';
import { RequestValidator, type RequestProblem } from '../replay/validator.ts';
import { applyToSession, emptySession, type SessionState } from '../session-state.ts';
import { isTerminal, pendingCalls, turnState, type OpenCall, type Turn, type TurnState } from '../turn.ts';

export type CheckStatus = 'ok' | 'warning' | 'blocked';

export interface Check {
  readonly id: string;
  readonly status: CheckStatus;
  readonly message: string;
  readonly details: unknown;
  readonly next_actions: readonly NextAction[];
}

export interface Diagnosis {
  readonly ok: boolean;
  readonly status: 'ready' | 'ready_with_warnings' | 'blocked';
  readonly checks: readonly Check[];
}

/** What the fold of a log cannot see by itself. */
export interface LogFacts {
  readonly damage: readonly { readonly line: number; readonly reason: string }[];
  readonly torn_bytes: number;
  readonly lease: 'free' | 'held' | 'dead';
  readonly input: readonly InputItem[];
}

interface TurnReport {
  readonly turn_id: string;
  readonly state: TurnState;
  readonly seq: number;
  readonly detail?: string;
}

const OPEN_LOG: NextAction = { label: 'Open log', command: 'ledgerline.openLog' };
const FORK: NextAction = { label: 'Fork from the last good event', command: 'ledgerline.fork' };
const EXPORT: NextAction = { label: 'Export', command: 'ledgerline.exportSession' };
const OPEN: NextAction = { label: 'Open the session', command: 'ledgerline.openSession' };

/** Walks a log once and says what is sound in it and what is not. */
export class DiagnosisFold {
  private state: SessionState;
  private turns = 0;
  private readonly reports: TurnReport[] = [];
  private readonly partials: {
    readonly turn_id: string;
    readonly seq: number;
    readonly characters: number;
  }[] = [];
  private readonly truncated: { readonly turn_id: string; readonly seq: number }[] = [];
  private readonly unknown: { readonly seq: number; readonly type: string }[] = [];
  private readonly unpaired: {
    readonly turn_id: string;
    readonly call_id: string;
    readonly name: string;
    readonly state: string;
  }[] = [];
  private readonly violations: { readonly turn_id: string; readonly what: string }[] = [];

  constructor(sessionId: string) {
    this.state = emptySession(sessionId);
  }

  push(event: LogEvent): void {
    if (event.type === 'user_message') this.close(this.state.turn, { last: false });
    this.state = applyToSession(this.state, event);
    if (event.type === 'assistant_message' && event.data.metadata.partial) {
      this.partials.push({ turn_id: event.data.turn_id, seq: event.seq, characters: event.data.text.length });
    } else if (event.type === 'provider_usage' && event.data.output_truncation === 'truncated') {
      this.truncated.push({ turn_id: event.data.turn_id, seq: event.seq });
    } else if (event.type === 'unknown') {
      this.unknown.push({ seq: event.seq, type: event.data.original_type });
    }
  }

  finish(facts: LogFacts): Diagnosis {
    this.close(this.state.turn, { last: true });
    const problems = facts.input.length === 0 ? [] : new RequestValidator().check(facts.input);
    const checks = [
      integrity(facts),
      this.unknownEvents(),
      this.pairing(),
      this.completion(facts),
      listed(
        'preserved_partials',
        this.partials,
        'partial answer',
        'kept as evidence; none is sent to the model',
      ),
      this.byState('turn_failures', ['failed', 'partial_failed', 'timed_out'], 'failed turn'),
      this.byState('interrupted_turns', ['interrupted'], 'interrupted turn'),
      this.pending(),
      this.unknownOutcomes(),
      this.terminalEvidence(),
      replay(problems),
      listed(
        'truncation',
        this.truncated,
        'truncated answer',
        'cut off at the output limit before the model was done',
      ),
      lease(facts),
    ];
    const blocked = checks.some((check) => check.status === 'blocked');
    const warned = checks.some((check) => check.status === 'warning');
    return { ok: !blocked, status: blocked ? 'blocked' : warned ? 'ready_with_warnings' : 'ready', checks };
  }

  private close(turn: Turn | null, { last }: { readonly last: boolean }): void {
    if (turn === null) return;
    this.turns += 1;
    const state = turnState(turn);
    const detail =
      turn.failure === null ? {} : { detail: turn.failure.interrupted_reason ?? turn.failure.error_kind };
    if (state !== 'completed')
      this.reports.push({ turn_id: turn.turn_id, state, seq: turn.user_seq, ...detail });
    for (const what of turn.violations) this.violations.push({ turn_id: turn.turn_id, what });
    if (last && !isTerminal(state)) return;
    for (const call of turn.open.values()) {
      this.unpaired.push({
        turn_id: turn.turn_id,
        call_id: call.call_id,
        name: call.name,
        state: call.state,
      });
    }
  }

  private unknownEvents(): Check {
    const what = 'written by a later version: kept as they are and not sent';
    return listed('unknown_events', this.unknown, 'unknown event', what);
  }

  private pairing(): Check {
    return this.unpaired.length === 0
      ? ok('tool_pairing', 'Every call of a finished turn has its result.')
      : warning(
          'tool_pairing',
          `${count(this.unpaired.length, 'call')} without a result in a finished turn.`,
          this.unpaired,
          [OPEN],
        );
  }

  private completion(facts: LogFacts): Check {
    const open = this.reports.filter(({ state }) => state === 'running');
    if (open.length === 0)
      return ok('turn_completion', `${count(this.turns, 'turn')}, each with the evidence of how it ended.`);
    if (facts.lease === 'held' && open.length === 1)
      return ok('turn_completion', 'The last turn is running in a live process.');
    return warning(
      'turn_completion',
      `${count(open.length, 'turn')} without evidence of an end. Opening the session closes the last one honestly.`,
      open,
      [OPEN],
    );
  }

  private byState(id: string, states: readonly TurnState[], noun: string): Check {
    const found = this.reports.filter(({ state }) => states.includes(state));
    return listed(id, found, noun, 'recorded as such');
  }

  /** The calls that wait for a person, in the one turn that can wait. */
  private waiting(): readonly Pick<OpenCall, 'call_id' | 'name' | 'suspension'>[] {
    const { turn } = this.state;
    if (turn === null || turnState(turn) !== 'waiting') return [];
    return pendingCalls(turn).map(({ call_id, name, suspension }) => ({ call_id, name, suspension }));
  }

  private pending(): Check {
    const details = this.waiting();
    if (details.length === 0) return ok('pending_decisions', 'Nothing waits for a person.');
    return warning('pending_decisions', `${count(details.length, 'call')} waiting for a person.`, details, [
      OPEN,
    ]);
  }

  private unknownOutcomes(): Check {
    const calls = this.waiting().filter(({ suspension }) => suspension?.reason === 'outcome_unknown');
    if (calls.length === 0)
      return ok('unknown_outcomes', 'Of every call with effects it is known how it ended.');
    const message = `${count(calls.length, 'call')} of which nobody knows whether it took effect.`;
    return warning('unknown_outcomes', message, calls, [OPEN]);
  }

  private terminalEvidence(): Check {
    return this.violations.length === 0
      ? ok('terminal_evidence', 'Every move of runs and calls is one the tables have.')
      : warning(
          'terminal_evidence',
          `${count(this.violations.length, 'move')} in the log that the state tables do not have.`,
          this.violations,
          [OPEN_LOG],
        );
  }
}

function integrity(facts: LogFacts): Check {
  const [first] = facts.damage;
  if (first !== undefined) {
    const message = `Line ${first.line} is damaged: ${first.reason}. The session opens read-only; nothing was changed.`;
    return {
      id: 'log_integrity',
      status: 'blocked',
      message,
      details: { damage: facts.damage },
      next_actions: [OPEN_LOG, EXPORT, FORK],
    };
  }
  if (facts.torn_bytes === 0) return ok('log_integrity', 'Every line is whole, in order and understood.');
  return warning(
    'log_integrity',
    `The last write was cut off: ${facts.torn_bytes} bytes will be set aside when the session opens.`,
    { torn_bytes: facts.torn_bytes },
    [OPEN],
  );
}

function replay(problems: readonly RequestProblem[]): Check {
  return problems.length === 0
    ? ok('provider_replay', 'The next request is one that the API accepts.')
    : warning(
        'provider_replay',
        'The next request breaks a rule of the API and would be repaired.',
        problems,
        [{ label: 'Inspect request', command: 'ledgerline.inspectRequest' }],
      );
}

function lease({ lease: holder }: LogFacts): Check {
  if (holder === 'free') return ok('lease', 'No process has the session open.');
  if (holder === 'held') return ok('lease', 'A live process has the session open.');
  return warning(
    'lease',
    'A process that is gone left its lease. It is taken over when the session opens.',
    {},
    [OPEN],
  );
}

function listed(id: string, found: readonly unknown[], noun: string, what: string): Check {
  return found.length === 0
    ? ok(id, `No ${noun}.`)
    : warning(id, `${count(found.length, noun)}, ${what}.`, found, [OPEN_LOG]);
}

function ok(id: string, message: string): Check {
  return { id, status: 'ok', message, details: {}, next_actions: [] };
}

function warning(id: string, message: string, details: unknown, next_actions: readonly NextAction[]): Check {
  return { id, status: 'warning', message, details, next_actions };
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
