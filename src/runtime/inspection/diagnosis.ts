import type { KnownEvent, LogEvent, NextAction } from '../events.ts';
import { RequestValidator } from '../replay/validator.ts';
import { applyToSession, emptySession, type SessionState } from '../session-state.ts';
import { isTerminal, pendingCalls, turnState, type OpenCall, type Turn, type TurnState } from '../turn.ts';
import {
  continuation,
  count,
  integrity,
  lease,
  ok,
  OPEN,
  openLog,
  replay,
  staleness,
  subagentTimeouts,
  unprovenChildren,
  warning,
  workflowGaps,
  type Check,
  type LogFacts,
} from './checks.ts';
import type { SubagentTrace, WorkflowTrace } from './child-traces.ts';
import { field, wordsOrNull } from '../loose-fields.ts';
import { subagentsAfter, workflowsAfter } from './turn-trace.ts';

export type { Check, CheckStatus, LogFacts } from './checks.ts';

export interface Diagnosis {
  readonly ok: boolean;
  readonly status: 'ready' | 'ready_with_warnings' | 'blocked';
  readonly checks: readonly Check[];
}

interface TurnReport {
  readonly turn_id: string;
  readonly state: TurnState;
  readonly seq: number;
  readonly detail?: string;
}

/** What is wrong with turns, in the order of the log. */
interface TurnFindings {
  readonly turns: number;
  readonly reports: readonly TurnReport[];
  readonly unpaired: readonly {
    readonly turn_id: string;
    readonly call_id: string;
    readonly name: string;
    readonly state: string;
    /** Where the turn of it begins. */
    readonly seq: number;
  }[];
  readonly violations: readonly { readonly turn_id: string; readonly what: string; readonly seq: number }[];
}

interface Listed {
  readonly seq: number;
}

/** Walks a log once, event by event, and says at any time what is sound in it and what is not. */
export class DiagnosisFold {
  private state: SessionState;
  private past: TurnFindings = { turns: 0, reports: [], unpaired: [], violations: [] };
  private readonly partials: (Listed & { readonly turn_id: string; readonly characters: number })[] = [];
  private readonly truncated: (Listed & { readonly turn_id: string })[] = [];
  private readonly unknown: (Listed & { readonly type: string })[] = [];
  private readonly unexplained: number[] = [];
  private readonly resets = new Map<string, number>();
  private continued = 0;
  private readonly validator = new RequestValidator();
  private children: readonly SubagentTrace[] = [];
  private workflows: readonly WorkflowTrace[] = [];

  constructor(private readonly sessionId: string) {
    this.state = emptySession(sessionId);
  }

  push(event: LogEvent): void {
    if (event.type === 'user_message')
      this.past = together(this.past, findings(this.state.turn, { last: false }));
    this.state = applyToSession(this.state, event);
    if (event.type === 'assistant_message' && event.data.metadata.partial) {
      this.partials.push({ turn_id: event.data.turn_id, seq: event.seq, characters: event.data.text.length });
    } else if (event.type === 'provider_usage') {
      if (event.data.output_truncation === 'truncated')
        this.truncated.push({ turn_id: event.data.turn_id, seq: event.seq });
      this.noteContinuation(event);
    } else if (event.type === 'subagent_event') {
      this.children = subagentsAfter(this.children, event);
    } else if (event.type === 'workflow_event') {
      this.workflows = workflowsAfter(this.workflows, event);
    } else if (event.type === 'unknown') {
      this.unknown.push({ seq: event.seq, type: event.data.original_type });
    }
  }

  /** Changes nothing: more events may follow. */
  finish(facts: LogFacts): Diagnosis {
    const found = together(this.past, findings(this.state.turn, { last: true }));
    const problems = facts.input.length === 0 ? [] : this.validator.check(facts.input);
    const { sessionId, children, workflows } = this;
    const checks = [
      integrity(sessionId, facts),
      this.listed('unknown_events', this.unknown, 'unknown event', LATER_VERSION),
      this.pairing(found),
      completion(found, facts),
      this.listed('preserved_partials', this.partials, 'partial answer', KEPT),
      this.byState('turn_failures', found, ['failed', 'partial_failed', 'timed_out'], 'failed turn'),
      this.byState('interrupted_turns', found, ['interrupted'], 'interrupted turn'),
      this.pending(),
      this.unknownOutcomes(),
      subagentTimeouts(sessionId, children),
      this.terminalEvidence(found),
      staleness(facts, children, workflows),
      workflowGaps(sessionId, workflows, (turnId) => this.isOver(turnId)),
      replay(problems),
      continuation(sessionId, { used: this.continued, resets: this.resets, unexplained: this.unexplained }),
      this.listed('truncation', this.truncated, 'truncated answer', CUT_OFF),
      lease(facts),
    ];
    const blocked = checks.some((check) => check.status === 'blocked');
    const warned = checks.some((check) => check.status === 'warning');
    return { ok: !blocked, status: blocked ? 'blocked' : warned ? 'ready_with_warnings' : 'ready', checks };
  }

  private noteContinuation({ seq, data }: KnownEvent<'provider_usage'>): void {
    const told: unknown = field(data, 'continuation');
    if (typeof told !== 'object' || told === null) return;
    const reason = wordsOrNull(told, 'reset_reason');
    if (reason !== null) this.resets.set(reason, (this.resets.get(reason) ?? 0) + 1);
    if (field(told, 'used') === true) this.continued += 1;
    else if (field(told, 'attempted') === true && reason === null) this.unexplained.push(seq);
  }

  /** Whether nothing more can come of a turn: it is not the present one, or it has ended. */
  private isOver(turnId: string | null): boolean {
    const { turn } = this.state;
    return turn === null || turnId === null || turn.turn_id !== turnId || isTerminal(turnState(turn));
  }

  private pairing({ unpaired }: TurnFindings): Check {
    if (unpaired.length === 0) return ok('tool_pairing', 'Every call of a finished turn has its result.');
    const message = `${count(unpaired.length, 'call')} without a result in a finished turn.`;
    return warning('tool_pairing', message, unpaired, [OPEN, ...this.at(unpaired)]);
  }

  private byState(id: string, found: TurnFindings, states: readonly TurnState[], noun: string): Check {
    const reports = found.reports.filter(({ state }) => states.includes(state));
    return this.listed(id, reports, noun, 'recorded as such');
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
    const message = `${count(details.length, 'call')} waiting for a person.`;
    return warning('pending_decisions', message, details, this.decide());
  }

  private unknownOutcomes(): Check {
    const calls = this.waiting().filter(({ suspension }) => suspension?.reason === 'outcome_unknown');
    if (calls.length === 0)
      return ok('unknown_outcomes', 'Of every call with effects it is known how it ended.');
    const message = `${count(calls.length, 'call')} of which nobody knows whether it took effect.`;
    return warning('unknown_outcomes', message, calls, this.decide());
  }

  private decide(): readonly NextAction[] {
    const turn_id = this.state.turn?.turn_id;
    const args = [{ what: 'decision', turn_id }];
    return [{ label: 'Decide in chat', command: 'ledgerline.revealInChat', args }];
  }

  private terminalEvidence({ violations }: TurnFindings): Check {
    const unproven = unprovenChildren(this.children).map((what) => ({ what }));
    const all = [...violations, ...unproven];
    if (all.length === 0)
      return ok('terminal_evidence', 'Every move of runs and calls is one the tables have.');
    const message =
      unproven.length === 0
        ? `${count(violations.length, 'move')} in the log that the state tables do not have.`
        : violations.length === 0
          ? `${count(unproven.length, 'end')} of a subagent without its evidence.`
          : `${all.length} findings: moves that the state tables do not have, and ends of subagents without evidence.`;
    return warning('terminal_evidence', message, all, this.at(violations));
  }

  private listed(id: string, found: readonly Listed[], noun: string, what: string): Check {
    return found.length === 0
      ? ok(id, `No ${noun}.`)
      : warning(id, `${count(found.length, noun)}, ${what}.`, found, this.at(found));
  }

  private at([first]: readonly Listed[]): readonly NextAction[] {
    return first === undefined ? [] : [openLog({ session_id: this.sessionId, seq: first.seq })];
  }
}

const LATER_VERSION = 'written by a later version: kept as they are and not sent';
const KEPT = 'kept as evidence; none is sent to the model';
const CUT_OFF = 'cut off at the output limit before the model was done';

function completion({ turns, reports }: TurnFindings, facts: LogFacts): Check {
  const open = reports.filter(({ state }) => state === 'running');
  if (open.length === 0)
    return ok('turn_completion', `${count(turns, 'turn')}, each with the evidence of how it ended.`);
  if (facts.lease === 'held' && open.length === 1)
    return ok('turn_completion', 'The last turn is running in a live process.');
  return warning(
    'turn_completion',
    `${count(open.length, 'turn')} without evidence of an end. Opening the session closes the last one honestly.`,
    open,
    [OPEN],
  );
}

function findings(turn: Turn | null, { last }: { readonly last: boolean }): TurnFindings {
  if (turn === null) return { turns: 0, reports: [], unpaired: [], violations: [] };
  const { turn_id, user_seq: seq } = turn;
  const state = turnState(turn);
  const detail =
    turn.failure === null ? {} : { detail: turn.failure.interrupted_reason ?? turn.failure.error_kind };
  const open = last && !isTerminal(state) ? [] : [...turn.open.values()];
  return {
    turns: 1,
    reports: state === 'completed' ? [] : [{ turn_id, state, seq, ...detail }],
    unpaired: open.map((call) => ({
      turn_id,
      call_id: call.call_id,
      name: call.name,
      state: call.state,
      seq,
    })),
    violations: turn.violations.map((what) => ({ turn_id, what, seq })),
  };
}

function together(a: TurnFindings, b: TurnFindings): TurnFindings {
  return {
    turns: a.turns + b.turns,
    reports: b.reports.length === 0 ? a.reports : [...a.reports, ...b.reports],
    unpaired: b.unpaired.length === 0 ? a.unpaired : [...a.unpaired, ...b.unpaired],
    violations: b.violations.length === 0 ? a.violations : [...a.violations, ...b.violations],
  };
}
