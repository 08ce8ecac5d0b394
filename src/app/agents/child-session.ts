import { describe } from '../../presenter/turn-messages.ts';
import type { ChildQuestion } from '../../runtime/agent-events.ts';
import { applyToWork, NO_WORK, type ChildWork } from '../../runtime/agents/child-work.ts';
import type { Decision } from '../../runtime/decisions.ts';
import type { LogEvent } from '../../runtime/events.ts';
import type { Prompt } from '../../runtime/opening.ts';
import type { SessionOutput } from '../../runtime/outputs.ts';
import type { ToolBox } from '../../runtime/ports.ts';
import type { Session } from '../../runtime/session.ts';
import type { ChildKeeper, DecideOutcome, RunPorts } from '../../runtime/session-ports.ts';
import { targetOf } from '../../runtime/turn-calls.ts';
import { isTerminal, pendingCalls, turnState, type TurnState } from '../../runtime/turn.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import { OpenedSession, type SessionWatch } from '../open-session.ts';

/** Something that changes what is known of a child, or only that it is at work. */
export type News = 'fact' | 'sign';

export interface ChildSessionPorts {
  readonly store: SessionStore;
  readonly watch: Pick<SessionWatch, 'isAlive' | 'remember' | 'batch'>;
  readonly tools: () => Promise<ToolBox>;
  /** What its next run uses, as it is then. */
  readonly runPorts: () => Promise<RunPorts>;
  /** Who has its own children in hand, where it may have any. */
  readonly keeper: (session: OpenedSession) => ChildKeeper | undefined;
  /** Something happened in it. */
  readonly news: (what: News) => void;
  /** It waits for a person, or goes on. Resolves when that is on record. */
  readonly waits: (questions: readonly ChildQuestion[] | null) => Promise<void>;
  readonly onError: (message: string) => void;
}

export type Finished = {
  readonly state: Exclude<TurnState, 'running' | 'waiting'>;
  readonly work: ChildWork;
};

export interface Left {
  readonly why: string;
}

export interface ChildActivity {
  readonly text: string;
  readonly since: number;
}

/** The session of a child while somebody runs it: nobody looks at it, but its questions are asked elsewhere. */
export class ChildSession {
  private work: ChildWork = NO_WORK;
  private tell: (() => void) | null = null;
  /** Why nothing more comes of it here; its log may take nothing more, or it was left. */
  private over: string | null = null;
  private closed: Promise<void> | null = null;
  activity: ChildActivity | null = null;

  private constructor(
    readonly opened: OpenedSession,
    private readonly session: Session,
    private readonly ports: ChildSessionPorts,
  ) {}

  /** Opens it for writing; where another has it, or its log is damaged, says why not. */
  static async open(id: string, ports: ChildSessionPorts): Promise<ChildSession | Left> {
    let child: ChildSession | null = null;
    const { isAlive, remember, batch } = ports.watch;
    const opened = await OpenedSession.open(
      ports.store,
      id,
      {
        isAlive,
        remember,
        batch,
        keeper: (session) => ports.keeper(session),
        publish: (output) => child?.hear(output),
        // Only of sessions that another process writes.
        ownerGone: () => undefined,
        lostSight: () => undefined,
      },
      { take_over: false },
    );
    try {
      await opened.load(ports.tools);
    } catch (error) {
      await opened.close();
      throw error;
    }
    const { access, session } = opened;
    if (access.kind !== 'writer' || session === null) {
      await opened.close();
      return { why: access.kind === 'read_only' ? access.message : 'Its session could not be opened.' };
    }
    child = new ChildSession(opened, session, ports);
    return child;
  }

  /** Whether it has worked before. */
  get isNew(): boolean {
    return this.session.state.turn === null;
  }

  /** How its last turn stands; null where there is none. */
  get state(): TurnState | null {
    const { turn } = this.session.state;
    return turn === null ? null : turnState(turn);
  }

  /** Nothing in it goes on before a person decides. */
  get isHeld(): boolean {
    const { turn } = this.session.state;
    return (
      turn !== null &&
      turnState(turn) === 'waiting' &&
      pendingCalls(turn).every(({ decision }) => decision === null)
    );
  }

  get questions(): readonly ChildQuestion[] {
    const { turn } = this.session.state;
    if (turn === null) return [];
    return pendingCalls(turn).flatMap(({ call_id, name, suspension, decision }) =>
      suspension === null || decision !== null ? [] : [{ call_id, name, suspension }],
    );
  }

  /** Gives it something to do, and resolves with how that ended: after every wait for a person. */
  async run(prompt: Prompt): Promise<Finished | Left> {
    await this.session.send(prompt, await this.ports.runPorts());
    return this.finished();
  }

  /** How its last turn ends or ended, as its own log says. */
  async finished(): Promise<Finished | Left> {
    for (;;) {
      await this.session.settled();
      const { state } = this;
      if (this.over !== null) return { why: this.over };
      if (state !== null && isTerminal(state)) return { state, work: await this.said() };
      const news = this.news();
      await this.ports.waits(this.questions);
      if (this.isAtRest) await news;
      // What becomes of its own children is no answer.
      while (this.isAtRest && this.isHeld) await this.news();
      // One that was ended over its question has not gone on.
      if (this.over === null && this.state !== null && !isTerminal(this.state)) await this.ports.waits(null);
    }
  }

  private news(): Promise<void> {
    return new Promise((resolve) => (this.tell = resolve));
  }

  private get isAtRest(): boolean {
    return this.state === 'waiting' && !this.session.running && this.over === null;
  }

  /** Whether a decision is meant for one of its own calls. */
  isAsked(targetId: string): boolean {
    const { turn } = this.session.state;
    return turn !== null && targetOf(turn, targetId) !== undefined;
  }

  decide(decision: Decision): Promise<DecideOutcome> {
    return this.session.decide(decision, this.ports.runPorts);
  }

  stop(): Promise<void> {
    return this.session.stop('user_cancelled');
  }

  /** Nothing runs in it any more, and another may open it. */
  close(): Promise<void> {
    this.over ??= 'It was left.';
    this.tell?.();
    this.closed ??= this.opened.close();
    return this.closed;
  }

  /** Also of a turn that ended before it was opened here. */
  private async said(): Promise<ChildWork> {
    if (this.work !== NO_WORK) return this.work;
    const { events } = await this.opened.eventsBefore(null, (found) => found.some(isPrompt));
    return events.slice(events.findLastIndex(isPrompt)).reduce(applyToWork, NO_WORK);
  }

  private hear(output: SessionOutput): void {
    if (output.kind === 'committed') {
      this.work = output.events.reduce(applyToWork, this.work);
      if (output.events.some(({ type }) => type === 'run_status')) this.activity = null;
    }
    if (output.kind === 'status') {
      const { activity } = output;
      this.activity = { text: describe(activity), since: activity.since };
    }
    if (output.kind === 'append_failed') this.over = output.message;
    if (output.kind === 'internal_error') this.ports.onError(output.message);
    this.tell?.();
    this.ports.news(SIGNS.has(output.kind) ? 'sign' : 'fact');
  }
}

const SIGNS: ReadonlySet<SessionOutput['kind']> = new Set([
  'text_delta',
  'reasoning_delta',
  'stream_rest',
  'tool_progress',
]);

function isPrompt({ type }: LogEvent): boolean {
  return type === 'user_message';
}
