import type { EventData, EventType } from '../../src/runtime/events.ts';
import { usage } from '../support/made-events.ts';

/** The text of a log, written event by event. */
export class LogText {
  text = '';
  seq = 0;

  add<T extends EventType>(type: T, data: EventData[T]): number {
    const envelope = {
      v: 1,
      id: `e${this.seq}`,
      session_id: 's1',
      seq: this.seq,
      ts: '2026-01-01T00:00:00.000Z',
    };
    this.text += `${JSON.stringify({ ...envelope, type, data })}\n`;
    this.seq += 1;
    return this.seq - 1;
  }

  turn(
    n: number,
    options: { readonly calls: number; readonly failed: boolean; readonly words: number },
  ): void {
    const of = { turn_id: `t${n}`, client_turn_id: `c${n}` };
    this.add('user_message', { ...of, text: `ask ${n} ${'w '.repeat(options.words)}`, attachments: [] });
    this.add('run_status', { ...of, status: 'running' });
    for (let i = 0; i < options.calls; i += 1) this.round(of, `${n}-${i}`);
    const context = {
      window_tokens: 1000,
      ratio: 0.75,
      tier: 'advisory',
      parts: { instructions: n + 1, tools: 2, skills: 0, history: 0, tool_output: 0 },
    };
    this.add('provider_usage', { ...usage({ ...of, stream_run_id: `r${n}` }), context });
    if (options.failed) {
      const facts = { terminal_status: 'failed', error_kind: 'k', error_message: 'm' } as const;
      this.add('turn_failed', { ...of, ...facts, details: {}, next_actions: [] });
    } else {
      const stream_run_id = `r${n}`;
      this.add('assistant_message', {
        ...of,
        stream_run_id,
        text: `said ${n}`,
        metadata: { partial: false },
      });
    }
    this.add('run_status', { ...of, status: 'done', reason: options.failed ? 'error' : 'natural_end' });
  }

  compact(tail_from_seq: number, keeps?: readonly number[]): void {
    const range = { from_seq: 0, to_seq: Math.max(0, tail_from_seq - 1) };
    const summary = `all before ${tail_from_seq}`;
    const what = { trigger: 'manual', strategy: 'deterministic_v1', limitations: ['lossy'] };
    const kept = keeps === undefined ? {} : { keeps };
    this.add('history_compaction', { ...what, range, tail_from_seq, ...kept, summary });
  }

  /** One turn that is too large: its history is compacted between its rounds, so many times. */
  largeTurn(n: number, options: { readonly cuts: number; readonly skill: boolean }): void {
    const of = { turn_id: `t${n}`, client_turn_id: `c${n}` };
    const keeps = [this.add('user_message', { ...of, text: `ask ${n}`, attachments: [] })];
    this.add('run_status', { ...of, status: 'running' });
    if (options.skill) keeps.push(this.skill(of));
    for (let cut = 0; cut < options.cuts; cut += 1) {
      let round = 0;
      for (let i = 0; i < 3; i += 1) round = this.round(of, `${n}-${cut}-${i}`);
      this.compact(round, keeps);
    }
    const place = { stream_run_id: `r${n}`, metadata: { partial: false } };
    this.add('assistant_message', { ...of, ...place, text: `said ${n}` });
    this.add('run_status', { ...of, status: 'done', reason: 'natural_end' });
  }

  private round(of: { turn_id: string; client_turn_id: string }, name: string): number {
    const place = { stream_run_id: `r${name}`, output_index: 0, output_count: 1 };
    const call = { ...of, call_id: `call-${name}` };
    const first = this.add('tool_call', { ...call, ...place, name: 'read', args: '{}' });
    const decision = { decision_id: `said-${name}`, target_id: call.call_id, action: 'resume' } as const;
    this.add('tool_call_decision', { ...call, ...decision, decided_by: 'user' });
    this.add('tool_call_status', { ...call, from: 'new', to: 'running' });
    this.add('tool_result', { ...call, ok: true, output: name, duration_ms: 1 });
    this.add('tool_call_status', { ...call, from: 'running', to: 'succeeded' });
    return first;
  }

  private skill(of: { turn_id: string; client_turn_id: string }): number {
    const what = { name: 'review', path: 'skills/review', content_hash: 'f00', activated_by: 'user' };
    return this.add('skill_activation', { ...of, ...what, content: 'Look twice.' });
  }
}
