import { callMove } from './closing.ts';
import { outcomeDrafts } from './call-drafts.ts';
import type { CompactedImage } from './context-events.ts';
import type { CommandProcess } from './events.ts';
import { IllegalMove } from './machines.ts';
import type { PreparedCall, ToolContext, ToolOutcome } from './ports.ts';
import { activatedOnce } from './skill-activation.ts';
import type { TurnContext } from './turn-context.ts';
import type { OpenCall } from './turn-calls.ts';

/** How long a tool may take to end after it was told to. */
const ABORT_GRACE_MS = 1000;

/** A call that may run now. */
export interface Work {
  readonly call: OpenCall;
  readonly prepared: PreparedCall;
  /** What a decision gives to the tool. */
  readonly given: Pick<ToolContext, 'basis' | 'decision'>;
}

function hasEffects(call: PreparedCall): boolean {
  return call.effect === 'write' || call.effect === 'execute';
}

/**
 * Whether a call has to wait for one that runs already: always for one that writes the same thing, and a command
 * for every edit, because it may be there to try it. Calls that nobody was asked about also keep the order in which
 * the model wrote them around commands, which may write anything; what a person lets go on does so at once.
 */
export function waitsFor(
  later: PreparedCall,
  earlier: PreparedCall,
  how: { readonly decided: boolean },
): boolean {
  if (earlier.writes.some((resource) => later.writes.includes(resource))) return true;
  if (!hasEffects(earlier) || !hasEffects(later)) return false;
  if (earlier.effect === 'write') return later.effect === 'execute';
  return !how.decided;
}

/**
 * `running` is durable before the tool starts. A command is the one tool that tells its process with it, so
 * it announces itself, once its process is there and before that does anything.
 */
export async function runCall(context: TurnContext, work: Work): Promise<void> {
  if (context.signal.aborted) return;
  const { call, prepared } = work;
  const { turn_id } = context.turn();
  const starting = new Starting(context, turn_id, call);
  if (prepared.effect !== 'execute') await starting.record({});
  const began = context.clock.now();
  const outcome = await runBounded(context, work, turn_id, (process) => starting.record({ process }));
  const standing = { call_id: call.call_id, state: starting.end(), duration_ms: context.clock.now() - began };
  // A run that is ending asks nobody any more: its closing tells what became of the call.
  if (outcome.kind === 'suspended' && context.signal.aborted) return;
  await context.record(outcomeDrafts(turn_id, standing, activatedOnce(outcome, context.turn()), context.ids));
}

class Starting {
  private state: OpenCall['state'];
  private over = false;

  constructor(
    private readonly context: TurnContext,
    private readonly turnId: string,
    private readonly call: OpenCall,
  ) {
    this.state = context.turn().open.get(call.call_id)?.state ?? call.state;
  }

  async record(extra: { readonly process?: CommandProcess }): Promise<void> {
    const { call_id } = this.call;
    // A tool that was left behind starts too late: its call has been answered for.
    if (this.over) throw new IllegalMove('call', 'over', 'running', call_id);
    const move = callMove(this.turnId, { call_id, state: this.state }, 'running');
    this.state = 'running';
    await this.context.record([{ ...move, data: { ...move.data, ...extra } }]);
  }

  /** From here on nothing starts any more. */
  end(): OpenCall['state'] {
    this.over = true;
    return this.state;
  }
}

/** A tool that does not end after an abort is left behind; the turn does not hang with it. */
async function runBounded(
  context: TurnContext,
  { prepared, given }: Work,
  turn_id: string,
  started: (process: CommandProcess) => Promise<void>,
): Promise<ToolOutcome> {
  const { call_id } = prepared;
  const progress = (text: string): void => context.publish({ kind: 'tool_progress', turn_id, call_id, text });
  const { signal } = context;
  const call = { call_id, turn_id };
  const images = (): readonly CompactedImage[] => context.images();
  const work = context.tools.run(prepared, { signal, call, images, progress, started, ...given });
  const finished = new AbortController();
  const abandoned = (async (): Promise<ToolOutcome> => {
    await aborted(AbortSignal.any([context.signal, finished.signal]));
    await context.clock.sleep(ABORT_GRACE_MS, finished.signal);
    const error = {
      kind: 'cancelled',
      message: 'The tool did not stop in time and was left behind. What it did is unknown.',
    };
    return { kind: 'failure', error, changes: [] };
  })();
  try {
    return await Promise.race([work, abandoned]);
  } finally {
    finished.abort();
    // Left behind or done: either way it has been answered for.
    work.catch(() => undefined);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
