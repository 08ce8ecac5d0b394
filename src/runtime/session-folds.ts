import { HistoryFold, type History } from './compaction/history.ts';
import type { CompactedImage, ContextParts } from './context-events.ts';
import { pastDecision, type PastDecision } from './decisions.ts';
import type { EventData, LogEvent } from './events.ts';
import { ReplayFold, type ReplayTarget } from './replay/fold.ts';
import type { InputItem } from './replay/items.ts';
import { partsOf, WEIGHTLESS, withWeight, type Surface } from './replay/weights.ts';
import { repair, RequestValidator, type RequestProblem } from './replay/validator.ts';
import { imagesOf } from './session-images.ts';
import {
  applyToSession,
  emptySession,
  turnIdOf,
  TurnIndex,
  type SessionState,
  type TurnRecord,
} from './session-state.ts';
import { applyToEvidence, NO_EVIDENCE, type EvidenceFold, type TurnEvidence } from './turn-evidence.ts';

/** What is known when folding begins later in the log than its start. */
export type KnownBefore = Pick<
  SessionState,
  'fork_root_session_id' | 'context' | 'context_seq' | 'pressure' | 'children' | 'workflows'
> & {
  readonly next_seq: number;
  readonly turns: readonly TurnRecord[];
  readonly decisions: readonly (readonly [string, PastDecision])[];
};

export interface CheckedInput {
  readonly items: readonly InputItem[];
  readonly repairs: readonly RequestProblem[];
}

/** Everything a session derives from its log, kept up to date event by event. */
export class SessionFolds {
  private current: SessionState;
  private readonly replay = new ReplayFold();
  private readonly past = new HistoryFold();
  private readonly validator = new RequestValidator();
  private readonly turns = new TurnIndex();
  private readonly decisions = new Map<string, PastDecision>();
  private lastTurn: EvidenceFold = NO_EVIDENCE;

  constructor(sessionId: string) {
    this.current = emptySession(sessionId);
  }

  get state(): SessionState {
    return this.current;
  }

  /** What the last turn did. */
  get evidence(): TurnEvidence {
    return this.lastTurn.evidence;
  }

  resumeFrom(known: KnownBefore): void {
    const { fork_root_session_id, context, context_seq, pressure, children, workflows, next_seq } = known;
    const before = { fork_root_session_id, context, context_seq, pressure, children, workflows };
    this.current = { ...this.current, last_seq: next_seq - 1, ...before };
    if (context !== null) this.replay.enter(context_seq, context);
    for (const turn of known.turns) this.turns.add(turn);
    for (const decision of known.decisions) this.noteDecision(decision);
  }

  push(event: LogEvent): void {
    if (event.seq !== this.current.last_seq + 1)
      throw new Error(`seq ${event.seq} after ${this.current.last_seq}`);
    const before = this.current.turn;
    this.current = applyToSession(this.current, event);
    this.replay.push(event);
    this.past.push(event);
    if (event.type === 'tool_call_decision') this.noteDecision(pastDecision(event.data));
    const { turn } = this.current;
    if (event.type === 'user_message') this.lastTurn = NO_EVIDENCE;
    else if (turnIdOf(event) === turn?.turn_id) this.lastTurn = applyToEvidence(this.lastTurn, event);
    if (turn !== null && turn !== before) this.turns.note(turn);
  }

  /** What a decision of that id was, where one is on record. */
  decided(decisionId: string): PastDecision | undefined {
    return this.decisions.get(decisionId);
  }

  private noteDecision([decision_id, decision]: readonly [string, PastDecision]): void {
    if (!this.decisions.has(decision_id)) this.decisions.set(decision_id, decision);
  }

  find(clientTurnId: string): TurnRecord | undefined {
    return this.turns.find(clientTurnId);
  }

  knowsCall(callId: string): boolean {
    return this.replay.knowsCall(callId);
  }

  /** The images that the log names, each once, the newest last. */
  get images(): readonly CompactedImage[] {
    return imagesOf(this.past.checkpoint?.data, this.past.events);
  }

  /** What a compaction could sum up. */
  get history(): History {
    return this.past;
  }

  /** What fills the next request; with a checkpoint, what would fill it then. */
  parts(target: ReplayTarget, surface: Surface, checkpoint?: EventData['history_compaction']): ContextParts {
    const weights =
      checkpoint === undefined
        ? this.replay.weights(target)
        : this.replay.withCheckpoint(checkpoint, target).reduce(withWeight, WEIGHTLESS);
    return partsOf(weights, surface);
  }

  /** The input of the next request, as the API would accept it, and what had to be repaired for that. */
  input(target: ReplayTarget): CheckedInput {
    const items = this.replay.input(target);
    const repairs = this.validator.check(items);
    return { items: repairs.length === 0 ? items : repair(items, repairs), repairs };
  }
}
