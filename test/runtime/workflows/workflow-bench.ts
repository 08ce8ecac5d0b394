import { createHash } from 'node:crypto';
import type { Artifact, Checkpoint, WorkflowEvent, WorkflowSpec } from '../../../src/runtime/agent-events.ts';
import type { Draft, KnownEvent } from '../../../src/runtime/events.ts';
import type { ChildEnd, StepAgents, StepTask, WorkflowPorts } from '../../../src/runtime/workflows/ports.ts';
import { runWorkflow, type WorkflowRunEnd, type WorkflowStart } from '../../../src/runtime/workflows/run.ts';
import {
  applyToWorkflows,
  type StepAnswer,
  type WorkflowState,
} from '../../../src/runtime/workflows/state.ts';
import { CountedIds, MemoryLog } from '../../support/memory-log.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** A place to run workflows in: a log, a clock that stands still, and children that do as they are told. */

export function checkpoint(status: Checkpoint['status'], more: Partial<Checkpoint> = {}): Checkpoint {
  return { status, summary: `${status}.`, limitations: [], verification: [], artifacts: [], ...more };
}

export function ready(more: Partial<Checkpoint> = {}): Partial<ChildEnd> {
  return { checkpoint: checkpoint('checkpoint_ready', more) };
}

interface Child {
  readonly id: string;
  readonly task: StepTask;
  /** All that it was told after its task. */
  readonly words: string[];
  waiting: PromiseWithResolvers<ChildEnd>;
}

/** What becomes of a child as soon as it begins, or goes on: nothing yet, where null. */
export type Script = (child: {
  readonly step_id: string;
  readonly words: readonly string[];
}) => Partial<ChildEnd> | null;

export class BenchAgents implements StepAgents {
  readonly children: Child[] = [];
  readonly cancelled: string[] = [];
  /** Steps whose child cannot be made, and those whose child cannot go on. */
  readonly broken = new Set<string>();
  /** Held until it resolves: a child that takes its time to be made. */
  slow: Promise<void> = Promise.resolve();
  /** Set where children do not end when they are told to. */
  stubborn = false;

  constructor(
    private readonly script: Script,
    private readonly mark = '',
  ) {}

  async spawn(task: StepTask): Promise<{ subagent_id: string; child_session_id: string }> {
    await this.slow;
    if (this.broken.has(task.step_id)) throw new Error('no child can be made');
    const id = `agent${this.mark}_${this.children.length + 1}`;
    const child: Child = { id, task, words: [], waiting: Promise.withResolvers() };
    this.children.push(child);
    this.play(child);
    return { subagent_id: id, child_session_id: `session_of_${id}` };
  }

  async ended(subagentId: string): Promise<ChildEnd> {
    return this.find(subagentId).waiting.promise;
  }

  async cancel(
    subagentId: string,
    how: { status: 'cancelled' | 'timed_out'; reason: string },
  ): Promise<void> {
    this.cancelled.push(`${this.find(subagentId).task.step_id}: ${how.status}: ${how.reason}`);
    if (!this.stubborn) this.end(this.find(subagentId), { status: how.status, reason: how.reason });
  }

  async continueStep(subagentId: string, text: string): Promise<void> {
    const child = this.find(subagentId);
    if (this.broken.has(child.task.step_id)) throw new Error('it cannot go on');
    child.words.push(text);
    child.waiting = Promise.withResolvers();
    this.play(child);
  }

  /** Ends the child that works on a step. */
  finish(stepId: string, end: Partial<ChildEnd>): void {
    const child = this.children.findLast(({ task }) => task.step_id === stepId);
    if (child === undefined) throw new Error(`no child works on ${stepId}`);
    this.end(child, end);
  }

  /** Children of an earlier process, that are there still. */
  inherit(children: readonly Child[]): void {
    this.children.push(...children);
  }

  private play(child: Child): void {
    const end = this.script({ step_id: child.task.step_id, words: child.words });
    if (end !== null) this.end(child, end);
  }

  private end(child: Child, end: Partial<ChildEnd>): void {
    child.waiting.resolve({
      status: 'completed',
      summary: 'It is done.',
      checkpoint: null,
      reason: null,
      elapsed_ms: 7,
      child_session_id: `session_of_${child.id}`,
      ...end,
    });
  }

  private find(subagentId: string): Child {
    const child = this.children.find(({ id }) => id === subagentId);
    if (child === undefined) throw new Error(`there is no child ${subagentId}`);
    return child;
  }
}

export interface BenchOptions {
  readonly script?: Script;
  readonly lines?: readonly string[];
  readonly agents?: BenchAgents;
  readonly refuses?: (draft: Draft) => boolean;
  readonly files?: Readonly<Record<string, string>>;
}

const CALL = { turn_id: 't1', call_id: 'c1' };

export class Bench {
  readonly clock = new VirtualClock();
  readonly log: MemoryLog;
  readonly agents: BenchAgents;
  readonly halting = new AbortController();
  readonly ports: WorkflowPorts;
  /** Tells a workflow with a time limit that time goes on, and for how long it stood still. */
  wentOn: (heldMs: number) => Promise<void> = () => Promise.resolve();
  private workflows: readonly WorkflowState[];

  constructor({ script = () => ready(), lines = [], agents, refuses, files = {} }: BenchOptions = {}) {
    const { clock } = this;
    this.agents = agents ?? new BenchAgents(script);
    this.log = new MemoryLog({
      sessionId: 's1',
      clock,
      ids: new CountedIds(),
      lines,
      ...(refuses === undefined ? {} : { refuses }),
    });
    this.workflows = this.log.events.reduce<readonly WorkflowState[]>(applyToWorkflows, []);
    this.ports = {
      record: async (drafts) => this.record(drafts),
      workflow: () => this.workflows[0],
      agents: this.agents,
      clock,
      atWork: (ms, signal) => clock.sleep(ms, signal),
      heldFor: () => 0,
      afterHolds: async (signal, tell) => {
        this.wentOn = tell;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
      hasher: { sha256: sha },
      artifact: async (path): Promise<Artifact> => {
        const text = files[path];
        return text === undefined
          ? { path, sha256: null, problem: 'there is no such file' }
          : { path, sha256: sha(text), bytes: text.length };
      },
      signal: this.halting.signal,
      paths: { ignores_case: false },
    };
  }

  async record(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    const events = await this.log.append(drafts);
    this.workflows = events.reduce(applyToWorkflows, this.workflows);
    return events;
  }

  get workflow(): WorkflowState {
    const [workflow] = this.workflows;
    if (workflow === undefined) throw new Error('there is no workflow');
    return workflow;
  }

  /** What the log has, a line an event. */
  get told(): readonly string[] {
    return this.events.map(({ event, step_id, status }) =>
      [event, step_id, status].filter((one) => one !== undefined).join(' '),
    );
  }

  get events(): readonly WorkflowEvent[] {
    return this.log.events.flatMap(({ type, data }) => (type === 'workflow_event' ? [data] : []));
  }

  begin(spec: WorkflowSpec, template: string | null = null): Promise<WorkflowRunEnd> {
    return runWorkflow(this.ports, { kind: 'new', workflow_id: 'w1', call: CALL, spec, template });
  }

  goOn(answers: Readonly<Record<string, StepAnswer>> | null = null): Promise<WorkflowRunEnd> {
    const start: WorkflowStart = {
      kind: 'resume',
      workflow_id: 'w1',
      call: { turn_id: 't2', call_id: 'c2' },
      answers: answers === null ? null : new Map(Object.entries(answers)),
    };
    return runWorkflow(this.ports, start);
  }
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What each step of a result came to. */
export function outcomes({ result }: WorkflowRunEnd): Readonly<Record<string, string>> {
  return Object.fromEntries(result.steps.map(({ id, status }) => [id, status]));
}
