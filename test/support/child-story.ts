import type { EventData, EventType, LogEvent } from '../../src/runtime/events.ts';
import { DiagnosisFold, type LogFacts } from '../../src/runtime/inspection/diagnosis.ts';
import {
  applyToSessionTrace,
  emptyTrace,
  type SessionTrace,
} from '../../src/runtime/inspection/session-tree.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import type { TreeNode } from '../../src/runtime/inspection/tree-node.ts';
import { SessionTreeNodes } from '../../src/runtime/inspection/tree-nodes.ts';
import { SOUND } from './log-facts.ts';
import { made, oneOfEach, usage } from './made-events.ts';

type ChildData = Partial<EventData['subagent_event']>;
/** Of a child that a person gave its work. */
export const BY_PERSON = { turn_id: '' };
type FlowData = Partial<EventData['workflow_event']>;

const NEXT = [{ label: 'Open transcript', command: 'ledgerline.openAgent', args: ['s2'] }];
/** What every end has to have. */
export const END: ChildData = {
  summary: 'Seen.',
  reason: 'Because.',
  elapsed_ms: 900,
  timeout_ms: 1000,
  next_actions: NEXT,
};

/** A log of a parent, told event by event. A minute passes where it says so. */
export class ChildStory {
  readonly events: LogEvent[] = [];
  private turn_id = '';
  private seconds = 0;

  get seq(): number {
    return this.events.length - 1;
  }

  add<T extends EventType>(type: T, data: EventData[T]): this {
    const ts = new Date(Date.UTC(2026, 0, 1) + this.seconds * 1000).toISOString();
    const event: LogEvent = { ...(made(type, this.events.length, data) as LogEvent), ts };
    this.events.push(event);
    return this;
  }

  minutes(n: number): this {
    this.seconds += 60 * n;
    return this;
  }

  turn(turn_id: string): this {
    this.turn_id = turn_id;
    const { user_message } = oneOfEach();
    return this.add('user_message', {
      ...user_message.data,
      turn_id,
      client_turn_id: `k_${turn_id}`,
      text: turn_id,
    });
  }

  child(event: string, status: string, more: ChildData = {}): this {
    const ids = { subagent_id: 'a1', child_session_id: 's2' };
    const { turn_id = this.turn_id, ...rest } = more;
    const of = turn_id === '' ? {} : { turn_id };
    return this.add('subagent_event', { ...of, ...ids, event, status, ...rest });
  }

  /** A child that was given its work and has begun. */
  started(subagent_id = 'a1', more: ChildData = {}): this {
    return this.child('spawned', 'queued', { subagent_id, task: `Look at ${subagent_id}.`, ...more }).child(
      'started',
      'running',
      { subagent_id, ...more },
    );
  }

  ended(subagent_id = 'a1', status = 'completed', more: ChildData = {}): this {
    return this.child('finished', status, { subagent_id, ...END, ...more });
  }

  flow(event: string, more: FlowData = {}): this {
    return this.add('workflow_event', { turn_id: this.turn_id, workflow_id: 'w1', event, ...more });
  }

  /** A result that tells the model of ends. */
  result(delivers: EventData['tool_result']['delivers']): this {
    const { tool_call, tool_result } = oneOfEach();
    const call_id = `c${this.events.length}`;
    const call = { turn_id: this.turn_id, stream_run_id: `r${this.events.length}`, call_id };
    return this.add('tool_call', { ...tool_call.data, ...call, name: 'wait_agent' })
      .add('tool_call_status', { ...call, from: 'new', to: 'running' })
      .add('tool_result', { ...tool_result.data, ...call, ...(delivers === undefined ? {} : { delivers }) })
      .add('tool_call_status', { ...call, from: 'running', to: 'succeeded' });
  }

  /** The last word of the turn, made of all that was there before, or of what was there then. */
  answer(at_seq = this.seq): this {
    const { turn_id } = this;
    const stream_run_id = `r${this.events.length}`;
    const { assistant_message } = oneOfEach();
    return this.add('assistant_message', { ...assistant_message.data, turn_id, stream_run_id })
      .add('provider_usage', usage({ turn_id, stream_run_id, at_seq }))
      .add('run_status', { turn_id, status: 'done', reason: 'natural_end' });
  }

  failed(): this {
    const { turn_failed } = oneOfEach();
    return this.add('turn_failed', { ...turn_failed.data, turn_id: this.turn_id });
  }
}

export function traced(events: readonly LogEvent[]): SessionTrace {
  return events.reduce((trace, event) => applyToSessionTrace(trace, event), emptyTrace('s1'));
}

export function treeOf(
  { events }: Pick<ChildStory, 'events'>,
  facts: Partial<LogFacts> = { lease: 'held' },
): ReadonlyMap<string, TreeNode> {
  const fold = new DiagnosisFold('s1');
  for (const event of events) fold.push(event);
  return new SessionTreeNodes().build({
    trace: traced(events),
    earlier: [],
    diagnosis: fold.finish({ ...SOUND, ...facts }),
    live: facts.lease === 'held',
  });
}

/** What stands below a node as a person sees it: a line a node, indented by its depth. */
export function drawn(nodes: ReadonlyMap<string, TreeNode>, id: string, depth = 0): readonly string[] {
  const node = nodes.get(id);
  if (node === undefined) return [`no ${id}`];
  const { state, label, detail } = node;
  const words = [`[${state}]`, inEnglish(label), inEnglish(detail)].filter((part) => part !== '');
  const below = node.children.flatMap((child) => drawn(nodes, child, depth + 1));
  return [`${'  '.repeat(depth)}${words.join(' ')}`, ...below];
}

export function evidenceOf(nodes: ReadonlyMap<string, TreeNode>, id: string): readonly string[] {
  const node = nodes.get(id);
  if (node === undefined) throw new Error(`no ${id} in ${[...nodes.keys()].join(', ')}`);
  return node.evidence.map(inEnglish);
}

export function actionsOf(nodes: ReadonlyMap<string, TreeNode>, id: string): readonly string[] {
  return (nodes.get(id)?.next_actions ?? []).map(
    ({ label, command, args }) => `${label}: ${command} ${JSON.stringify(args)}`,
  );
}
