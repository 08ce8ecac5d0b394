import { Calls } from './calls.ts';
import { TAILS } from './compaction/plan.ts';
import { compactionDrafts, prepareCompaction } from './compaction/prepare.ts';
import type { CompactionTrigger } from './context-events.ts';
import { closing, NOTHING_REMAINS, type Remains } from './closing.ts';
import { hasNewCalls, nextStep } from './decide.ts';
import { draft, type Draft } from './events.ts';
import { runPhase, type Phase } from './extension.ts';
import { infer } from './inference.ts';
import { moveRun, type RunState } from './machines.ts';
import { AppendFailed } from './ports.ts';
import { bugEnd, finishedReason, UNEXPLAINED, type RunEnd, type RunResult } from './run-end.ts';
import { phaseView, type TurnContext } from './turn-context.ts';
import type { OpenCall } from './turn-calls.ts';

/** Carries a turn to where it rests: an end, or waiting for a person. Decides nothing itself. */
export class TurnRun {
  private readonly calls: Calls;

  constructor(private readonly context: TurnContext) {
    this.calls = new Calls(context);
  }

  /** A decision is on record: it is carried out at once, whatever the run is doing. */
  wake(): void {
    void this.calls.resume();
  }

  async carry(): Promise<RunResult> {
    try {
      return await this.carryOut();
    } catch (error) {
      // What the log already calls ended stays ended; only a run still open is closed as failed.
      if (error instanceof AppendFailed || this.context.turn().run === 'done') throw error;
      return this.finish(bugEnd(error), NOTHING_REMAINS);
    }
  }

  private async carryOut(): Promise<RunResult> {
    const { context, calls } = this;
    let end = await this.phase('run_start');
    for (;;) {
      await calls.idle();
      // Decided since: nothing is concluded over a call that goes on.
      if (calls.isBusy && context.halt() === null) continue;
      const step = nextStep(context.turn(), end ?? context.halt(), {
        batch: context.settings.batch_approvals,
      });
      switch (step.kind) {
        case 'infer': {
          end = (await this.phase('step_start')) ?? (await this.phase('before_inference'));
          if (end !== null || context.halt() !== null) break;
          const result = await infer(context);
          if (result.kind === 'end')
            return this.finish(result.end ?? context.halt() ?? UNEXPLAINED, result.remains);
          // With calls, the step ends with their round.
          if (!hasNewCalls(context.turn())) end = await this.phase('step_end');
          break;
        }
        case 'round':
          end = await this.round(step.calls);
          break;
        case 'wait':
          calls.hold();
          await context.record([this.moved('waiting')]);
          if (!calls.hasDecided) return { kind: 'waiting', on: step.on };
          // Decided while that was being written: it does not wait after all.
          await context.record([this.moved('running')]);
          calls.reopen();
          break;
        case 'children': {
          const activity = { kind: 'awaiting_children' as const, children: step.open };
          context.publish({
            kind: 'status',
            turn_id: context.turn().turn_id,
            activity: { ...activity, since: context.clock.now() },
          });
          await context.children.changed(context.signal);
          break;
        }
        case 'end':
          return this.finish(step.end, NOTHING_REMAINS);
      }
    }
  }

  private async round(calls: readonly OpenCall[]): Promise<RunEnd | null> {
    await this.calls.begin(calls);
    await this.calls.idle();
    return (await this.phase('after_tool')) ?? (await this.phase('step_end'));
  }

  private moved(to: Exclude<RunState, 'done'>): Draft {
    const { turn_id, run } = this.context.turn();
    const waits =
      to === 'waiting' ? { reason: 'suspended' as const, elapsed_ms: this.context.elapsed() } : {};
    return draft('run_status', { turn_id, status: moveRun(run, to, turn_id), ...waits });
  }

  private async phase(name: Exclude<Phase, 'before_tool'>): Promise<RunEnd | null> {
    const { context } = this;
    const { end, record, compact } = runPhase(context.extensions, name, phaseView(context));
    if (record.length > 0) await context.record(record);
    if (compact !== null && end === null) await this.compact(compact);
    return end;
  }

  /** Where nothing can be compacted, the model is asked all the same: it may still fit. */
  private async compact(trigger: CompactionTrigger): Promise<void> {
    const { context } = this;
    const { turn_id } = context.turn();
    const activity = { kind: 'compacting' as const, since: context.clock.now() };
    context.publish({ kind: 'status', turn_id, activity });
    const wanted = { trigger, tail: TAILS[0], turn_id };
    const prepared = await prepareCompaction(context, wanted, context.settings.compaction_strategy);
    const drafts = compactionDrafts(prepared);
    if (drafts.length > 0) await context.record(drafts);
  }

  private async finish(end: RunEnd, remains: Remains): Promise<RunResult> {
    const { context } = this;
    await this.calls.close();
    await context.children.close(end);
    await this.runEnd();
    const timing = { timeout_ms: context.settings.turn_timeout_ms, elapsed_ms: context.elapsed() };
    await context.record(closing(context.turn(), end, { ...remains, ...timing }));
    await context.log.clearStream();
    const { completed_calls: executed } = context.turn();
    return { kind: 'ended', finished_reason: finishedReason(end), partial_text: remains.text, executed };
  }

  /** How the run ends is decided: an extension that fails here is told of, and the run is closed all the same. */
  private async runEnd(): Promise<void> {
    try {
      await this.phase('run_end');
    } catch (error) {
      if (error instanceof AppendFailed) throw error;
      const { error_kind: code, message, details, next_actions } = bugEnd(error);
      const { turn_id } = this.context.turn();
      await this.context.record([draft('diagnostic', { turn_id, code, message, details, next_actions })]);
    }
  }
}
