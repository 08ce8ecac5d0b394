import type { Decision } from '../../src/runtime/decisions.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import type { SessionOutput } from '../../src/runtime/outputs.ts';
import type { PreparedCall } from '../../src/runtime/ports.ts';
import type { DecideOutcome } from '../../src/runtime/session-ports.ts';
import type { DurableLog } from './durable-log.ts';
import { hold, PromiseBroken, type Promised } from './promises/promise.ts';
import { ACTING_PROMISES, ANSWER_PROMISES } from './promises/decision-promises.ts';
import { PUBLISHING_PROMISES } from './promises/session-promises.ts';
import type { Scheduler } from './scheduler.ts';
import { SimCommands } from './sim-commands.ts';
import { WorldFiles } from './world-files.ts';

/** What happened outside the processes, and what people saw: it outlives every crash. */
export class World {
  /** By call: how often it changed something. */
  readonly effects = new Map<string, number>();
  readonly published = new Map<number, LogEvent>();
  /** By client_turn_id: the turn that its sender was told of. */
  readonly acknowledged = new Map<string, string>();
  readonly shown = new Map<string, Shown>();
  /** What the person has said, by decision_id; and what of it was accepted. */
  readonly said = new Map<string, readonly Decision[]>();
  readonly accepted = new Set<string>();
  readonly files = new WorldFiles();
  readonly commands: SimCommands;
  private readonly silenced = new Set<string>();
  private firstBroken: PromiseBroken | null = null;

  constructor(
    private readonly log: DurableLog,
    scheduler: Scheduler,
    private readonly note: (line: string) => void,
    commandGone: () => void,
  ) {
    this.commands = new SimCommands(scheduler, note, (promise) => this.breaks(promise), commandGone);
  }

  /** Found where it could not be thrown, because the runtime would catch it. */
  get broken(): PromiseBroken | null {
    return this.firstBroken;
  }

  breaks(promise: PromiseBroken): void {
    this.firstBroken ??= promise;
  }

  affected(call: PreparedCall): void {
    const { call_id } = call;
    this.log.refresh();
    const times = (this.effects.get(call_id) ?? 0) + 1;
    this.effects.set(call_id, times);
    const basis = this.files.sha(call.subject);
    this.holds(ACTING_PROMISES, { call, times, basis, log: this.log.events });
  }

  /** The person says so; they may have said it before. */
  says(decision: Decision): void {
    const { decision_id } = decision;
    this.said.set(decision_id, [...(this.said.get(decision_id) ?? []), decision]);
  }

  isOnRecord(decisionId: string): boolean {
    this.log.refresh();
    return this.log.events.some(
      (event) => event.type === 'tool_call_decision' && event.data.decision_id === decisionId,
    );
  }

  /** The person hears what became of it. */
  hears(decision: Decision, outcome: DecideOutcome, before: { readonly on_record: boolean }): void {
    const { decision_id } = decision;
    const known = this.accepted.has(decision_id);
    const now = this.isOnRecord(decision_id);
    this.holds(ANSWER_PROMISES, { decision, outcome, before: before.on_record, now, known });
    if (outcome.kind === 'accepted') this.accepted.add(decision_id);
  }

  /** The last event that was shown. */
  get shownSeq(): number {
    return [...this.published.keys()].at(-1) ?? -1;
  }

  acknowledge(clientTurnId: string, turnId: string): void {
    const known = this.acknowledged.get(clientTurnId) ?? turnId;
    if (known !== turnId)
      this.breaks(new PromiseBroken(`a send is one turn: ${clientTurnId} is ${known} and ${turnId}`));
    this.acknowledged.set(clientTurnId, turnId);
  }

  /** The person has stopped this turn: nothing more of it is rendered. */
  silence(turnId: string): void {
    this.silenced.add(turnId);
  }

  /** Whoever showed text until now cannot answer for it any more. */
  cutOff(): void {
    for (const shown of this.shown.values()) shown.cut = true;
    // A stop that was not answered is gone with who heard it.
    this.silenced.clear();
  }

  publish(output: SessionOutput): void {
    if (output.kind === 'append_failed') this.cutOff();
    if ('turn_id' in output && this.silenced.has(output.turn_id))
      this.breaks(
        new PromiseBroken(`rendering ends at once with a stop: ${output.kind} of ${output.turn_id}`),
      );
    this.note(`  > ${summary(output)}`);
    if (output.kind === 'committed') this.show(output.events);
    if (output.kind === 'text_delta') {
      const { stream_run_id, turn_id } = output;
      const shown = this.shown.get(stream_run_id) ?? { turn_id, first: output.text, text: '', cut: false };
      this.shown.set(stream_run_id, shown);
      shown.text += output.text;
    }
    if (output.kind === 'internal_error')
      this.breaks(new PromiseBroken(`a bug never comes after the log was closed: ${output.message}`));
  }

  private holds<V>(promises: readonly Promised<V>[], view: V): void {
    try {
      hold(promises, view);
    } catch (error) {
      if (!(error instanceof PromiseBroken)) throw error;
      this.breaks(error);
    }
  }

  private show(events: readonly LogEvent[]): void {
    this.log.refresh();
    this.holds(PUBLISHING_PROMISES, { events, log: this.log });
    for (const event of events) this.published.set(event.seq, event);
  }
}

/** Text of one stream as people saw it. */
export interface Shown {
  /** The first words: they are kept at once. */
  readonly first: string;
  readonly turn_id: string;
  text: string;
  /** Its process died, or lost its log. */
  cut: boolean;
}

function summary(output: SessionOutput): string {
  switch (output.kind) {
    case 'committed':
      return `committed ${output.events.map(({ seq, type }) => `${seq} ${type}`).join(', ')}`;
    case 'text_delta':
    case 'reasoning_delta':
      return `${output.kind} ${output.stream_run_id} ${JSON.stringify(output.text.slice(0, 20))}`;
    case 'stream_rest':
      return `stream_rest ${output.stream_run_id}`;
    case 'tool_progress':
      return `tool_progress ${output.call_id}`;
    case 'status':
      return `status ${output.activity.kind}`;
    case 'append_failed':
      return `append_failed ${output.failure}`;
    case 'internal_error':
      return `internal_error ${output.message.slice(0, 200)}`;
  }
}
