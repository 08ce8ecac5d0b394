import { closing, NOTHING_REMAINS, type Remains } from './closing.ts';
import { nextStep } from './decide.ts';
import { draft, type Draft } from './events.ts';
import { runPhase, type Phase } from './extension.ts';
import { infer } from './inference.ts';
import { IllegalMove, moveRun } from './machines.ts';
import { AppendFailed } from './ports.ts';
import { errorFacts } from './provider-errors.ts';
import { finishedReason, type RunEnd, type RunResult } from './run-end.ts';
import { runRound } from './tool-round.ts';
import { phaseView, type TurnContext } from './turn-context.ts';
import type { Turn } from './turn.ts';

/** Carries a turn to where it rests: an end, or waiting for a person. Decides nothing itself. */
export async function runTurn(context: TurnContext): Promise<RunResult> {
  try {
    return await carryOut(context);
  } catch (error) {
    // What the log already calls ended stays ended; only a run still open is closed as failed.
    if (error instanceof AppendFailed || context.turn().run === 'done') throw error;
    return finish(context, bugEnd(error), NOTHING_REMAINS);
  }
}

async function carryOut(context: TurnContext): Promise<RunResult> {
  let end = await phase(context, 'run_start');
  for (;;) {
    const step = nextStep(context.turn(), end ?? context.halt());
    switch (step.kind) {
      case 'infer': {
        end = (await phase(context, 'step_start')) ?? (await phase(context, 'before_inference'));
        if (end !== null || context.halt() !== null) break;
        const result = await infer(context);
        if (result.kind === 'end')
          return finish(context, result.end ?? context.halt() ?? UNEXPLAINED, result.remains);
        end = await phase(context, 'step_end');
        break;
      }
      case 'round':
        end = await runRound(context, step.calls);
        break;
      case 'wait':
        await context.record([waiting(context.turn())]);
        return { kind: 'waiting', on: step.on };
      case 'end':
        return finish(context, step.end, NOTHING_REMAINS);
    }
  }
}

function waiting({ turn_id, run }: Turn): Draft {
  return draft('run_status', { turn_id, status: moveRun(run, 'waiting', turn_id), reason: 'suspended' });
}

async function phase(context: TurnContext, name: Exclude<Phase, 'before_tool'>): Promise<RunEnd | null> {
  const { end, record } = runPhase(context.extensions, name, phaseView(context));
  if (record.length > 0) await context.record(record);
  return end;
}

async function finish(context: TurnContext, end: RunEnd, remains: Remains): Promise<RunResult> {
  await runEnd(context);
  const { settings, clock, started_at } = context;
  const timing = { timeout_ms: settings.turn_timeout_ms, elapsed_ms: clock.now() - started_at };
  await context.record(closing(context.turn(), end, { ...remains, ...timing }));
  await context.log.clearStream();
  const { completed_calls: executed } = context.turn();
  return { kind: 'ended', finished_reason: finishedReason(end), partial_text: remains.text, executed };
}

/** How the run ends is decided: an extension that fails here is told of, and the run is closed all the same. */
async function runEnd(context: TurnContext): Promise<void> {
  try {
    await phase(context, 'run_end');
  } catch (error) {
    if (error instanceof AppendFailed) throw error;
    const { error_kind: code, message, details, next_actions } = bugEnd(error);
    const turn_id = context.turn().turn_id;
    await context.record([draft('diagnostic', { turn_id, code, message, details, next_actions })]);
  }
}

const UNEXPLAINED: RunEnd = {
  kind: 'error',
  error_kind: 'internal',
  message: 'The run stopped without a reason.',
  details: {},
  next_actions: errorFacts('internal').next_actions,
};

function bugEnd(error: unknown): Extract<RunEnd, { kind: 'error' }> {
  const { sentence, next_actions } = errorFacts('internal');
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const error_kind = error instanceof IllegalMove ? 'illegal_move' : 'internal';
  return { kind: 'error', error_kind, message: sentence, details: { error: what }, next_actions };
}
