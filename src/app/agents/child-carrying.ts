import type { Checkpoint, ChildQuestion } from '../../runtime/agent-events.ts';
import type { Child } from '../../runtime/agents/children.ts';
import {
  isTriedAgain,
  statusOfTurn,
  type Directive,
  type FinalStatus,
} from '../../runtime/agents/child-policy.ts';
import { summaryOf, type ChildWork } from '../../runtime/agents/child-work.ts';
import type { PermissionMode } from '../../runtime/events.ts';
import type { ChildOrigin, Prompt } from '../../runtime/opening.ts';
import type { Clock } from '../../runtime/ports.ts';
import { PATIENCE_MS, within } from '../patience.ts';
import type { ChildSession, Finished, Left } from './child-session.ts';
import type { LiveChild } from './live-child.ts';

/** How a child ended, with what proves it. */
export interface Outcome {
  readonly status: FinalStatus;
  readonly summary: string;
  readonly checkpoint: Checkpoint | null;
  readonly reason: string | null;
}

export interface CarryPorts {
  readonly clock: Clock;
  readonly timeout_ms: number;
  readonly mode: PermissionMode;
  /** The child as its parent's log has it now. */
  child(): Child;
  /** What its own log says of where it comes from. */
  origin(): ChildOrigin;
  open(waits: (questions: readonly ChildQuestion[] | null) => Promise<void>): Promise<ChildSession | Left>;
  /** Records that it begins anew, in another session. */
  again(failed: { readonly error_kind: string; readonly reason: string }): Promise<void>;
  waits(questions: readonly ChildQuestion[] | null): Promise<void>;
  newTurnId(): string;
}

/** So long may a child take to end by itself once its time is up. */
const GRACE_MS = 5000;
const GO_ON = 'Continue.';

/** Carries a child from its first word to its end, whatever comes between. Records nothing of the end. */
export async function carryChild(live: LiveChild, ports: CarryPorts): Promise<Outcome> {
  const over = new AbortController();
  const watched = watch(live, ports, over.signal);
  try {
    for (;;) {
      const outcome = await attempt(live, ports, over.signal);
      if ('status' in outcome) return outcome;
      live.takesInput = true;
      await ports.again(outcome);
    }
  } finally {
    live.takesInput = false;
    over.abort();
    await watched;
  }
}

interface Again {
  readonly error_kind: string;
  readonly reason: string;
}

async function attempt(live: LiveChild, ports: CarryPorts, over: AbortSignal): Promise<Outcome | Again> {
  if (live.directive !== null) return directed(live.directive);
  const session = await ports.open((questions) => ports.waits(questions));
  if ('why' in session) return failed(session.why);
  live.session = session;
  try {
    // It may have been told to end while it was being opened.
    const finished =
      live.directive === null
        ? await Promise.race([working(live, session, ports), givenUp(live, ports, over)])
        : null;
    return outcomeOf(live, finished, ports);
  } finally {
    live.takesInput = false;
    live.session = null;
    await within(PATIENCE_MS, session.close());
    live.agents = null;
  }
}

/** What does not end although it was told to is left behind. */
async function givenUp(live: LiveChild, { clock }: CarryPorts, over: AbortSignal): Promise<null> {
  await live.directed;
  await clock.sleep(PATIENCE_MS, over);
  return null;
}

/** What it was given to do, then what came in meanwhile, as long as it gets done. */
async function working(live: LiveChild, session: ChildSession, ports: CarryPorts): Promise<Finished | Left> {
  let last = await begin(live, session, ports);
  for (
    let text = live.inputs.shift();
    text !== undefined && live.directive === null;
    text = live.inputs.shift()
  ) {
    if ('why' in last || last.state !== 'completed') {
      live.inputs.unshift(text);
      return last;
    }
    last = await session.run({ client_turn_id: ports.newTurnId(), text, attachments: [] });
  }
  live.takesInput = false;
  return last;
}

async function begin(live: LiveChild, session: ChildSession, ports: CarryPorts): Promise<Finished | Left> {
  const { first } = live;
  if (session.isNew) {
    const done = await session.run(taskOf(ports));
    // Once: it stays in line when the task fails and is tried again.
    if (first.kind === 'input' && !live.firstInLine) live.inputs.unshift(first.text);
    live.firstInLine = true;
    return done;
  }
  if (first.kind === 'input') {
    return session.run({ client_turn_id: ports.newTurnId(), text: first.text, attachments: [] });
  }
  // What waits for a person still does; what had ended without anybody noticing is just told.
  if (session.state === 'waiting' || session.state === 'completed') return session.finished();
  return session.run({ client_turn_id: ports.newTurnId(), text: GO_ON, attachments: [] });
}

function taskOf(ports: CarryPorts): Prompt {
  const { subagent_id, task } = ports.child();
  return { client_turn_id: `task-${subagent_id}`, text: task, attachments: [], child: ports.origin() };
}

function outcomeOf(live: LiveChild, finished: Finished | Left | null, ports: CarryPorts): Outcome | Again {
  const { directive } = live;
  if (finished === null || 'why' in finished)
    return directive === null ? failed(finished?.why ?? 'It did not begin.') : directed(directive);
  const { state, work } = finished;
  const status = statusOfTurn(state);
  // What it had finished before it was told to end is finished.
  if (directive !== null && (status !== 'completed' || live.inputs.length > 0))
    return { ...directed(directive), ...evidenceOf(work) };
  if (status === 'completed') return { status, reason: null, ...evidenceOf(work) };
  const { error_kind = 'unknown', error_message = 'Its turn did not end with an answer.' } =
    work.failure ?? {};
  const attemptNo = live.attempts.length + 1;
  if (status === 'failed' && isTriedAgain({ mode: ports.mode, error_kind, attempt: attemptNo }))
    return { error_kind, reason: error_message };
  const unsent = live.inputs.length === 0 ? '' : ` ${live.inputs.length} further inputs were not sent.`;
  const reason = `${error_kind}: ${error_message}${unsent}`;
  return { status, reason, summary: '', checkpoint: work.checkpoint };
}

function evidenceOf(work: ChildWork): Pick<Outcome, 'summary' | 'checkpoint'> {
  return { summary: summaryOf(work), checkpoint: work.checkpoint };
}

function directed({ status, reason }: Directive): Outcome {
  return { status, reason, summary: '', checkpoint: null };
}

function failed(reason: string): Outcome {
  return { status: 'failed', reason, summary: '', checkpoint: null };
}

/** Its own turn ends by its own clock; this is for what does not. */
async function watch(live: LiveChild, { clock, timeout_ms }: CarryPorts, signal: AbortSignal): Promise<void> {
  for (;;) {
    const left = timeout_ms + GRACE_MS - live.elapsed;
    if (left <= 0) break;
    await clock.sleep(left, signal);
    if (signal.aborted) return;
  }
  live.direct({
    status: 'timed_out',
    reason: `It did not end within its time of ${timeout_ms / 1000} s, nor by itself after that.`,
  });
  await live.session?.stop();
}
