import type { LogEvent } from '../../../src/runtime/events.ts';
import type { ReplayTarget } from '../../../src/runtime/replay/fold.ts';
import { usage } from '../../support/made-events.ts';
import { CallTeller, CANCELLED } from './call-teller.ts';
import type { RoundPlan, Story, TurnPlan } from './legal-story.ts';

/** A moment at which a request leaves: the log is this long, and goes there. */
export interface RequestPoint {
  readonly length: number;
  readonly target: ReplayTarget;
  /** Since the last request history was compacted or a pending call was decided. */
  readonly rewritten: boolean;
}

export interface LegalLog {
  readonly events: readonly LogEvent[];
  readonly requests: readonly RequestPoint[];
}

interface Item {
  readonly type: 'reasoning' | 'assistant_message' | 'tool_call';
  readonly phase?: string;
}

const REASONING: Item = { type: 'reasoning' };
const TEXT: Item = { type: 'assistant_message' };
const COMMENTARY: Item = { type: 'assistant_message', phase: 'commentary' };
const CALL: Item = { type: 'tool_call' };

/** Tells a story as the events that a session would have written. */
export function legalLog(story: Story): LegalLog {
  const teller = new Teller(story.noise);
  teller.begin(story.forked);
  for (const plan of story.turns) teller.turn(plan);
  return { events: teller.events, requests: teller.requests };
}

class Teller extends CallTeller {
  readonly requests: RequestPoint[] = [];
  private interrupted: string | null = null;
  /** Where a checkpoint may cut: the first events of turns and of responses. */
  private boundaries: number[] = [];
  private plan: TurnPlan | null = null;
  private stream_run_id = '';

  begin(forked: boolean): void {
    this.add('session_started', {
      workspace: '/w',
      app_version: '0',
      prompt_contract_version: 'll1',
      permission_mode: 'auto',
      fork_root_session_id: 's1',
    });
    this.add('developer_context', { workspace: '/w', branch: 'main', permission_mode: 'auto' });
    if (!forked) return;
    this.add('branch_summary', {
      parent_session_id: 's0',
      forked_to_seq: 9,
      summary: this.words('summary'),
      files_touched: [],
      open_tasks: [],
      limitations: [this.words('limitation')],
    });
  }

  turn(plan: TurnPlan): void {
    this.plan = plan;
    this.open(plan);
    plan.rounds.forEach((round, step) => this.step(plan, round, step));
    this.beforeStep(plan, plan.rounds.length);
    this.end(plan);
  }

  private open(plan: TurnPlan): void {
    this.boundaries.push(this.events.length);
    this.turn_id = this.name('turn');
    const { turn_id } = this;
    if (plan.context_changes) {
      this.add('developer_context', {
        workspace: '/w',
        branch: this.name('branch'),
        permission_mode: 'auto',
      });
    }
    if (this.interrupted !== null) {
      const excerpt = this.words('excerpt');
      const of_turn_id = this.interrupted;
      this.add('interruption_note', {
        turn_id,
        of_turn_id,
        reason: 'disconnect',
        excerpt,
        completed_calls: ['read'],
      });
      this.interrupted = null;
    }
    const attachments = [
      ...Array.from({ length: plan.images }, () => this.image()),
      ...Array.from({ length: plan.files }, () => ({
        kind: 'file',
        path: this.words('path'),
        text: this.words('file'),
      })),
    ];
    const client_turn_id = this.name('client');
    this.add('user_message', { turn_id, text: this.words('prompt'), client_turn_id, attachments });
    this.add('run_status', { turn_id, client_turn_id, status: 'running' });
  }

  private beforeStep(plan: TurnPlan, step: number): void {
    const { turn_id } = this;
    if (plan.delivered && step === 0) {
      const summary = this.words('child');
      this.add('subagent_event', {
        turn_id,
        event: 'delivered',
        subagent_id: this.name('child'),
        child_session_id: 's9',
        status: 'completed',
        summary,
      });
    }
    if (plan.compaction?.before_step === step) this.compact(plan.compaction.reach);
  }

  private compact(reach: number): void {
    const tail_from_seq = this.boundaries.at(-reach) ?? 0;
    const range = { from_seq: 0, to_seq: Math.max(0, tail_from_seq - 1) };
    this.add('history_compaction', {
      trigger: 'manual',
      strategy: 'deterministic_v1',
      range,
      tail_from_seq: reach === 0 ? this.events.length : tail_from_seq,
      summary: this.words('checkpoint'),
      limitations: [this.words('limitation')],
    });
    this.rewritten = true;
  }

  private step(plan: TurnPlan, round: RoundPlan, step: number): void {
    this.beforeStep(plan, step);
    this.request(plan);
    this.respond(this.itemsOf(round));
    this.runCalls(round);
  }

  private request(plan: TurnPlan): void {
    for (const one of this.pending) one.due -= 1;
    for (const one of this.pending.filter(({ due }) => due < 0)) this.decide(one);
    const target = { model: plan.model, endpoint: plan.endpoint };
    this.requests.push({ length: this.events.length, target, rewritten: this.rewritten });
    this.rewritten = false;
    this.stream_run_id = this.name('stream');
    this.boundaries.push(this.events.length);
  }

  private itemsOf(round: RoundPlan): readonly Item[] {
    const rest = round.calls.slice(1).map(() => CALL);
    return [
      ...Array.from({ length: round.reasoning }, () => REASONING),
      ...(round.text === 'before' ? [COMMENTARY] : []),
      CALL,
      ...(round.text === 'between' ? [COMMENTARY] : []),
      ...(round.reasoning_between && rest.length > 0 ? [REASONING] : []),
      ...rest,
      ...(round.text === 'after' ? [COMMENTARY] : []),
    ];
  }

  private respond(items: readonly Item[], committed = items.length): void {
    const { turn_id, stream_run_id, plan } = this;
    if (plan === null) throw new Error('no turn');
    const { model, endpoint } = plan;
    this.calls = [];
    // One commit: nothing comes between the items of a response.
    this.withoutNoise(() => {
      items.slice(0, committed).forEach((item, output_index) => {
        const place = { turn_id, stream_run_id, output_index, output_count: items.length };
        if (item.type === 'reasoning') {
          const id = this.name('rs');
          const opaque = {
            z: [{ y: 1, a: null }],
            type: 'reasoning',
            id,
            encrypted_content: `${id}/é`,
            b: {},
          };
          this.add('reasoning', { ...place, item: opaque, model, endpoint });
        } else if (item.type === 'tool_call') {
          const call_id = this.name('call');
          const args = `{ "path": "${this.words('path')}" }`;
          this.calls.push(call_id);
          this.add('tool_call', { ...place, call_id, name: 'read', args });
        } else {
          const phase = item.phase === undefined ? {} : { phase: item.phase };
          const metadata = { partial: false };
          this.add('assistant_message', { ...place, text: this.words('answer'), ...phase, metadata });
        }
      });
    });
    if (committed >= items.length)
      this.add('provider_usage', usage({ turn_id, stream_run_id, model, endpoint }));
  }

  private end(plan: TurnPlan): void {
    this.request(plan);
    const { turn_id, stream_run_id } = this;
    const { ending } = plan;
    if (ending === 'answer' || ending === 'two_messages') return this.answer(plan);
    if (ending === 'superseded_while_waiting') {
      this.respond(this.itemsOf(plan.last));
      for (const call_id of this.calls) {
        this.move(call_id, 'new', 'suspended');
        this.pending.push({ call_id, plan: { ...CANCELLED }, due: 9 });
      }
      this.add('run_status', { turn_id, status: 'waiting', reason: 'suspended' });
    } else if (ending === 'half_committed') {
      const items = this.itemsOf(plan.last);
      this.respond(items, Math.min(plan.committed, items.length));
      for (const call_id of this.calls) this.close(call_id, 'new');
    } else if (ending === 'interrupted_in_tools') {
      this.respond(this.itemsOf(plan.last));
      for (const call_id of this.calls) this.close(call_id, 'new');
    } else if (ending !== 'failed') {
      const metadata = { partial: true };
      this.add('assistant_message', { turn_id, stream_run_id, text: this.words('partial'), metadata });
    }
    for (const one of this.pending) this.decide({ ...one, plan: CANCELLED });
    this.fail(plan);
  }

  private answer(plan: TurnPlan): void {
    const reasoning = Array.from({ length: plan.last.reasoning }, () => REASONING);
    const first = plan.ending === 'two_messages' ? [COMMENTARY, ...reasoning] : [];
    this.respond([...reasoning, ...first, TEXT]);
    if (this.pending.length > 0) {
      this.wait();
      this.request(plan);
      this.respond([TEXT]);
    }
    this.add('run_status', { turn_id: this.turn_id, status: 'done', reason: 'natural_end' });
  }

  private fail({ ending }: TurnPlan): void {
    const { turn_id } = this;
    const interrupted = !(ending === 'failed' || ending === 'partial_failed' || ending === 'timed_out');
    this.add('turn_failed', {
      turn_id,
      terminal_status: interrupted ? 'interrupted' : ending,
      error_kind: 'odd',
      error_message: this.words('error'),
      ...(interrupted ? { interrupted_reason: 'disconnect' as const } : {}),
      details: {},
      next_actions: [],
    });
    this.add('run_status', { turn_id, status: 'done', reason: interrupted ? 'cancelled' : 'error' });
    if (interrupted) this.interrupted = turn_id;
  }
}
