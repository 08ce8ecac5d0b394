import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { forkDrafts } from '../../../src/runtime/fork.ts';
import { requestReport } from '../../../src/runtime/inspection/request-report.ts';
import { NO_PRESSURE } from '../../../src/runtime/pressure.ts';
import { made, unknown } from '../../support/made-events.ts';
import { reportSession } from '../../support/report-session.ts';
import {
  call,
  DONE,
  message,
  reasoning,
  responds,
  ScriptedProvider,
} from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { legalLog } from '../replay/legal-log.ts';
import { story } from '../replay/legal-story.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

const UNBROKEN = { broken_by: null, breaks: [], broken_at_seq: null, checkpoint: null };
const NOTHING = { bytes: 0, tokens_estimate: 0 };
const ENDPOINT = 'https://models.test/v1';

/** Without the answer of the first turn. */
async function withoutAnswer(): Promise<readonly LogEvent[]> {
  return (await reportSession()).events.filter(({ seq }) => seq !== 11);
}

/** A turn with reasoning, then one at another endpoint without. */
async function movedSession(): Promise<{ bench: SessionBench; elsewhere: ScriptedProvider }> {
  const bench = new SessionBench({ scripts: [responds(reasoning('rs_1'), message('One.'))] });
  await bench.run('First.');
  const scripts = [responds(message('Two.'))];
  const elsewhere = new ScriptedProvider(bench.clock, scripts, 'https://elsewhere.test/v1');
  const prompt = { client_turn_id: 'k2', text: 'Second.', attachments: [] };
  await bench.clock.until(bench.session.send(prompt, { ...bench.ports(), provider: elsewhere }));
  await bench.settled();
  return { bench, elsewhere };
}

describe('the report of the next request', () => {
  it('of a fork that has asked nobody yet sends what the model of its parent will see', async () => {
    const parent = new SessionBench({ scripts: [responds(reasoning('rs_1'), message('One.'))] });
    await parent.run('First.');
    const fork = forkDrafts(
      { session_id: 's1', fork_root_session_id: 's1', pressure: NO_PRESSURE },
      parent.events,
    );
    const events = fork.map(({ type, data }, seq) => made(type, seq, data));
    const { model, endpoint, items, excluded } = requestReport('s2', events, null);
    expect({ model, endpoint }).toEqual({ model: 'test-model', endpoint: ENDPOINT });
    const target = { model: 'test-model', endpoint: ENDPOINT };
    expect(items.map(({ item }) => item)).toEqual(parent.session.input(target).items);
    expect(excluded).toEqual([{ seq: 0, type: 'session_fork', reason: 'audit' }]);
  });

  it('names what is sent, each item with its source, and what is left out, each with its reason', async () => {
    const bench = await reportSession();
    const report = requestReport('s1', bench.events, null);
    expect(report.items.map(({ source }) => `${source.seq} ${source.type}`)).toEqual([
      '1 developer_context',
      '2 user_message',
      '4 reasoning',
      '5 tool_call',
      '9 tool_result',
      '11 assistant_message',
      '14 user_message',
    ]);
    expect(report.excluded.map(({ seq, type, reason }) => `${seq} ${type} ${reason}`)).toEqual([
      '0 session_started audit',
      '3 run_status audit',
      '6 provider_usage audit',
      '7 permission_decision audit',
      '8 tool_call_status audit',
      '10 tool_call_status audit',
      '12 provider_usage audit',
      '13 run_status audit',
      '15 run_status audit',
      '16 assistant_message partial_text',
      '17 provider_usage audit',
      '18 turn_failed audit',
      '19 run_status audit',
    ]);
    expect({ ...report, items: [], excluded: [], requests: [] }).toEqual({
      session_id: 's1',
      at_seq: 19,
      last_seq: 19,
      damage: [],
      model: 'test-model',
      endpoint: ENDPOINT,
      prompt_contract_version: 'll1',
      skill_index: null,
      prompt_cache_key: bench.provider.requests[0]?.prompt_cache_key,
      on_record: null,
      input: {
        bytes: 621,
        tokens_estimate: 156,
        ahead_tokens_estimate: expect.any(Number),
        window_tokens: 1000,
        scale: expect.any(Number),
      },
      items: [],
      excluded: [],
      shared_prefix: {
        items: 7,
        of_previous: 7,
        whole: true,
        ...UNBROKEN,
        bytes: 621,
        tokens_estimate: 156,
        previous: { at_seq: 15, usage_seq: 17 },
      },
      following: null,
      requests: [],
      request_count: 3,
      problems: [],
    });
  });

  it('is empty for an empty log', () => {
    expect(requestReport('s1', [], null)).toEqual({
      session_id: 's1',
      at_seq: -1,
      last_seq: -1,
      damage: [],
      model: '',
      endpoint: '',
      prompt_contract_version: null,
      skill_index: null,
      prompt_cache_key: null,
      on_record: null,
      input: { ...NOTHING, ahead_tokens_estimate: null, window_tokens: null, scale: null },
      items: [],
      excluded: [],
      shared_prefix: { items: 0, of_previous: 0, whole: true, ...UNBROKEN, ...NOTHING, previous: null },
      following: null,
      requests: [],
      request_count: 0,
      problems: [],
    });
  });
});

describe('the report of a damaged log', () => {
  /** Where the answer stood. */
  const damaged = { line: 12, reason: 'not valid JSON' };

  it('names its lines, and does not call whole what may lack something', async () => {
    const report = requestReport('s1', await withoutAnswer(), null, [damaged]);
    expect(report.damage).toEqual([damaged]);
    expect(report.problems).toEqual([{ kind: 'damaged_line', ...damaged }]);
    expect(report.shared_prefix).toMatchObject({
      items: 6,
      of_previous: 6,
      whole: false,
      broken_by: 'damaged_log',
      breaks: ['damaged_log'],
      broken_at_seq: null,
    });
  });

  it('lists the requests before the damage as they were', async () => {
    const { requests } = requestReport('s1', await withoutAnswer(), null, [damaged]);
    expect(requests.map(({ at_seq, shared }) => [at_seq, shared?.broken_by])).toEqual([
      [3, undefined],
      [10, null],
      [15, 'damaged_log'],
    ]);
  });

  it.each([
    [10, false],
    [11, true],
    [12, true],
  ])('names them up to where it looks: at seq %i', async (at, named) => {
    const report = requestReport('s1', await withoutAnswer(), at, [damaged]);
    expect(report.damage).toEqual(named ? [damaged] : []);
    expect(report.shared_prefix.whole).toBe(!named);
  });
});

describe('an event of a type that this version does not know', () => {
  it('is left out for that reason', () => {
    const { excluded } = requestReport('s1', [unknown(0, 'telepathy', {})], null);
    expect(excluded).toEqual([{ seq: 0, type: 'telepathy', reason: 'unknown_type' }]);
  });
});

describe('the report of a past request', GENERATED, () => {
  it('is what was sent then, to the byte, with the key it was sent with', async () => {
    const bench = await reportSession();
    const points = [3, 10, 15];
    points.forEach((at, index) => {
      const report = requestReport('s1', bench.events, at);
      const request = bench.provider.requests[index];
      expect(JSON.stringify(report.items.map(({ item }) => item))).toBe(JSON.stringify(request?.input));
      expect([report.model, report.prompt_cache_key]).toEqual([request?.model, request?.prompt_cache_key]);
    });
  });

  it('tells how much of it the request before had already', async () => {
    const bench = await reportSession();
    const reports = [3, 10, 15].map((at) => requestReport('s1', bench.events, at));
    expect(reports.map((report) => report.shared_prefix)).toEqual([
      { items: 0, of_previous: 0, whole: true, ...UNBROKEN, ...NOTHING, previous: null },
      {
        items: 2,
        of_previous: 2,
        whole: true,
        ...UNBROKEN,
        bytes: 224,
        tokens_estimate: 56,
        previous: { at_seq: 3, usage_seq: 6 },
      },
      {
        items: 5,
        of_previous: 5,
        whole: true,
        ...UNBROKEN,
        bytes: 454,
        tokens_estimate: 114,
        previous: { at_seq: 10, usage_seq: 12 },
      },
    ]);
    expect(reports.map(({ following }) => following?.at_seq ?? null)).toEqual([10, 15, null]);
    expect(reports.map(({ items }) => items.map(({ shared }) => (shared ? 'old' : 'new')).join(' '))).toEqual(
      ['new new', 'old old new new new', 'old old old old old new new'],
    );
  });

  it('shows that another model breaks the prefix where reasoning stood', async () => {
    const scripts = [responds(reasoning('rs_1'), call('c1', 'read')), DONE];
    const bench = new SessionBench({ scripts: [...scripts, responds(message('Other.'))] });
    await bench.run('One.');
    const prompt = { client_turn_id: 'k2', text: 'Two.', attachments: [] };
    await bench.clock.until(bench.session.send(prompt, bench.ports({ model: 'other-model' })));
    await bench.settled();
    const at = bench.events.findLastIndex(({ type }) => type === 'user_message') + 1;
    const report = requestReport('s1', bench.events, at);
    expect([report.model, report.shared_prefix]).toEqual([
      'other-model',
      expect.objectContaining({
        items: 2,
        of_previous: 5,
        whole: false,
        broken_by: 'model_or_endpoint_changed',
        breaks: ['model_or_endpoint_changed'],
        broken_at_seq: 5,
      }),
    ]);
    expect(report.excluded).toContainEqual({ seq: 4, type: 'reasoning', reason: 'other_model_or_endpoint' });
  });

  it('knows the endpoint of its own time, not the one that was used later', async () => {
    const scripts = [responds(reasoning('rs_1'), message('One.')), responds(message('Two.'))];
    const bench = new SessionBench({ scripts });
    await bench.run('First.');
    await bench.run('Second.');
    const elsewhere = new ScriptedProvider(
      bench.clock,
      [responds(reasoning('rs_2'), message('Three.'))],
      'https://elsewhere.test/v1',
    );
    const prompt = { client_turn_id: 'k3', text: 'Third.', attachments: [] };
    await bench.clock.until(bench.session.send(prompt, { ...bench.ports(), provider: elsewhere }));
    await bench.settled();
    const second = bench.events.findIndex(({ data }) => 'text' in data && data.text === 'Second.') + 1;
    const reports = [second, null].map((at) => requestReport('s1', bench.events, at));
    expect(reports.map(({ endpoint }) => endpoint)).toEqual([ENDPOINT, 'https://elsewhere.test/v1']);
    expect(JSON.stringify(reports[0]?.items.map(({ item }) => item))).toBe(
      JSON.stringify(bench.provider.requests[1]?.input),
    );
  });

  it('names the endpoint it was sent to, also when no reasoning came from there', async () => {
    const { bench, elsewhere } = await movedSession();
    const at = bench.events.findLastIndex(({ type }) => type === 'user_message') + 1;
    const report = requestReport('s1', bench.events, at);
    expect(report.endpoint).toBe('https://elsewhere.test/v1');
    expect(report.items.map(({ item }) => item.type)).toEqual(['message', 'message', 'message', 'message']);
    expect(JSON.stringify(report.items.map(({ item }) => item))).toBe(
      JSON.stringify(elsewhere.requests[0]?.input),
    );
    expect(report.excluded).toContainEqual({ seq: 4, type: 'reasoning', reason: 'other_model_or_endpoint' });
    // The items are the same, but no endpoint has the cache of another.
    expect(report.shared_prefix).toMatchObject({
      items: 2,
      of_previous: 2,
      whole: false,
      broken_by: 'model_or_endpoint_changed',
      broken_at_seq: null,
    });
    expect(requestReport('s1', bench.events, null).endpoint).toBe('https://elsewhere.test/v1');
  });

  it('guesses the endpoint from reasoning where an old log does not name it', async () => {
    const { bench } = await movedSession();
    const old = bench.events.map((event) => {
      if (event.type !== 'provider_usage') return event;
      const { endpoint: _, ...data } = event.data;
      return { ...event, data };
    });
    expect(requestReport('s1', old, null).endpoint).toBe(ENDPOINT);
  });

  it('marks the placeholder of a pending call', () => {
    const property = fc.property(story, (told) => {
      const { events, requests } = legalLog(told);
      for (const { length } of requests.slice(0, 4)) {
        const log = events.slice(0, length);
        const report = requestReport('s1', log, null);
        const open = new Set(log.flatMap((e) => (e.type === 'tool_call' ? [e.data.call_id] : [])));
        for (const event of log) if (event.type === 'tool_result') open.delete(event.data.call_id);
        const marked = report.items.flatMap(({ item, placeholder }) =>
          placeholder && item.type === 'function_call_output' ? [item.call_id] : [],
        );
        expect(marked.every((id) => open.has(id))).toBe(true);
        expect(report.problems).toEqual([]);
        const explained =
          report.items.filter(({ placeholder }) => !placeholder).length + report.excluded.length;
        expect(explained).toBe(log.length);
      }
    });
    fc.assert(property, { numRuns: searchRuns(60), seed: 20260107 });
  });
});
