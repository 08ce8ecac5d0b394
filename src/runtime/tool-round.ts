import { callMove } from './closing.ts';
import { draft, type CommandProcess, type Draft, type ToolError } from './events.ts';
import { gate, runPhase, type GateVote } from './extension.ts';
import { IllegalMove } from './machines.ts';
import type { PreparedCall, ToolOutcome } from './ports.ts';
import type { RunEnd } from './run-end.ts';
import { phaseView, type TurnContext } from './turn-context.ts';
import type { OpenCall } from './turn.ts';

/** How long a tool may take to end after it was told to. */
const ABORT_GRACE_MS = 1000;

/**
 * Gates all calls of a round at once, announces what does not run, and runs the rest: together where they
 * are independent, one after the other where they share something they write.
 */
export async function runRound(context: TurnContext, calls: readonly OpenCall[]): Promise<RunEnd | null> {
  const view = phaseView(context);
  const turn_id = view.turn.turn_id;
  const gated = calls.map((call) => ({ call, passage: passage(context, call) }));
  const settled = gated.flatMap(({ call, passage: { vote } }) => announce(context, call, vote));
  if (settled.length > 0) await context.record(settled);

  const runnable = gated.flatMap(({ call, passage: { vote, prepared } }) =>
    vote.kind === 'allow' && prepared !== null ? [{ call, prepared }] : [],
  );
  const since = context.clock.now();
  if (runnable.length > 0) {
    const activity = {
      kind: 'running_tools' as const,
      calls: runnable.map(({ call }) => call.call_id),
      since,
    };
    context.publish({ kind: 'status', turn_id, activity });
  }
  const started: { readonly prepared: PreparedCall; readonly done: Promise<void> }[] = [];
  for (const { call, prepared } of runnable) {
    const before = started.filter((earlier) => conflict(earlier.prepared, prepared)).map(({ done }) => done);
    started.push({ prepared, done: Promise.allSettled(before).then(() => runCall(context, call, prepared)) });
  }
  await everyOne(started.map(({ done }) => done));

  const after = runPhase(context.extensions, 'after_tool', phaseView(context));
  if (after.record.length > 0) await context.record(after.record);
  return after.end;
}

/** All have ended before the first failure is passed on: nothing is left running behind a closed round. */
async function everyOne(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

interface Passage {
  readonly vote: GateVote;
  readonly prepared: PreparedCall | null;
}

/** Unknown tool, then invalid arguments, then what the extensions say. */
function passage(context: TurnContext, call: OpenCall): Passage {
  const prepared = context.tools.prepare(call);
  if (!prepared.ok) return { vote: { kind: 'block', error: prepared.error, rule: null }, prepared: null };
  return { vote: gate(context.extensions, phaseView(context), prepared.call), prepared: prepared.call };
}

function announce(context: TurnContext, call: OpenCall, vote: GateVote): readonly Draft[] {
  const turn_id = context.turn().turn_id;
  const { call_id } = call;
  switch (vote.kind) {
    case 'allow':
      return [decision(turn_id, call_id, 'allow', vote.rule)];
    case 'block':
      return [
        ...(vote.rule === null ? [] : [decision(turn_id, call_id, 'deny', vote.rule)]),
        ...failedBeforeStart(turn_id, call, vote.error),
      ];
    case 'preset':
      return [
        callMove(turn_id, call, 'running'),
        draft('tool_result', { turn_id, call_id, ok: true, output: vote.output, duration_ms: 0 }),
        callMove(turn_id, { call_id, state: 'running' }, 'succeeded'),
      ];
    case 'suspend': {
      const move = callMove(turn_id, call, 'suspended');
      const suspension = { id: context.ids.next('suspension'), ...vote.suspension };
      return [decision(turn_id, call_id, 'ask', vote.rule), { ...move, data: { ...move.data, suspension } }];
    }
  }
}

function decision(
  turn_id: string,
  call_id: string,
  what: 'allow' | 'deny' | 'ask',
  rule: string | null,
): Draft {
  return draft('permission_decision', {
    turn_id,
    call_id,
    decision: what,
    decided_by: rule === null || /^(mode|policy):/.test(rule) ? 'policy' : 'rule',
    rule,
    scope: 'call',
    sub_commands: [],
  });
}

function failedBeforeStart(turn_id: string, call: OpenCall, error: ToolError): readonly Draft[] {
  return [
    draft('tool_result', { turn_id, call_id: call.call_id, ok: false, error, duration_ms: 0 }),
    callMove(turn_id, call, 'failed'),
  ];
}

function hasEffects(call: PreparedCall): boolean {
  return call.effect === 'write' || call.effect === 'execute';
}

/** Two calls that must not run together: they write the same thing, or one of them may write anything. */
export function conflict(a: PreparedCall, b: PreparedCall): boolean {
  if (!hasEffects(a) || !hasEffects(b)) return false;
  if (a.effect === 'execute' || b.effect === 'execute') return true;
  return a.writes.some((resource) => b.writes.includes(resource));
}

/**
 * `running` is durable before the tool starts. A command is the one tool that tells its process with it, so
 * it announces itself, once its process is there and before that does anything.
 */
async function runCall(context: TurnContext, call: OpenCall, prepared: PreparedCall): Promise<void> {
  if (context.signal.aborted) return;
  const turn_id = context.turn().turn_id;
  const { call_id } = call;
  const starting = new Starting(context, turn_id, call);
  if (prepared.effect !== 'execute') await starting.record({});
  const began = context.clock.now();
  const outcome = await runBounded(context, prepared, turn_id, (process) => starting.record({ process }));
  const state = starting.end();
  await context.record(
    outcomeDrafts(context, { turn_id, call_id, state, duration_ms: context.clock.now() - began }, outcome),
  );
}

class Starting {
  private state: 'new' | 'running' = 'new';
  private over = false;

  constructor(
    private readonly context: TurnContext,
    private readonly turnId: string,
    private readonly call: OpenCall,
  ) {}

  async record(extra: { readonly process?: CommandProcess }): Promise<void> {
    const { call_id } = this.call;
    // A tool that was left behind starts too late: its call has been answered for.
    if (this.over) throw new IllegalMove('call', 'over', 'running', call_id);
    const move = callMove(this.turnId, { call_id, state: this.state }, 'running');
    this.state = 'running';
    await this.context.record([{ ...move, data: { ...move.data, ...extra } }]);
  }

  /** From here on nothing starts any more. */
  end(): 'new' | 'running' {
    this.over = true;
    return this.state;
  }
}

/** A tool that does not end after an abort is left behind; the turn does not hang with it. */
async function runBounded(
  context: TurnContext,
  prepared: PreparedCall,
  turn_id: string,
  started: (process: CommandProcess) => Promise<void>,
): Promise<ToolOutcome> {
  const { call_id } = prepared;
  const progress = (text: string): void => context.publish({ kind: 'tool_progress', turn_id, call_id, text });
  const work = context.tools.run(prepared, { signal: context.signal, progress, started });
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

interface Ended {
  readonly turn_id: string;
  readonly call_id: string;
  readonly state: 'new' | 'running';
  readonly duration_ms: number;
}

function outcomeDrafts(context: TurnContext, call: Ended, outcome: ToolOutcome): readonly Draft[] {
  const { turn_id, call_id, duration_ms } = call;
  if (outcome.kind === 'suspended') {
    const move = callMove(turn_id, call, 'suspended');
    return [
      {
        ...move,
        data: { ...move.data, suspension: { id: context.ids.next('suspension'), ...outcome.suspension } },
      },
    ];
  }
  const { output, blob } = outcome;
  const body = { ...(output === undefined ? {} : { output }), ...(blob === undefined ? {} : { blob }) };
  const changes = outcome.changes.map((change) => draft('file_change', { turn_id, call_id, ...change }));
  const result = { turn_id, call_id, ...body, duration_ms };
  if (outcome.kind === 'success') {
    return [...changes, draft('tool_result', { ...result, ok: true }), callMove(turn_id, call, 'succeeded')];
  }
  const { error } = outcome;
  const to = error.kind === 'cancelled' ? 'cancelled' : 'failed';
  return [...changes, draft('tool_result', { ...result, ok: false, error }), callMove(turn_id, call, to)];
}
