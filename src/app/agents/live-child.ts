import type { PastAttempt } from '../../runtime/agent-events.ts';
import type { Directive } from '../../runtime/agents/child-policy.ts';
import type { Clock } from '../../runtime/ports.ts';
import type { ChildSession } from './child-session.ts';
import type { AgentSupervisor } from './supervisor.ts';

/** What a child that is open is given to do first. */
export type FirstWork =
  | { readonly kind: 'task' }
  | { readonly kind: 'input'; readonly text: string }
  /** To go on with what it was doing. */
  | { readonly kind: 'resume' };

/** A child that this process has in hand: what its parent's log does not say of it. */
export class LiveChild {
  phase: 'queued' | 'running' = 'queued';
  session: ChildSession | null = null;
  /** Of its own children. */
  agents: AgentSupervisor | null = null;
  directive: Directive | null = null;
  readonly inputs: string[] = [];
  /** Its first input waits among the others: it had to begin with its task again. */
  firstInLine = false;
  /** Whether it still looks at what comes in; where not, it is ending, and what comes is for afterwards. */
  takesInput = true;
  /** That it was asked for is on record. */
  entered = false;
  attempts: readonly PastAttempt[] = [];
  news_at: number;
  waiting = false;
  /** When its time is up, as was last said; null while it has not begun. */
  due: string | null = null;
  private ran_ms = 0;
  private since: number | null = null;
  private settle: () => void = () => undefined;
  private order: () => void = () => undefined;
  private enter: () => void = () => undefined;
  /** Resolves when it is on record, or can never be. */
  readonly entry: Promise<void>;
  /** Resolves when somebody wants it to end. */
  readonly directed: Promise<void>;
  /** Resolves when its end is on record, or can never be. */
  readonly ended: Promise<void>;

  constructor(
    readonly id: string,
    readonly first: FirstWork,
    private readonly clock: Clock,
  ) {
    this.news_at = clock.now();
    this.ended = new Promise((resolve) => (this.settle = resolve));
    this.entry = new Promise((resolve) => (this.enter = resolve));
    this.directed = new Promise((resolve) => (this.order = resolve));
  }

  /** How long it has worked: waiting for a person does not count. */
  get elapsed(): number {
    return Math.round(this.ran_ms + (this.since === null ? 0 : this.clock.steady() - this.since));
  }

  isEntered(): void {
    this.entered = true;
    this.enter();
  }

  begin(): void {
    this.phase = 'running';
    this.since = this.clock.steady();
  }

  wait(waits: boolean): void {
    this.waiting = waits;
    this.ran_ms = this.elapsed;
    this.since = waits ? null : this.clock.steady();
  }

  /** When its time is up if it works on from now. */
  deadline(timeoutMs: number): string {
    this.due = new Date(this.clock.now() + Math.max(0, timeoutMs - this.elapsed)).toISOString();
    return this.due;
  }

  /** The first one counts: what was asked for first is what happened. */
  direct(directive: Directive): void {
    this.directive ??= directive;
    this.order();
  }

  isOver(): void {
    this.enter();
    this.settle();
  }
}
