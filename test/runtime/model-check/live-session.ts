import { isTerminal, turnState } from '../../../src/runtime/turn.ts';
import type { KnownEvent, LogEvent } from '../../../src/runtime/events.ts';
import { call, completed, message, text, type Script } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { succeed, toolBox, type ToolStub } from '../../support/tool-stubs.ts';
import { asked, broken, NO_EVIDENCE, started, stateOf, witness, type Evidence } from './evidence.ts';

/** What the log does not hold, at its place between the events. */
type Mark = { readonly at: number } & ({ readonly starts: string } | { readonly infers: true });

const WORK_MS = 100;
const CALLS = [call('a', 'write', { path: 'x' }), call('b', 'ask'), call('c', 'read', { path: 'y' })];
const ENOUGH = 8;

export interface Plot {
  /** Whether a call that succeeds is part of the round: the model is then asked again beside the pending ones. */
  readonly read: boolean;
  readonly batch: boolean;
}

/** One session over all its processes, with all that is done to it and all that it does. */
export class LiveSession {
  private readonly marks: Mark[] = [];
  private bench: SessionBench;
  private incarnation = 0;
  private sent = 0;
  private decided = 0;
  private answers: Promise<unknown>[] = [];

  constructor(private readonly plot: Plot) {
    this.bench = this.open([]);
  }

  /** All that what comes can depend on. */
  get key(): string {
    const { clock, log, session, provider } = this.bench;
    return `${clock.now()} ${session.running} ${provider.requests.length} ${log.lines.join('\n')}`;
  }

  get events(): readonly LogEvent[] {
    return this.bench.events;
  }

  send(): void {
    this.sent += 1;
    this.answer(this.bench.send('Go.', `client_${this.sent}`));
  }

  decide(target: string, action: string, payload?: { readonly result: unknown }): void {
    this.decided += 1;
    this.say(`said_${this.decided}`, target, action, payload);
  }

  /** The last decision comes once more, and says something else. */
  repeat(): void {
    this.say(`said_${this.decided}`, 'a', 'resume');
  }

  stop(): void {
    this.answer(this.bench.session.stop('user_cancelled'));
  }

  /** Only what is durable is left. */
  async crash(): Promise<void> {
    const { lines, scratch } = this.bench.log;
    this.answers = [];
    this.bench = this.open([...lines]);
    const { session, tools, clock, log } = this.bench;
    await clock.until(session.recover(scratch, tools, this.plot));
    const { length } = log.lines;
    await clock.until(session.recover(scratch, tools, this.plot));
    if (log.lines.length !== length) broken('recovering again adds something');
    const state = turnState(this.bench.turn);
    if (!isTerminal(state) && state !== 'waiting') broken(`${state} after recovery`);
  }

  async pass(ms: number): Promise<void> {
    await this.bench.clock.advance(ms);
  }

  async idle(): Promise<void> {
    await this.bench.clock.idle();
  }

  async settle(): Promise<void> {
    await this.bench.clock.until(Promise.all(this.answers));
    await this.bench.settled();
  }

  /** Judges the log so far, turn by turn. */
  check(): void {
    let evidence: Evidence = NO_EVIDENCE;
    let from = 0;
    const { events, marks } = this;
    for (const [at, event] of events.entries()) {
      evidence = this.marked(evidence, from, at);
      from = at;
      if (event.type === 'user_message') evidence = NO_EVIDENCE;
      if (event.type !== 'unknown' && ofTurn(event)) evidence = witness(evidence, event, this.plot);
    }
    evidence = this.marked(evidence, from, events.length);
    if (marks.some(({ at }) => at > events.length)) broken('something was done that the log does not know');
    const { turn } = this.bench;
    const [violation] = turn.violations;
    if (violation !== undefined) broken(violation);
    if (turnState(turn) !== stateOf(evidence))
      broken(`the turn is ${turnState(turn)}, its evidence says ${stateOf(evidence)}`);
    if (this.bench.session.running) return;
    if (turnState(turn) === 'running') broken('nothing runs, and the turn is running');
    if (isTerminal(turnState(turn)) && turn.run !== 'done') broken(`ended, with the run ${turn.run}`);
  }

  private marked(evidence: Evidence, from: number, to: number): Evidence {
    const due = this.marks.filter(({ at }) => at > from && at <= to);
    return due.reduce(
      (before, mark) => ('starts' in mark ? started(before, mark.starts) : asked(before)),
      evidence,
    );
  }

  private say(
    decision_id: string,
    target: string,
    action: string,
    payload?: { readonly result: unknown },
  ): void {
    this.answer(
      this.bench.decide(target, action, { decision_id, ...(payload === undefined ? {} : { payload }) }),
    );
  }

  private answer(promise: Promise<unknown>): void {
    this.answers.push(promise);
  }

  private open(lines: readonly string[]): SessionBench {
    this.incarnation += 1;
    const mine = this.incarnation;
    const mark = (what: { readonly starts: string } | { readonly infers: true }): void => {
      if (mine === this.incarnation) this.marks.push({ at: this.bench.log.lines.length, ...what });
    };
    const working: Working = (starts, signal) => {
      mark({ starts });
      return this.bench.clock.sleep(WORK_MS, signal);
    };
    const says = (...items: Parameters<typeof completed>[0]): Script => [
      { kind: 'do', act: () => mark({ infers: true }) },
      text('Well'),
      { kind: 'pause', ms: WORK_MS },
      completed(items),
    ];
    const first = this.plot.read ? CALLS : CALLS.slice(0, 2);
    const answers = Array.from({ length: ENOUGH }, () => says(message('Done.')));
    return new SessionBench({
      scripts: lines.length === 0 ? [says(...first), ...answers] : answers,
      lines,
      tools: toolBox({ ask: ask(working), read: work('read', working), write: work('write', working) }),
      settings: { permission_mode: 'ask', batch_approvals: this.plot.batch },
    });
  }
}

function ofTurn(event: KnownEvent): boolean {
  return 'turn_id' in event.data && event.type !== 'interruption_note' && event.type !== 'user_message';
}

/** What a tool does outside the log: it is noted that it starts, and then it takes its time. */
type Working = (callId: string, signal: AbortSignal) => Promise<void>;

function work(effect: 'read' | 'write', working: Working): ToolStub {
  return {
    effect,
    run: async ({ call_id }, { signal }) => {
      await working(call_id, signal);
      return succeed('did it');
    },
  };
}

function ask(working: Working): ToolStub {
  const suspension = {
    reason: 'question',
    message: 'Which?',
    resume_mode: 'use_decision_as_result',
  } as const;
  return {
    effect: 'interact',
    run: async ({ call_id }, { signal }) => {
      await working(call_id, signal);
      return { kind: 'suspended', suspension };
    },
  };
}
