import type { Session } from '../../src/runtime/session.ts';
import type { SessionPaths } from '../../src/storage/session-paths.ts';
import type { DurableLog } from './durable-log.ts';
import type { Faults } from './faults.ts';
import { CALL_PROMISES } from './promises/call-promises.ts';
import { SAID_PROMISES } from './promises/decision-promises.ts';
import { hold, PromiseBroken } from './promises/promise.ts';
import { FOLD_PROMISES, LOG_PROMISES, REST_PROMISES } from './promises/session-promises.ts';
import { turnIdOf, turnsOf, type TurnFacts } from './promises/turn-facts.ts';
import { TURN_PROMISES } from './promises/turn-promises.ts';
import type { SimFiles } from './sim-files.ts';
import { hasEffects } from './sim-tools.ts';
import type { World } from './world.ts';

const NEWLINE = 10;
/** Longer than the text that streams in is kept unsaved. */
const SAVED_AFTER_MS = 250;

/** Sees that the promises hold: after every step, at every rest, after every crash and at the end. */
export class Watch {
  private checked = 0;
  private turns: readonly TurnFacts[] = [];
  private folded = -1;
  private scratchTouchedAt = 0;
  /** Streams of processes that are gone already. */
  private streamsBefore = 0;
  private powerCuts = 0;
  /** What openings wrote, by the first and last seq; the last of them may be under way. */
  private readonly openings: { readonly from: number; to: number }[] = [];
  /** Who was asked when the last process died, and how long the log was then. */
  private asked: {
    readonly turn_id: string;
    readonly pending: ReadonlyMap<string, string>;
    seq: number;
  } | null = null;
  /** Text that the next recovery has to bring back. */
  private saved: { readonly stream: string; readonly text: string; readonly faults: number } | null = null;

  constructor(
    private readonly log: DurableLog,
    private readonly world: World,
    private readonly files: SimFiles,
    private readonly paths: SessionPaths,
    private readonly faults: Faults,
    private readonly endpoint: string,
    /** Calls of a round are decided together. */
    private readonly batch: boolean,
  ) {}

  /** A process begins to open the session: what it writes now nobody has asked for. */
  opening(): void {
    // What a dead process has written is there, durable or not.
    const bytes = this.files.content(this.paths.log) ?? Buffer.alloc(0);
    const from = bytes.filter((byte) => byte === NEWLINE).length;
    const before = this.openings.at(-1);
    if (before?.to === Infinity) before.to = from - 1;
    this.openings.push({ from, to: Infinity });
  }

  opened(): void {
    this.log.refresh();
    const opening = this.openings.at(-1);
    if (opening !== undefined && opening.to === Infinity) opening.to = this.log.lastSeq;
    this.pendingSurvived();
  }

  afterStep(session: Session | null): void {
    const { world, log } = this;
    if (world.broken !== null) throw world.broken;
    log.refresh();
    if (log.events.length > this.checked) this.logGrew();
    if (session === null || session.state.last_seq !== log.lastSeq || this.folded === log.lastSeq) return;
    this.folded = log.lastSeq;
    hold(FOLD_PROMISES, { session, log, turns: this.turns });
  }

  atRest(session: Session, model: string): void {
    this.afterStep(session);
    const { log, turns, endpoint, saved } = this;
    hold(REST_PROMISES, { session, log, turns, target: { model, endpoint } });
    this.saved = null;
    // A scratch that cannot be read does not keep the session from opening.
    if (saved === null || saved.faults < this.faults.struck) return;
    if (!turns.some((turn) => turn.textOf(saved.stream).startsWith(saved.text)))
      throw new PromiseBroken(`text that was shown and kept survives a crash: ${saved.stream} ${saved.text}`);
  }

  /** Found the lease to be another's. Only one that a power cut or a fault left unreadable may look so. */
  held(): void {
    if (this.powerCuts === 0 && this.faults.struck === 0)
      throw new PromiseBroken('the lease of a dead process is taken over at once: it binds');
  }

  stopped(turnId: string): void {
    this.afterStep(null);
    const state = this.turns.find((turn) => turn.turn_id === turnId)?.state;
    if (state === undefined || state === 'running' || state === 'waiting')
      throw new PromiseBroken(`a stop is answered when the turn has ended: ${turnId} is ${state}`);
  }

  atEnd(): void {
    this.afterStep(null);
    const last = this.turns.at(-1);
    if (last?.state !== 'completed')
      throw new PromiseBroken(`after all trouble a turn completes: it is ${last?.state}`);
    for (const path of [this.paths.lease, this.paths.stream])
      if (this.files.content(path) !== null) throw new PromiseBroken(`a closed session leaves no ${path}`);
  }

  scratchTouched(now: number): void {
    this.scratchTouchedAt = now;
  }

  /** Notes what a killed process has surely kept. A power cut may take the scratch, which is not synced. */
  crashed(crash: { readonly powerCut: boolean; readonly saving: boolean; readonly now: number }): void {
    const turn = this.turns.at(-1);
    if (turn?.state === 'waiting' && this.openings.at(-1)?.to !== Infinity) {
      const { turn_id } = turn;
      const undecided = [...turn.pending].filter(([callId]) => turn.isUndecided(callId));
      this.asked = { turn_id, pending: new Map(undecided), seq: this.log.lastSeq };
    }
    const [stream, shown] = [...this.world.shown].slice(this.streamsBefore).at(-1) ?? [];
    this.streamsBefore = this.world.shown.size;
    if (crash.powerCut) {
      this.powerCuts += 1;
      this.saved = null;
    }
    if (crash.powerCut || stream === undefined || shown === undefined) return;
    const faults = this.faults.struck;
    const idle = !crash.saving && faults === 0 && crash.now - this.scratchTouchedAt > SAVED_AFTER_MS;
    const scratch = this.scratchOf(stream);
    const surely = idle ? shown.text : crash.saving || faults > 0 ? scratch : shown.first;
    const text = this.isOver(shown.turn_id, stream) || surely.length < scratch.length ? scratch : surely;
    if (text !== '') this.saved = { stream, text, faults };
  }

  private pendingSurvived(): void {
    const { asked, log } = this;
    this.asked = null;
    if (asked === null) return;
    const turn = turnsOf(log.events).find(({ turn_id }) => turn_id === asked.turn_id);
    // What the dead process was writing may have come through: then it was not asked any more.
    const more = turn?.events.some(({ seq }) => seq > asked.seq && !this.recovered(seq)) === true;
    for (const [callId, question] of asked.pending)
      if (!more && turn?.pending.get(callId) !== question)
        throw new PromiseBroken(`what is asked is there again after a crash: ${callId} is not`);
  }

  private recovered(seq: number): boolean {
    return this.openings.some(({ from, to }) => seq >= from && seq <= to);
  }

  private isOver(turnId: string, stream: string): boolean {
    const turn = this.turns.find((known) => known.turn_id === turnId);
    return (
      turn === undefined || turn.isWhole(stream) || turn.partial !== undefined || turn.state !== 'running'
    );
  }

  private scratchOf(stream: string): string {
    const bytes = this.files.content(this.paths.stream);
    if (bytes === null) return '';
    const scratch = JSON.parse(bytes.toString('utf8')) as {
      readonly stream_run_id: string;
      readonly text: string;
    };
    return scratch.stream_run_id === stream ? scratch.text : '';
  }

  private logGrew(): void {
    const { log, world } = this;
    const touched = new Set(log.events.slice(this.checked).map(turnIdOf));
    this.checked = log.events.length;
    this.turns = turnsOf(log.events);
    const { acknowledged, published, said, accepted } = world;
    hold(LOG_PROMISES, { log, turns: this.turns, acknowledged, published });
    hold(SAID_PROMISES, { turns: this.turns, said, accepted });
    const recovered = (seq: number): boolean => this.recovered(seq);
    for (const turn of this.turns) {
      if (!touched.has(turn.turn_id)) continue;
      hold(TURN_PROMISES, {
        turn,
        hasEffects,
        affected: (callId) => world.effects.has(callId),
        shown: world.shown,
        recovered,
      });
      hold(CALL_PROMISES, { turn, batch: this.batch, recovered });
    }
  }
}
