import { describe, expect, it } from 'vitest';
import type { EventData, LogEvent } from '../../../src/runtime/events.ts';
import { requestReport, type RequestReport } from '../../../src/runtime/inspection/request-report.ts';
import { COUNTED, made, madeTurn, usage } from '../../support/made-events.ts';
import {
  call,
  DONE,
  fails,
  HANG,
  message,
  reasoning,
  responds,
  text,
  type Step,
} from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { ASKS, READ, toolBox } from '../../support/tool-stubs.ts';

/** The bytes of the input, as they are reported and as they were sent. */
function bytes(report: RequestReport): string {
  return JSON.stringify(report.items.map(({ item }) => item));
}

function sentBy(bench: SessionBench, index: number): string {
  return JSON.stringify(bench.provider.requests[index]?.input);
}

/** One turn of a made log: its prompt, its answer, and what is on record of the request. */
function turn(n: number, more: Partial<EventData['provider_usage']> = {}): readonly LogEvent[] {
  return madeTurn(`t${n}`, more).map((event, at) => ({ ...event, seq: 3 * n + at }));
}

describe('what is on record of a request', () => {
  it('is told as it was counted', () => {
    const log = turn(0, { ...COUNTED, response_id: 'resp_1' });
    const report = requestReport('s1', log, 0);
    expect(report.on_record).toEqual({
      usage_seq: 2,
      turn_id: 't0',
      iteration: 1,
      purpose: null,
      model: 'm1',
      transport: 'websocket',
      attempts: 1,
      response_id: 'resp_1',
      tokens: { input: 1200, cached: 900, cache_write: 60, output: 10, reasoning: 4, total: 1210 },
      cache_hit_rate: 0.75,
      continuation: { attempted: true, used: false, reset_reason: 'previous_response_not_found' },
      context: { window_tokens: 1500, ratio: 0.8, tier: 'warning', ahead_of_input: 1000 },
      cache_diagnostics: { type: 'cache_miss', reason: 'tools_changed', missed_tokens: 300 },
      output_truncation: 'not_truncated',
      time_to_first_token_ms: 1,
      total_ms: 2,
    });
    expect(requestReport('s1', log, null)).toMatchObject({
      on_record: null,
      input: { ahead_tokens_estimate: 1000, window_tokens: 1500 },
    });
  });

  it('is unknown where the log does not say, and never 0', () => {
    const sparse = { turn_id: 't0', stream_run_id: 't0', model: 'm1', tokens: { total: null } };
    const [prompt, answer] = turn(0);
    const log = [prompt!, answer!, made('provider_usage', 2, sparse as EventData['provider_usage'])];
    const nothing = {
      input: null,
      cached: null,
      cache_write: null,
      output: null,
      reasoning: null,
      total: null,
    };
    expect(requestReport('s1', log, 0).on_record).toEqual({
      usage_seq: 2,
      turn_id: 't0',
      iteration: null,
      purpose: null,
      model: 'm1',
      transport: null,
      attempts: null,
      response_id: null,
      tokens: nothing,
      cache_hit_rate: null,
      continuation: null,
      context: { window_tokens: null, ratio: null, tier: null, ahead_of_input: null },
      cache_diagnostics: null,
      output_truncation: null,
      time_to_first_token_ms: null,
      total_ms: null,
    });
  });

  it('is nothing where something that is sent came before the next request left', () => {
    const log = [...turn(0), ...turn(1)];
    const found = [-1, 0, 1, 2, 3, 4, 5].map((at) => {
      const { on_record, shared_prefix, following } = requestReport('s1', log, at);
      return [
        at,
        on_record?.usage_seq ?? null,
        shared_prefix.previous?.usage_seq ?? null,
        following?.usage_seq,
      ];
    });
    expect(found).toEqual([
      [-1, null, null, 2],
      [0, 2, null, 5],
      [1, null, 2, 5],
      [2, null, 2, 5],
      [3, 5, 2, undefined],
      [4, null, 5, undefined],
      [5, null, 5, undefined],
    ]);
  });
});

describe('the request that really left', () => {
  it('is the last attempt of a call, whatever was tried before it', async () => {
    const scripts = [DONE, [fails('server_error')], [fails('rate_limited')], DONE, DONE];
    const bench = new SessionBench({ scripts });
    await bench.run('One.');
    await bench.run('Two.');
    const left = bench.events.findIndex(({ data: { ...it } }) => 'text' in it && it.text === 'Two.') + 1;
    const report = requestReport('s1', bench.events, left);
    expect(bytes(report)).toBe(sentBy(bench, 3));
    expect(report.on_record).toMatchObject({ attempts: 3 });
    expect(report.shared_prefix).toMatchObject({ items: 2, of_previous: 2, whole: true });
    expect(requestReport('s1', bench.events, null).request_count).toBe(2);
  });

  it('is the one without reasoning where the provider rejected that, and the next has it again', async () => {
    const rejected = [fails('reasoning_rejected', { code: 'invalid_encrypted_content' })];
    const scripts = [responds(reasoning('rs_1'), call('c1', 'read')), rejected, DONE, DONE];
    const bench = new SessionBench({ scripts });
    await bench.run('One.');
    await bench.run('Two.');
    const [, second, third] = requestReport('s1', bench.events, null).requests;
    const reports = [second, third].map((line) => requestReport('s1', bench.events, line?.at_seq ?? null));
    expect(reports.map(bytes)).toEqual([sentBy(bench, 2), sentBy(bench, 3)]);
    expect(reports.map(({ shared_prefix }) => shared_prefix.breaks)).toEqual([[], ['reasoning_sent_again']]);
    expect(reports[0]?.excluded).toContainEqual({
      seq: 4,
      type: 'reasoning',
      reason: 'reasoning_switched_off',
    });
  });

  it('does not have what came while the model was answering', async () => {
    let decided = Promise.resolve();
    const decide: Step = {
      kind: 'do',
      act: () => {
        decided = bench.decide('c1', 'resume', { payload: { result: 'this' } }).then(() => undefined);
      },
    };
    const slow = { kind: 'pause', ms: 1000 } as const;
    const bench: SessionBench = new SessionBench({
      scripts: [
        responds(call('c1', 'asks'), call('c2', 'read', { path: 'a' })),
        [decide, slow, ...responds(message('Meanwhile.'))],
        DONE,
      ],
      tools: toolBox({ asks: ASKS, read: READ }),
    });
    await bench.run('Go.');
    await decided;
    const [, second, third] = requestReport('s1', bench.events, null).requests;
    const result = bench.events.find(
      ({ type, data: it }) => type === 'tool_result' && 'output' in it && it.output === 'this',
    );
    const answer = bench.events.find(({ type }) => type === 'assistant_message');
    expect(result?.seq).toBeGreaterThan(second?.at_seq ?? Infinity);
    expect(result?.seq).toBeLessThan(answer?.seq ?? -1);
    const reports = [second, third].map((line) => requestReport('s1', bench.events, line?.at_seq ?? null));
    expect(reports.map(bytes)).toEqual([sentBy(bench, 1), sentBy(bench, 2)]);
    expect(reports[1]?.shared_prefix).toMatchObject({ breaks: ['pending_call_decided'], whole: false });
    // Asked for by an event of that time, it is the request that was under way.
    const meanwhile = requestReport('s1', bench.events, result?.seq ?? null);
    expect([meanwhile.at_seq, bytes(meanwhile)]).toEqual([second?.at_seq, sentBy(bench, 1)]);
  });

  it('is not one that no record tells of, nor one that never left', async () => {
    const bench = new SessionBench({
      scripts: [DONE, [text('Half'), HANG], [fails('missing_key', { unsent: true })], DONE],
    });
    await bench.run('One.');
    await bench.begin('Two.');
    await bench.stop();
    await bench.settled();
    await bench.run('Three.');
    // As after a crash: the request left, and nothing came of it.
    const crashed = bench.events.filter(
      ({ type, data: it }) =>
        type !== 'provider_usage' || !('stream_run_id' in it) || it.stream_run_id !== 'stream_2',
    );
    expect(bench.of('provider_usage').map(({ attempts }) => attempts)).toEqual([1, 1, 0]);
    const report = requestReport('s1', crashed, null);
    expect(report.shared_prefix.previous).toEqual({ at_seq: 3, usage_seq: 5 });
    expect(report.requests.map(({ at_seq }) => at_seq)).toEqual([3, null]);
  });
});

describe('a call beside the conversation', () => {
  const log = [
    ...turn(0, { endpoint: 'https://models.test/v1' }),
    made('provider_usage', 3, {
      ...usage({ stream_run_id: 'r9', model: 'summariser', endpoint: 'https://elsewhere.test/v1' }),
      purpose: 'compaction',
    }),
  ];

  it('is listed as such, and is no request that another follows', () => {
    const report = requestReport('s1', log, null);
    expect(report).toMatchObject({ model: 'm1', endpoint: 'https://models.test/v1', request_count: 2 });
    expect(report.shared_prefix.previous).toEqual({ at_seq: 0, usage_seq: 2 });
    expect(
      report.requests.map(({ at_seq, purpose, model, shared }) => [at_seq, purpose, model, shared]),
    ).toEqual([
      [0, null, 'm1', null],
      [null, 'compaction', 'summariser', null],
    ]);
    expect(requestReport('s1', log, 2).on_record).toBeNull();
  });
});

describe('the list of requests', () => {
  it('has the last ones, each with what it shares, and says how many there are', () => {
    const log = Array.from({ length: 60 }, (_, n) => turn(n, { model: n === 58 ? 'm2' : 'm1' })).flat();
    const { requests, request_count } = requestReport('s1', log, 0);
    expect([requests.length, request_count]).toEqual([50, 60]);
    expect(requests[0]).toEqual({
      at_seq: 30,
      usage_seq: 32,
      purpose: null,
      turn_id: 't10',
      iteration: 1,
      model: 'm1',
      transport: 'offline',
      tokens: { input: 10, cached: 0, cache_write: null, output: 1, reasoning: 0, total: 11 },
      cache_hit_rate: 0,
      total_ms: 2,
      shared: { items: 19, of_previous: 19, whole: true, broken_by: null },
    });
    expect(requests.slice(-3).map(({ shared }) => shared)).toEqual([
      { items: 113, of_previous: 113, whole: true, broken_by: null },
      { items: 115, of_previous: 115, whole: false, broken_by: 'model_or_endpoint_changed' },
      { items: 117, of_previous: 117, whole: false, broken_by: 'model_or_endpoint_changed' },
    ]);
  });
});

describe('a request that was too large', () => {
  it('is the one with the checkpoint, which is named as what broke the prefix', async () => {
    const talk = Array.from({ length: 12 }, (_, n) =>
      responds(message(`Answer ${n} ${'and so on '.repeat(80)}`)),
    );
    const bench = new SessionBench({ scripts: [...talk, [fails('context_overflow')], DONE, DONE] });
    for (let n = 0; n < 12; n += 1) await bench.run(`Prompt ${n}`);
    await bench.run('Go on.');
    const checkpoint = bench.events.find(({ type }) => type === 'history_compaction');
    const { trigger, tokens_before, tokens_after } = bench.only('history_compaction');
    const { requests } = requestReport('s1', bench.events, null);
    const report = requestReport('s1', bench.events, requests.at(-1)?.at_seq ?? null);
    expect(bytes(report)).toBe(sentBy(bench, 13));
    expect(report.on_record?.attempts).toBe(2);
    expect(report.shared_prefix.breaks).toEqual(['compaction']);
    expect(report.shared_prefix.checkpoint).toEqual({
      seq: checkpoint?.seq,
      trigger,
      strategy: 'deterministic_v1',
      tokens_before,
      tokens_after,
    });
    await bench.run('And on.');
    const next = requestReport('s1', bench.events, null);
    expect(next.requests.at(-1)?.shared).toMatchObject({ whole: true, broken_by: null });
    expect(bytes(requestReport('s1', bench.events, next.requests.at(-1)?.at_seq ?? null))).toBe(
      sentBy(bench, 14),
    );
  });
});
