import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { applyToPressure, isCritical, NO_PRESSURE, type Pressure } from '../../src/runtime/pressure.ts';
import { tierOf } from '../../src/runtime/pressure.ts';
import { made, oneOfEach, numbered } from '../support/made-events.ts';

const DATA = oneOfEach();
const PARTS = { instructions: 10, tools: 20, skills: 0, history: 50, tool_output: 20 };

function call(input: number | null, window = 1000, more: object = {}): LogEvent {
  const { purpose: _, ...usage } = DATA.provider_usage.data;
  const ratio = input === null ? null : input / window;
  return made('provider_usage', 0, {
    ...usage,
    output_truncation: 'not_truncated',
    tokens: { ...usage.tokens, input, cached: 5 },
    context: { window_tokens: window, ratio, tier: tierOf(ratio), parts: PARTS },
    ...more,
  });
}

function checkpoint(tokens_after: number | null): LogEvent {
  const parts_after = tokens_after === null ? undefined : PARTS;
  return made('history_compaction', 0, { ...DATA.history_compaction.data, tokens_after, parts_after });
}

function after(...events: readonly LogEvent[]): Pressure {
  return numbered(events).reduce(applyToPressure, NO_PRESSURE);
}

describe('how full the window is', () => {
  it('is what the provider counted last', () => {
    expect(after(call(400), call(650)).gauge).toEqual({
      of: 'call',
      input_tokens: 650,
      cached_tokens: 5,
      measured: true,
      parts: PARTS,
    });
  });

  it('is an estimate where the provider does not count, and says so', () => {
    expect(after(call(null)).gauge).toMatchObject({ input_tokens: 100, measured: false });
  });

  it('is an estimate where the provider counts nothing at all: every request has words', () => {
    expect(after(call(0)).gauge).toMatchObject({ input_tokens: 100, measured: false });
    expect(after(call(400), call(0)).scale).toBe(4);
  });

  it('is an estimate by what the provider counted before, where it does not count once', () => {
    expect(after(call(400), call(null)).gauge).toMatchObject({ input_tokens: 400, measured: false });
  });

  it('is not changed by a call that failed, nor by one beside the conversation', () => {
    const failed = call(null, 1000, { output_truncation: 'unknown' });
    const beside = call(990, 1000, { purpose: 'compaction' });
    expect(after(call(400), failed, beside)).toEqual(after(call(400)));
  });

  it('is not known in a fork that has answers from after its checkpoint, and nothing that counts them', () => {
    const { developer_context, user_message, assistant_message } = DATA;
    expect(after(checkpoint(200), developer_context, user_message).gauge).toMatchObject({
      input_tokens: 200,
    });
    expect(after(checkpoint(200), user_message, assistant_message).gauge).toBeNull();
    expect(after(checkpoint(200), user_message, DATA.tool_call).gauge).toBeNull();
    expect(after(checkpoint(200), user_message, assistant_message, call(400)).gauge).toMatchObject({
      input_tokens: 400,
    });
    expect(after(call(400), user_message, assistant_message).gauge).toMatchObject({ input_tokens: 400 });
  });

  it('is an estimate after a compaction, until the provider counts again', () => {
    const compacted = after(call(950), checkpoint(200));
    expect(compacted.gauge).toEqual({
      of: 'checkpoint',
      input_tokens: 200,
      cached_tokens: null,
      measured: false,
      parts: PARTS,
    });
    expect(isCritical(compacted, 1000)).toBe(false);
    expect(after(call(950), checkpoint(200), call(250)).gauge).toMatchObject({
      input_tokens: 250,
      measured: true,
    });
  });

  it('is critical only by what was measured, in a window that is known', () => {
    expect(isCritical(after(call(900)), 1000)).toBe(true);
    expect(isCritical(after(call(899)), 1000)).toBe(false);
    expect(isCritical(after(call(900)), 2000)).toBe(false);
    expect(isCritical(after(call(900)), null)).toBe(false);
    expect(isCritical(after(call(null)), 10)).toBe(false);
  });
});

function reached(...events: readonly LogEvent[]): unknown {
  return after(...events).reached;
}

describe('a tier', () => {
  it('is reached once between two checkpoints, and never by falling', () => {
    expect(reached(call(600))).toEqual({ tier: 'none', seq: -1 });
    expect(reached(call(600), call(710))).toEqual({ tier: 'advisory', seq: 1 });
    expect(reached(call(710), call(720), call(730))).toEqual({ tier: 'advisory', seq: 0 });
    expect(reached(call(710), call(850), call(720))).toEqual({ tier: 'warning', seq: 1 });
    expect(reached(call(710), call(950))).toEqual({ tier: 'critical', seq: 1 });
    expect(reached(call(950), checkpoint(100))).toEqual({ tier: 'none', seq: -1 });
    expect(reached(call(950), checkpoint(100), call(720))).toEqual({ tier: 'advisory', seq: 2 });
  });

  it('of a log by another program is read as far as it can be', () => {
    const odd = call(500, 1000, { context: { tier: 'constructor' } });
    expect(after(odd).reached).toEqual({ tier: 'none', seq: -1 });
    expect(after(call(500, 1000, { context: null })).gauge).toMatchObject({ input_tokens: 500, parts: null });
  });
});

describe('what the provider counts for each of our estimated tokens', () => {
  it('is known from the last call of which both are known', () => {
    expect(after(call(null)).scale).toBeNull();
    expect(after(call(400)).scale).toBe(4);
    expect(after(call(400), call(null)).scale).toBe(4);
    expect(after(call(400), checkpoint(10)).scale).toBe(4);
  });
});
