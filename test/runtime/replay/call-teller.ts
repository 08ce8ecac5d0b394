import type { CallState } from '../../../src/runtime/machines.ts';
import { EventTeller } from './event-teller.ts';
import type { CallPlan, RoundPlan } from './legal-story.ts';

interface Pending {
  readonly call_id: string;
  readonly plan: CallPlan;
  due: number;
}

export const CANCELLED: CallPlan = { ok: false, pending: true, decided_after: 9, resumes: false, order: 0 };

/** What becomes of the calls of a response: they run, fail, wait for a person, or are closed. */
export class CallTeller extends EventTeller {
  protected pending: Pending[] = [];
  /** The calls of the last response. */
  protected calls: string[] = [];
  /** Something that a request had already shown is not the same any more. */
  protected rewritten = false;

  protected runCalls(round: RoundPlan): void {
    const plans = round.calls.map((plan, n) => ({ plan, call_id: this.calls[n] ?? '' }));
    for (const { plan, call_id } of plans) {
      this.move(call_id, 'new', plan.pending ? 'suspended' : 'running');
      if (plan.pending) this.pending.push({ call_id, plan, due: plan.decided_after });
    }
    if (round.skill) {
      const { turn_id } = this;
      const skill = { name: this.name('skill'), path: 'p', content_hash: 'h', activated_by: 'model' };
      this.add('skill_activation', { turn_id, ...skill, content: this.words('skill') });
    }
    const running = plans.filter(({ plan }) => !plan.pending);
    for (const { plan, call_id } of running.toSorted((a, b) => a.plan.order - b.plan.order)) {
      this.result(call_id, plan.ok);
      this.move(call_id, 'running', plan.ok ? 'succeeded' : 'failed');
    }
    if (running.length === 0) this.wait();
  }

  /** All of a round wait: the run does too, until none of its calls is pending. */
  protected wait(): void {
    const { turn_id } = this;
    this.add('run_status', { turn_id, status: 'waiting', reason: 'suspended' });
    for (const one of this.pending) this.decide(one);
    this.add('run_status', { turn_id, status: 'running' });
  }

  protected decide({ call_id, plan }: Pending): void {
    const { turn_id } = this;
    this.pending = this.pending.filter((one) => one.call_id !== call_id);
    const action = plan.resumes ? ('resume' as const) : ('cancel' as const);
    this.add('tool_call_decision', {
      turn_id,
      decision_id: this.name('decision'),
      target_id: call_id,
      action,
      decided_by: 'user',
    });
    if (plan.resumes) {
      this.move(call_id, 'suspended', 'resuming');
      this.result(call_id, plan.ok);
      this.move(call_id, 'resuming', plan.ok ? 'succeeded' : 'failed');
    } else {
      this.result(call_id, false);
      this.move(call_id, 'suspended', 'cancelled');
    }
    this.rewritten = true;
  }

  protected close(call_id: string, from: CallState): void {
    this.result(call_id, false);
    this.move(call_id, from, 'cancelled');
  }

  protected move(call_id: string, from: CallState, to: CallState): void {
    this.add('tool_call_status', { turn_id: this.turn_id, call_id, from, to });
  }

  protected result(call_id: string, ok: boolean): void {
    const body = ok
      ? { output: this.words('output') }
      : { error: { kind: 'odd', message: this.words('error') } };
    // Some calls look at an image again.
    const images = ok && call_id.length % 2 === 0 ? { attachments: [this.image()] } : {};
    this.add('tool_result', { turn_id: this.turn_id, call_id, ok, ...body, ...images, duration_ms: 1 });
  }
}
