import { passageDrafts, resumption } from './call-drafts.ts';
import { passageOf } from './call-gate.ts';
import { runCall, waitsFor } from './call-work.ts';
import { decidedCalls } from './decisions.ts';
import type { PreparedCall, ToolContext } from './ports.ts';
import { bugEnd } from './run-end.ts';
import type { OpenCall } from './turn-calls.ts';
import { phaseView, type TurnContext } from './turn-context.ts';

interface Running {
  /** Null for a call that cannot run: it is only told so. */
  readonly prepared: PreparedCall | null;
  readonly done: Promise<void>;
}

/**
 * The calls of one run. They are gated and announced together, and each runs when it is allowed or decided:
 * also while others run, and while the model is answering.
 */
export class Calls {
  private readonly running = new Map<string, Running>();
  private resuming: Promise<void> = Promise.resolve();
  private resumes = 0;
  private fault: { readonly error: unknown } | null = null;
  private over = false;

  constructor(private readonly context: TurnContext) {}

  /** Gates all calls of a round at once, announces what does not run, and starts the rest. */
  async begin(calls: readonly OpenCall[]): Promise<void> {
    const { context } = this;
    const view = phaseView(context);
    const gated = await Promise.all(
      calls.map(async (call) => ({ call, passage: await passageOf(context, view, call) })),
    );
    // What was stopped meanwhile is closed as never started.
    if (context.signal.aborted) return;
    await context.record(
      gated.flatMap(({ call, passage }) => passageDrafts(view.turn.turn_id, call, passage, context.ids)),
    );
    for (const { call, passage } of gated) {
      if (passage.kind !== 'allowed') continue;
      const { prepared } = passage;
      const work = (): Promise<void> => runCall(context, { call, prepared, given: {} });
      this.start(call, prepared, work, { decided: false });
    }
    this.tell();
  }

  /** The resume gate: carries out what has been decided. Resolves when that has begun; never rejects. */
  resume(): Promise<void> {
    this.resumes += 1;
    const earlier = this.resuming;
    this.resuming = (async () => {
      await earlier;
      await this.drain();
      this.resumes -= 1;
    })();
    return this.resuming;
  }

  /** Resolves when nothing runs and nothing decided is left to carry out. */
  async idle(): Promise<void> {
    do {
      await this.resume();
      await this.ended();
    } while (this.isBusy);
    if (this.fault !== null) throw this.fault.error;
  }

  /** Something runs, or is about to: to be asked in the same moment in which it matters. */
  get isBusy(): boolean {
    return this.running.size > 0 || this.resumes > 0 || (!this.stopped && this.hasDecided);
  }

  /** Whether a decision waits to be carried out. */
  get hasDecided(): boolean {
    return this.decided().length > 0;
  }

  /** From here on nothing starts, until `reopen`. */
  hold(): void {
    this.over = true;
  }

  reopen(): void {
    this.over = false;
  }

  /** Nothing starts any more; resolves when what runs has ended. */
  async close(): Promise<void> {
    this.hold();
    await this.resuming;
    await this.ended();
  }

  private async ended(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  private get stopped(): boolean {
    return this.over || this.fault !== null || this.context.signal.aborted;
  }

  private decided(): readonly OpenCall[] {
    const { context } = this;
    return decidedCalls(context.turn(), {
      batch: context.settings.batch_approvals,
      isAlive: (process) => context.isAlive(process),
    });
  }

  private async drain(): Promise<void> {
    try {
      for (let [call] = this.decided(); call !== undefined && !this.stopped; [call] = this.decided())
        await this.carryOut(call);
    } catch (error) {
      this.failed(error);
    }
  }

  private async carryOut(call: OpenCall): Promise<void> {
    const { context } = this;
    if (call.decision === null) return;
    const next = resumption(context.turn().turn_id, call, call.decision, context.ids);
    await context.record(next.drafts);
    if (next.kind !== 'again') return;
    const prepared = context.tools.prepare(call);
    const given = next.decision === undefined ? {} : { decision: next.decision };
    const work = (): Promise<void> => this.again(call.call_id, given);
    this.start(call, prepared.ok ? prepared.call : null, work, { decided: true });
    this.tell();
  }

  /** Gated when its turn has come: what ran before it may have changed what it is about. */
  private async again(callId: string, given: Pick<ToolContext, 'decision'>): Promise<void> {
    const { context } = this;
    const call = context.turn().open.get(callId);
    if (call === undefined || context.signal.aborted) return;
    const passage = await passageOf(context, phaseView(context), call);
    if (context.signal.aborted) return;
    await context.record(passageDrafts(context.turn().turn_id, call, passage, context.ids));
    if (passage.kind !== 'allowed') return;
    const { prepared, basis } = passage;
    await runCall(context, { call, prepared, given: basis === undefined ? given : { ...given, basis } });
  }

  private start(
    call: OpenCall,
    prepared: PreparedCall | null,
    work: () => Promise<void>,
    how: { readonly decided: boolean },
  ): void {
    const before = [...this.running.values()].filter(
      (earlier) =>
        prepared !== null && earlier.prepared !== null && waitsFor(prepared, earlier.prepared, how),
    );
    const done = Promise.all(before.map((earlier) => earlier.done))
      .then(work)
      .catch((error: unknown) => this.failed(error))
      .finally(() => {
        this.running.delete(call.call_id);
        // It may have suspended itself, and an early decision may wait for that.
        void this.resume();
      });
    this.running.set(call.call_id, { prepared, done });
  }

  private tell(): void {
    if (this.running.size === 0) return;
    const { context } = this;
    const activity = {
      kind: 'running_tools' as const,
      calls: [...this.running.keys()],
      since: context.clock.now(),
    };
    context.publish({ kind: 'status', turn_id: context.turn().turn_id, activity });
  }

  /** Ends the run: what is under way is told at once, and `idle` passes the failure on. */
  private failed(error: unknown): void {
    this.fault ??= { error };
    this.context.abort(bugEnd(error));
  }
}
