import type { Delivery } from '../../runtime/agent-events.ts';
import type { AgentReport } from '../../runtime/agents/agents-port.ts';
import { isOpenChild } from '../../runtime/agents/child-states.ts';
import { childOf, openChildrenOf, type Children } from '../../runtime/agents/children.ts';
import { toldTogether } from '../../runtime/agents/told-words.ts';
import type { Clock } from '../../runtime/ports.ts';

export interface Reported {
  readonly agents: readonly AgentReport[];
  readonly delivers: readonly Delivery[];
}

/** Those that wait for the ends of children, and what they are told: each end to one of them. */
export class Waiters {
  private readonly waiting = new Set<() => void>();
  /** Ends that a call took up whose result is not on record yet. */
  private readonly taken = new Set<number>();

  constructor(
    private readonly children: () => Children,
    private readonly clock: Clock,
  ) {}

  /** A child's end is on record. */
  look(): void {
    for (const tell of this.waiting) tell();
  }

  /** Until all of them have ended, the time has passed or the signal is aborted. */
  async until(
    ids: readonly string[],
    { timeout_ms, signal }: { readonly timeout_ms: number | null; readonly signal: AbortSignal },
  ): Promise<void> {
    const over = new AbortController();
    const both = AbortSignal.any([signal, over.signal]);
    const late = timeout_ms === null ? null : this.clock.sleep(timeout_ms, both).then(() => over.abort());
    while (this.isOpen(ids) && !both.aborted) await this.news(both);
    over.abort();
    await late;
  }

  /** What is to be told of each; its end only where nobody told of it before. */
  reports(ids: readonly string[]): Reported {
    const { untold } = this.children();
    const delivers: Delivery[] = [];
    const agents = ids.flatMap((id): AgentReport[] => {
      const child = childOf(this.children(), id);
      if (child === undefined) return [];
      const { subagent_id, child_session_id, status, agent } = child;
      const ends = untold.filter((end) => end.subagent_id === id && !this.taken.has(end.seq));
      for (const { seq } of ends) this.taken.add(seq);
      delivers.push(...ends.map(({ seq }) => ({ subagent_id, seq })));
      const summary = ends.length === 0 ? null : ends.map((end) => end.summary).join('\n\n');
      const told = summary === null && !isOpenChild(child) && status !== 'detached';
      return [
        { subagent_id, child_session_id, agent, status, summary, ...(told ? { told_before: true } : {}) },
      ];
    });
    return { agents: bounded(agents), delivers };
  }

  private isOpen(ids: readonly string[]): boolean {
    const open = new Set(openChildrenOf(this.children()).map(({ subagent_id }) => subagent_id));
    return ids.some((id) => open.has(id));
  }

  private news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const tell = (): void => {
        this.waiting.delete(tell);
        signal.removeEventListener('abort', tell);
        resolve();
      };
      this.waiting.add(tell);
      signal.addEventListener('abort', tell);
    });
  }
}

function bounded(agents: readonly AgentReport[]): readonly AgentReport[] {
  const words = toldTogether(agents.map(({ summary }) => summary ?? ''));
  return agents.map((one, index) => ({
    ...one,
    summary: one.summary === null ? null : (words[index] ?? ''),
  }));
}
