import { callMove, NOTHING_REMAINS } from '../../../src/runtime/closing.ts';
import type { Passage } from '../../../src/runtime/call-gate.ts';
import type { Decision, DecisionVerdict } from '../../../src/runtime/decisions.ts';
import { draft, SCHEMA_VERSION, type Draft, type KnownEvent } from '../../../src/runtime/events.ts';
import type { Effect, Ids, StreamScratch, ToolOutcome } from '../../../src/runtime/ports.ts';
import type { RunEnd } from '../../../src/runtime/run-end.ts';
import { beginTurn, isTerminal, turnState, type OpenCall, type Turn } from '../../../src/runtime/turn.ts';
import { made, usage } from '../../support/made-events.ts';
import * as judge from './evidence.ts';
import { NO_EVIDENCE, type Evidence } from './evidence.ts';
import { IDLE, passageOf, processOf, type Position, type Process, type Setting } from './position.ts';

/** What a response answers to. */
export interface ResponseOrigin {
  readonly turn_id: string;
  readonly stream_run_id: string;
  readonly pending_calls: readonly string[];
}

const TURN = 't1';
const BEGUN = beginTurn(
  made('user_message', 0, { turn_id: TURN, client_turn_id: 'k1', text: 'Go.', attachments: [] }),
);

/** A position being played on: the loop of a run in small, with every decision made by the core. */
export class Play {
  /** Where a crash could have come, after each event. */
  readonly passed: Position[] = [];
  private turn: Turn;
  private evidence: Evidence;
  private process: Process;
  private alive: readonly string[];
  private length: number;
  private requests: number;
  private readonly ids: Ids;

  constructor(
    private readonly setting: Setting,
    from: Position | null,
  ) {
    this.turn = from?.turn ?? BEGUN;
    this.evidence = from?.evidence ?? NO_EVIDENCE;
    this.process = from?.process ?? { ...IDLE, active: true };
    this.alive = from?.alive ?? [];
    this.length = from?.length ?? 1;
    this.requests = from?.requests ?? 0;
    let given = 0;
    this.ids = { next: (kind) => `${kind}_${this.length}_${(given += 1)}` };
    if (from === null) this.record([draft('run_status', { turn_id: TURN, status: 'running' })]);
  }

  get position(): Position {
    const { turn, evidence, process, alive, length, requests } = this;
    return { turn, evidence, process, alive, length, requests };
  }

  private get stream(): string {
    return `stream_${this.requests}`;
  }

  // ---- what may happen ---------------------------------------------------------------------------------

  respond(items: (origin: ResponseOrigin) => readonly Draft[]): void {
    const { stream: stream_run_id } = this;
    const drafts = items({ turn_id: TURN, stream_run_id, pending_calls: this.process.inferring ?? [] });
    this.become({ inferring: null });
    this.record([...drafts, draft('provider_usage', usage({ turn_id: TURN, stream_run_id }))]);
    this.goOn();
  }

  failInference(): void {
    const end: RunEnd = { kind: 'error', error_kind: 'auth', message: 'no', details: {}, next_actions: [] };
    this.finish(end);
  }

  /** The gate votes about all calls of a round at once. */
  gate(passages: Readonly<Record<string, Passage['kind']>>): void {
    const { passageDrafts } = this.setting.core;
    const calls = this.process.gating.map(
      (id) => [id, passageOf(this.setting, id, passages[id] ?? 'allowed')] as const,
    );
    this.become({ gating: [] });
    this.record(calls.flatMap(([id, passage]) => passageDrafts(TURN, this.open(id), passage, this.ids)));
    for (const [id, { kind }] of calls) if (kind === 'allowed') this.start(id);
    this.goOn();
  }

  gateAgain(id: string, kind: Passage['kind']): void {
    this.become({ again: this.process.again.filter((other) => other !== id) });
    this.record(
      this.setting.core.passageDrafts(TURN, this.open(id), passageOf(this.setting, id, kind), this.ids),
    );
    if (kind === 'allowed') this.start(id);
    this.goOn();
  }

  end(id: string, outcome: ToolOutcome): void {
    this.ended(id, outcome);
    this.goOn();
  }

  decide(decision: Omit<Decision, 'decision_id'>, repeated: string | null): DecisionVerdict {
    const decision_id = repeated ?? `decision_${this.length}`;
    const verdict = this.setting.core.checkDecision(
      this.turn,
      { decision_id, ...decision },
      {
        decided: (known) =>
          this.evidence.decisions.includes(known)
            ? { call_id: null, target_id: decision.target_id, action: decision.action }
            : undefined,
        knowsCall: (id) => this.evidence.calls[id] !== undefined,
      },
    );
    if (verdict.kind !== 'record') return verdict;
    this.record([verdict.draft]);
    this.become({ ports: true });
    this.goOn();
    return verdict;
  }

  /** Stopped, or superseded by a new message. Tools under way end soon, one way or the other. */
  interrupt(reason: 'user_cancelled' | 'superseded', outcome: ToolOutcome): void {
    for (const id of this.process.executing) this.ended(id, outcome);
    this.finish({ kind: 'interrupted', reason });
  }

  processEnds(id: string): void {
    this.alive = this.alive.filter((other) => other !== id);
    this.goOn();
  }

  /** Nothing of the process is left; tools under way had their effect or not, and outlive it or not. */
  crash(how: { readonly happened: boolean; readonly outlives: boolean }): StreamScratch | null {
    const { executing, inferring } = this.process;
    const effective = executing.filter((id) => !['read', 'interact'].includes(this.effect(id)));
    if (how.happened) for (const id of effective) this.evidence = judge.happened(this.evidence, id);
    const commands = effective.filter((id) => this.effect(id) === 'execute');
    if (how.outlives) this.alive = [...new Set([...this.alive, ...commands])];
    this.process = IDLE;
    return inferring === null ? null : { turn_id: TURN, stream_run_id: this.stream, text: 'Half' };
  }

  /** Opens the log again, as the next process does. Answers how much there was to do. */
  recover(scratch: StreamScratch | null): number {
    const effectOf = (name: string): Effect | null =>
      Object.values(this.setting.tools).find((tool) => tool.name === name)?.effect ?? null;
    const drafts = this.setting.core.recovery(this.turn, scratch, effectOf, this.ids, this.setting);
    this.record(drafts);
    if (scratch !== null) judge.kept(this.evidence, scratch.stream_run_id);
    return drafts.length;
  }

  // ---- the loop ------------------------------------------------------------------------------------------

  /** On, as far as nothing from outside is needed. */
  goOn(): void {
    if (!this.process.active && !this.resumed()) return;
    for (;;) {
      for (let [call] = this.decided(); call !== undefined; [call] = this.decided()) this.carryOut(call);
      const { inferring, gating, again, executing } = this.process;
      if (inferring !== null || gating.length + again.length + executing.length > 0) return;
      const step = this.setting.core.nextStep(this.turn, null, { batch: this.setting.batch });
      switch (step.kind) {
        case 'infer':
          this.evidence = judge.asked(this.evidence);
          this.requests += 1;
          this.become({ inferring: [...this.turn.open.values()].map(({ call_id }) => call_id) });
          return;
        case 'round':
          this.become({ gating: step.calls.map(({ call_id }) => call_id) });
          return;
        case 'wait':
          this.record([draft('run_status', { turn_id: TURN, status: 'waiting', reason: 'suspended' })]);
          if (this.decided().length === 0) return this.become({ active: false });
          this.record([draft('run_status', { turn_id: TURN, status: 'running' })]);
          break;
        case 'children':
          return judge.broken('a turn without children waits for them');
        case 'end':
          return this.finish(step.end);
      }
    }
  }

  /** A turn that waits runs on once something is decided. */
  private resumed(): boolean {
    if (!this.process.ports || turnState(this.turn) !== 'waiting' || this.decided().length === 0)
      return false;
    this.record([draft('run_status', { turn_id: TURN, status: 'running' })]);
    this.become({ active: true });
    return true;
  }

  private decided(): readonly OpenCall[] {
    const { batch, core } = this.setting;
    const living = this.alive.map((id) => this.turn.open.get(id)?.process?.pid);
    return core.decidedCalls(this.turn, { batch, isAlive: ({ pid }) => living.includes(pid) });
  }

  private carryOut(call: OpenCall): void {
    if (call.decision === null) return judge.broken(`${call.call_id} goes on undecided`);
    const next = this.setting.core.resumption(TURN, call, call.decision, this.ids);
    this.record(next.drafts);
    if (next.kind === 'again') this.become({ again: [...this.process.again, call.call_id] });
  }

  private start(id: string): void {
    if (this.alive.includes(id)) judge.broken(`${id} runs again while its process lives`);
    const process = this.effect(id) === 'execute' ? { process: processOf(id) } : {};
    const move = callMove(TURN, this.open(id), 'running');
    this.record([{ ...move, data: { ...move.data, ...process } }]);
    this.evidence = judge.started(this.evidence, id);
    this.become({ executing: [...this.process.executing, id] });
    this.passed.push(this.position);
  }

  private ended(id: string, outcome: ToolOutcome): void {
    this.become({ executing: this.process.executing.filter((other) => other !== id) });
    if (outcome.kind === 'success') this.evidence = judge.happened(this.evidence, id);
    const call = { ...this.open(id), duration_ms: 1 };
    this.record(this.setting.core.outcomeDrafts(TURN, call, outcome, this.ids));
  }

  private finish(end: RunEnd): void {
    if (isTerminal(turnState(this.turn)) && this.turn.run === 'done') return this.become(IDLE);
    const streaming = this.process.inferring !== null;
    const { stream: stream_run_id } = this;
    const remains = streaming ? { ...NOTHING_REMAINS, text: 'Half', stream_run_id } : NOTHING_REMAINS;
    this.record(this.setting.core.closing(this.turn, end, remains));
    if (streaming) judge.kept(this.evidence, stream_run_id);
    this.become({ ...IDLE, ports: this.process.ports });
  }

  private open(id: string): OpenCall {
    const call = this.turn.open.get(id);
    return call ?? judge.broken(`${id} is lost`);
  }

  private effect(id: string): Effect {
    return this.setting.tools[id]?.effect ?? 'read';
  }

  private become(change: Partial<Process>): void {
    this.process = { ...this.process, ...change };
  }

  private record(drafts: readonly Draft[]): void {
    for (const entry of drafts) {
      const seq = this.length;
      const id = `event_${seq}`;
      const ts = '2026-01-01T00:00:00.000Z';
      const event = { v: SCHEMA_VERSION, id, session_id: 's1', seq, ts, ...entry } as KnownEvent;
      this.length += 1;
      this.turn = this.setting.core.applyToTurn(this.turn, event);
      this.evidence = judge.witness(this.evidence, event, this.setting);
      this.passed.push(this.position);
    }
  }
}
