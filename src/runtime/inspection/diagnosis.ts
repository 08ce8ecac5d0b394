import type { KnownEvent, LogEvent, NextAction } from '../events.ts';
import { RequestValidator } from '../replay/validator.ts';
import { applyToSession, emptySession, type SessionState } from '../session-state.ts';
import { isTerminal, turnState, type TurnState } from '../turn.ts';
import {
  continuation,
  counted,
  integrity,
  lease,
  ok,
  openLog,
  replay,
  settling,
  warning,
  type Check,
  type Counted,
  type LogFacts,
} from './checks.ts';
import { ChildBook } from './child-book.ts';
import {
  childDetail,
  openChildren,
  subagentDelivery,
  subagentTimeouts,
  workflowGaps,
  type ChildrenSeen,
} from './child-checks.ts';
import { ContextFindings } from './context-checks.ts';
import { field, numberOrNull, wordsOrNull } from '../loose-fields.ts';
import { completion, pending, staleness, unknownOutcomes } from './turn-checks.ts';
import { findings, NO_FINDINGS, together, type TurnFindings } from './turn-findings.ts';
import type { LaterNews } from './families.ts';

export type { Check, CheckStatus, LogFacts } from './checks.ts';

export interface Diagnosis {
  readonly ok: boolean;
  readonly status: 'ready' | 'ready_with_warnings' | 'blocked';
  readonly checks: readonly Check[];
}

interface Listed {
  readonly seq: number;
}

/** Walks a log once, event by event, and says at any time what is sound in it and what is not. */
export class DiagnosisFold {
  private state: SessionState;
  private past = NO_FINDINGS;
  private readonly partials: (Listed & { readonly turn_id: string; readonly characters: number })[] = [];
  private readonly truncated: (Listed & { readonly turn_id: string })[] = [];
  private readonly unknown: (Listed & { readonly type: string })[] = [];
  private readonly unexplained: number[] = [];
  private readonly resets = new Map<string, number>();
  private continued = 0;
  private readonly context = new ContextFindings();
  private readonly validator = new RequestValidator();
  private readonly book = new ChildBook();
  /** The last event that the last request of the present turn was made of. */
  private request: { readonly turn_id: string; readonly at: number } | null = null;
  /** The same, of turns that ended by themselves: by then the model has been told what it had to be. */
  private requestedAt = -1;

  constructor(private readonly sessionId: string) {
    this.state = emptySession(sessionId);
  }

  push(event: LogEvent): void {
    if (event.type === 'user_message') {
      this.past = together(this.past, findings(this.state.turn, { last: false }));
      this.requestedAt = this.requestedBy(this.state.turn);
    }
    this.state = applyToSession(this.state, event);
    this.context.push(event);
    this.book.push(event);
    if (event.type === 'assistant_message' && event.data.metadata.partial) {
      this.partials.push({ turn_id: event.data.turn_id, seq: event.seq, characters: event.data.text.length });
    } else if (event.type === 'provider_usage') {
      if (event.data.output_truncation === 'truncated')
        this.truncated.push({ turn_id: event.data.turn_id ?? '', seq: event.seq });
      this.noteContinuation(event);
      this.noteRequest(event);
    } else if (event.type === 'run_status') {
      // By its own word, whatever the evidence says.
      if (event.data.reason === 'natural_end') this.requestedAt = this.requestOf(event.data.turn_id);
    } else if (event.type === 'unknown') {
      this.unknown.push({ seq: event.seq, type: event.data.original_type });
    }
  }

  /** Changes nothing: more events may follow. */
  finish(facts: LogFacts): Diagnosis {
    const found = together(this.past, findings(this.state.turn, { last: true }));
    const problems = facts.input.length === 0 ? [] : this.validator.check(facts.input);
    const { sessionId } = this;
    const children = this.childrenSeen(facts);
    const turns = { session_id: sessionId, found, turn: this.state.turn, facts, children };
    const checks = [
      integrity(sessionId, facts),
      this.listed('unknown_events', this.unknown, UNKNOWN_EVENTS),
      this.pairing(found, facts),
      completion(turns),
      this.listed('preserved_partials', this.partials, PARTIALS),
      this.byState('turn_failures', found, ['failed', 'partial_failed', 'timed_out'], FAILED),
      this.byState('interrupted_turns', found, ['interrupted'], INTERRUPTED),
      pending(turns),
      unknownOutcomes(turns),
      subagentTimeouts(children),
      openChildren(children),
      subagentDelivery(children),
      this.terminalEvidence(found, children),
      staleness(turns),
      workflowGaps(children),
      replay(sessionId, facts, problems),
      this.context.compaction(sessionId),
      this.context.pressure(),
      continuation(sessionId, { used: this.continued, resets: this.resets, unexplained: this.unexplained }),
      this.listed('truncation', this.truncated, TRUNCATED),
      lease(sessionId, facts),
    ].map((check) => asFarAsRead(check, facts));
    const blocked = checks.some((check) => check.status === 'blocked');
    const warned = checks.some((check) => check.status === 'warning');
    return { ok: !blocked, status: blocked ? 'blocked' : warned ? 'ready_with_warnings' : 'ready', checks };
  }

  /** What is known by now of a child or a workflow, also of one whose turn was looked at long ago. */
  get news(): LaterNews {
    return this.book;
  }

  private childrenSeen({ lease: holder }: LogFacts): ChildrenSeen {
    return {
      session_id: this.sessionId,
      book: this.book,
      live: holder === 'held',
      requested_at: this.requestedBy(this.state.turn),
      isOver: (turnId) => this.isOver(turnId),
    };
  }

  private noteRequest({ seq, data }: KnownEvent<'provider_usage'>): void {
    const { turn_id, purpose } = data;
    if (turn_id === undefined || purpose !== undefined) return;
    const at = numberOrNull(data, 'at_seq');
    if (at !== null) this.request = { turn_id, at: Math.min(at, seq) };
  }

  /** Where it is not said what a request was made of, the prompt is sure to be in it. */
  private requestOf(turnId: string): number {
    const { turn } = this.state;
    const known = this.request?.turn_id === turnId ? this.request.at : null;
    const at = known ?? (turn?.turn_id === turnId ? turn.user_seq : -1);
    return Math.max(this.requestedAt, at);
  }

  private requestedBy(turn: SessionState['turn']): number {
    const completed = turn !== null && turnState(turn) === 'completed';
    return completed ? this.requestOf(turn.turn_id) : this.requestedAt;
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

  private pairing({ unpaired }: TurnFindings, facts: LogFacts): Check {
    if (unpaired.length === 0) return ok('tool_pairing', 'Every call of a finished turn has its result.');
    const message = counted(unpaired.length, {
      one: '1 call without a result in a finished turn.',
      many: '{0} calls without a result in a finished turn.',
    });
    return warning('tool_pairing', message, unpaired, [
      ...settling(this.sessionId, facts),
      ...this.at(unpaired),
    ]);
  }

  private byState(id: string, found: TurnFindings, states: readonly TurnState[], words: Listing): Check {
    const reports = found.reports.filter(({ state }) => states.includes(state));
    return this.listed(id, reports, words);
  }

  private terminalEvidence({ violations }: TurnFindings, seen: ChildrenSeen): Check {
    const { ends, lacks } = this.book.unproven_ends;
    const count = violations.length + lacks.count;
    if (count === 0) return ok('terminal_evidence', 'Every move of runs and calls is one the tables have.');
    const all = [...violations, ...lacks.found.map((one) => childDetail(seen, one))];
    const message =
      ends === 0
        ? counted(violations.length, UNKNOWN_MOVES)
        : violations.length === 0
          ? counted(ends, UNPROVEN_ENDS)
          : `${count} findings: moves that the state tables do not have, and ends of subagents without evidence.`;
    return warning('terminal_evidence', message, all, this.at(all));
  }

  private listed(id: string, found: readonly Listed[], words: Listing): Check {
    return found.length === 0
      ? ok(id, words.none)
      : warning(id, counted(found.length, words), found, this.at(found));
  }

  private at([first]: readonly Listed[]): readonly NextAction[] {
    return first === undefined ? [] : [openLog({ session_id: this.sessionId, seq: first.seq })];
  }
}

/** These say themselves what damage does, or have nothing to do with it. */
const ABOUT_ALL: ReadonlySet<string> = new Set(['log_integrity', 'provider_replay', 'lease']);

/** A check of a damaged log speaks of the lines that can be read. */
function asFarAsRead(check: Check, { damage }: LogFacts): Check {
  if (damage.length === 0 || ABOUT_ALL.has(check.id)) return check;
  return { ...check, message: `${check.message} Damaged lines are left out.` };
}

interface Listing extends Counted {
  readonly none: string;
}

const UNKNOWN_EVENTS: Listing = {
  none: 'No unknown event.',
  one: '1 unknown event, written by a later version: kept as it is and not sent.',
  many: '{0} unknown events, written by a later version: kept as they are and not sent.',
};
const PARTIALS: Listing = {
  none: 'No partial answer.',
  one: '1 partial answer, kept as evidence and not sent to the model.',
  many: '{0} partial answers, kept as evidence; none is sent to the model.',
};
const TRUNCATED: Listing = {
  none: 'No truncated answer.',
  one: '1 truncated answer, cut off at the output limit before the model was done.',
  many: '{0} truncated answers, cut off at the output limit before the model was done.',
};
const FAILED: Listing = {
  none: 'No failed turn.',
  one: '1 failed turn, recorded as such.',
  many: '{0} failed turns, recorded as such.',
};
const INTERRUPTED: Listing = {
  none: 'No interrupted turn.',
  one: '1 interrupted turn, recorded as such.',
  many: '{0} interrupted turns, recorded as such.',
};
const UNKNOWN_MOVES: Counted = {
  one: '1 move in the log that the state tables do not have.',
  many: '{0} moves in the log that the state tables do not have.',
};
const UNPROVEN_ENDS: Counted = {
  one: '1 end of a subagent without its evidence.',
  many: '{0} ends of subagents without their evidence.',
};
