import type { KnownEvent, LogEvent } from '../events.ts';
import { applyToSubagent, isOpenChild, tellingsIn, toldOf, type SubagentTrace } from './child-traces.ts';
import { evidenceGaps } from './end-evidence.ts';
import type { LaterNews } from './families.ts';
import { FindingList } from './finding-list.ts';
import { workflowFindings, type FlowSurroundings, type WorkflowFinding } from './workflow-findings.ts';
import { applyToWorkflow, type WorkflowTrace } from './workflow-traces.ts';

/** Something to be said of a child, and where the log has it. */
export interface ChildFinding {
  readonly child: SubagentTrace;
  readonly what: string;
  readonly seq: number;
}

/** Of those that nothing more has to come of, so many are remembered: a log may have had thousands. */
const SETTLED_KEPT = 2000;
const FINISHED_KEPT = 200;

/** All children and workflows of a log, for as long as something may still have to be said of them. */
export class ChildBook implements LaterNews {
  /** At work, in nobody's hand, or ended without the model's knowledge. */
  private readonly unsettled = new Map<string, SubagentTrace>();
  private readonly settled = new Map<string, SubagentTrace>();
  private readonly going = new Map<string, WorkflowTrace>();
  private readonly finished = new Map<string, WorkflowTrace>();
  private readonly forgottenTimeouts = new FindingList<SubagentTrace>();
  private readonly forgottenGaps = new FindingList<WorkflowFinding>();
  private readonly unproven = new FindingList<ChildFinding>();
  private unprovenEnds = 0;
  private readonly toldAgain = new FindingList<ChildFinding>();
  private latest = '';

  push(event: LogEvent): void {
    this.latest = event.ts;
    if (event.type === 'subagent_event') this.pushChild(event);
    else if (event.type === 'workflow_event') this.pushWorkflow(event);
    else
      for (const { subagent_id, ...telling } of tellingsIn(event)) {
        const child = this.child(subagent_id);
        if (child !== undefined) this.keep(toldOf(child, telling), child);
      }
  }

  child(id: string): SubagentTrace | undefined {
    return this.unsettled.get(id) ?? this.settled.get(id);
  }

  workflow(id: string): WorkflowTrace | undefined {
    return this.going.get(id) ?? this.finished.get(id);
  }

  /** When the last event of the log was written. */
  get latest_at(): string {
    return this.latest;
  }

  /** Children that are not over, in the order of the log. */
  get open(): readonly SubagentTrace[] {
    return [...this.unsettled.values()].filter(isOpenChild);
  }

  /** Those that somebody has to say something about: one whose step another works on, or whose workflow is done, is not. */
  get detached(): readonly SubagentTrace[] {
    return [...this.unsettled.values()].filter((child) => child.state === 'detached' && this.isWanted(child));
  }

  private isWanted({ workflow_id, step_id, subagent_id }: SubagentTrace): boolean {
    const flow = workflow_id === null ? undefined : this.workflow(workflow_id);
    if (flow === undefined) return true;
    const step = flow.steps.find((one) => one.step_id === step_id);
    return flow.status !== 'completed' && (step?.subagent_id ?? subagent_id) === subagent_id;
  }

  get timeouts(): FindingList<SubagentTrace> {
    const all = new FindingList(this.forgottenTimeouts);
    const known = [...this.settled.values(), ...this.unsettled.values()].filter(isLate);
    all.push(...known.sort((a, b) => a.state_seq - b.state_seq));
    return all;
  }

  /** What ends lack of their evidence, and how many ends that are. */
  get unproven_ends(): { readonly ends: number; readonly lacks: FindingList<ChildFinding> } {
    return { ends: this.unprovenEnds, lacks: this.unproven };
  }

  /** Ends that the model was told of again, and those that it was not told of up to a request that went out. */
  tellings(requestedAt: number): FindingList<ChildFinding> {
    const all = new FindingList(this.toldAgain);
    for (const child of this.unsettled.values())
      for (const { seq, for_model, told } of child.ends)
        if (for_model && told.length === 0 && seq <= requestedAt)
          all.push({
            child,
            what: `subagent ${child.subagent_id}: its end was never told to the model`,
            seq,
          });
    return all;
  }

  /** Workflows without an end. */
  get unfinished(): readonly WorkflowTrace[] {
    return [...this.going.values()];
  }

  gaps(around: FlowSurroundings): FindingList<WorkflowFinding> {
    const all = new FindingList(this.forgottenGaps);
    const flows = [...this.finished.values(), ...this.going.values()].sort((a, b) => a.seq - b.seq);
    for (const flow of flows) all.push(...workflowFindings(flow, around));
    return all;
  }

  private pushChild(event: KnownEvent<'subagent_event'>): void {
    const known = this.child(event.data.subagent_id);
    const child = applyToSubagent(known, event);
    this.keep(child, known);
    const { seq, data } = event;
    if (child.ends.at(-1)?.seq !== seq) return;
    const gaps = evidenceGaps(data);
    this.unprovenEnds += gaps.length > 0 ? 1 : 0;
    this.unproven.push(...gaps.map((what) => ({ child, what, seq })));
  }

  private keep(child: SubagentTrace, before: SubagentTrace | undefined): void {
    const id = child.subagent_id;
    this.noteTellings(child, before);
    if (!isSettled(child)) {
      this.settled.delete(id);
      this.unsettled.set(id, child);
      return;
    }
    this.unsettled.delete(id);
    this.settled.set(id, child);
    if (this.settled.size <= SETTLED_KEPT) return;
    const [oldest] = this.settled.values();
    if (oldest === undefined) return;
    this.settled.delete(oldest.subagent_id);
    if (isLate(oldest)) this.forgottenTimeouts.push(oldest);
  }

  private noteTellings(child: SubagentTrace, before: SubagentTrace | undefined): void {
    for (const { seq: of, told } of child.ends) {
      const again = told[1];
      const known = before?.ends.find(({ seq }) => seq === of)?.told.length ?? 0;
      if (again !== undefined && known < 2)
        this.toldAgain.push({
          child,
          what: `subagent ${child.subagent_id}: its end was told to the model again`,
          seq: again,
        });
    }
  }

  private pushWorkflow(event: KnownEvent<'workflow_event'>): void {
    const id = event.data.workflow_id;
    const flow = applyToWorkflow(this.workflow(id), event);
    if (flow.finished_seq === null) {
      this.finished.delete(id);
      this.going.set(id, flow);
      return;
    }
    this.going.delete(id);
    this.finished.set(id, flow);
    if (this.finished.size <= FINISHED_KEPT) return;
    const [oldest] = this.finished.values();
    if (oldest === undefined) return;
    this.finished.delete(oldest.workflow_id);
    this.forgottenGaps.push(...workflowFindings(oldest, { isOver: () => true, live: true }));
  }
}

function isLate({ state }: SubagentTrace): boolean {
  return state === 'timed_out';
}

/** Over, in order, and everybody knows who has to. */
function isSettled(child: SubagentTrace): boolean {
  return (
    !isOpenChild(child) &&
    child.state !== 'detached' &&
    child.ends.every(({ for_model, told }) => !for_model || told.length > 0)
  );
}
