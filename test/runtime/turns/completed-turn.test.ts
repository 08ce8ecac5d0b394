import { describe, expect, it } from 'vitest';
import { applyToSession, emptySession } from '../../../src/runtime/session-state.ts';
import { turnState } from '../../../src/runtime/turn.ts';
import { logLines } from '../../support/log-lines.ts';
import {
  call,
  completed,
  DONE,
  message,
  reasoning,
  responds,
  text,
} from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { succeed, toolBox, TOOLS } from '../../support/tool-stubs.ts';

describe('a completed turn', () => {
  it('is a whole story in the log, from its prompt to its answer', async () => {
    const scripts = [
      responds(
        reasoning('rs_1'),
        message('I look and write.', 'commentary'),
        call('c1', 'read', { path: 'a' }),
        call('c2', 'write', { path: 'b' }),
      ),
      responds(call('c3', 'run', { path: 'npm test' })),
      responds(message('All is well.', 'final_answer')),
    ];
    const bench = new SessionBench({ scripts });
    expect(await bench.run('Do it.')).toBe('completed');
    expect(logLines(bench.events)).toEqual([
      'session_started',
      'developer_context',
      'user: Do it.',
      'run running',
      'reasoning',
      'assistant (commentary): I look and write.',
      'call c1: read {"path":"a"}',
      'call c2: write {"path":"b"}',
      'provider_usage',
      'permission c1: allow',
      'permission c2: allow',
      'c1: new -> running',
      'c2: new -> running',
      'result c1: content of a',
      'c1: running -> succeeded',
      'result c2: wrote b',
      'c2: running -> succeeded',
      'call c3: run {"path":"npm test"}',
      'provider_usage',
      'permission c3: allow',
      'c3: new -> running',
      'result c3: ran npm test',
      'c3: running -> succeeded',
      'assistant (final_answer): All is well.',
      'provider_usage',
      'run done natural_end',
    ]);
    expect(bench.turn.violations).toEqual([]);
  });

  it('may end with two messages, each with its phase', async () => {
    const answer = responds(message('First,', 'commentary'), message('then.', 'final_answer'));
    const bench = new SessionBench({ scripts: [answer] });
    expect(await bench.run('How?')).toBe('completed');
    expect(bench.of('assistant_message').map(({ text, phase }) => [text, phase])).toEqual([
      ['First,', 'commentary'],
      ['then.', 'final_answer'],
    ]);
  });

  it('is never the response that asked for calls, even when text comes after them', async () => {
    const scripts = [
      responds(call('c1', 'read', { path: 'a' }), message('I am done.')),
      responds(message('Now I am.')),
    ];
    const bench = new SessionBench({ scripts });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.provider.requests).toHaveLength(2);
  });

  it('names the send that caused it on every event, and the stream on what a stream caused', async () => {
    const scripts = [responds(call('c1', 'read', { path: 'a' })), DONE];
    const bench = new SessionBench({ scripts });
    await bench.run('Go.', 'k7');
    const [prompt, ...rest] = bench.events.slice(2);
    const turn = { turn_id: 'turn_1', client_turn_id: 'k7' };
    expect(prompt?.data).toMatchObject(turn);
    for (const event of rest) expect(event.data).toMatchObject(turn);
    const streams = rest.map(({ type, data }) => [type, 'stream_run_id' in data ? data.stream_run_id : null]);
    expect(streams).toEqual([
      ['run_status', null],
      ['tool_call', 'stream_1'],
      ['provider_usage', 'stream_1'],
      ['permission_decision', 'stream_1'],
      ['tool_call_status', 'stream_1'],
      ['tool_result', 'stream_1'],
      ['tool_call_status', 'stream_1'],
      ['assistant_message', 'stream_2'],
      ['provider_usage', 'stream_2'],
      ['run_status', null],
    ]);
  });

  it('records what each model call used, where unknown is null and never 0', async () => {
    const tokens = { input: 800, cached: 200, output: 5, reasoning: null, total: null };
    const scripts = [
      [{ kind: 'completed', response_id: 'resp_9', items: [message('Hi.')], tokens, unknown_events: [] }],
    ] as const;
    const bench = new SessionBench({ scripts });
    await bench.run('Hello.');
    expect(bench.only('provider_usage')).toMatchObject({
      model: 'test-model',
      transport: 'offline',
      iteration: 1,
      tokens,
      cache_hit_rate: 0.25,
      prompt_contract_version: 'll1',
      continuation: { attempted: false, used: false, reset_reason: null },
      context: { window_tokens: 1000, ratio: 0.8, tier: 'warning' },
      output_truncation: 'not_truncated',
      attempts: 1,
      response_id: 'resp_9',
    });
  });

  it('records how long the model thought before its first word, once for a response', async () => {
    const pause = { kind: 'pause', ms: 4000 } as const;
    const thoughts = [reasoning('rs_1'), reasoning('rs_2')];
    const scripts = [
      [pause, text('Hi.'), { kind: 'pause', ms: 2000 }, completed([...thoughts, message('Hi.')])],
      [pause, completed([reasoning('rs_3'), call('c1', 'read', { path: 'a' })])],
      DONE,
    ] as const;
    const bench = new SessionBench({ scripts: [scripts[0]] });
    await bench.run('Hello.');
    expect(bench.of('reasoning').map(({ thought_ms }) => thought_ms)).toEqual([4000, undefined]);
    const calls = new SessionBench({ scripts: scripts.slice(1) });
    await calls.run('Hello.');
    expect(calls.only('reasoning').thought_ms).toBe(4000);
  });

  it('says what filled the request as it left, whatever was settled while the model answered', async () => {
    const bench: SessionBench = new SessionBench({
      scripts: [
        responds(call('c1', 'large', { path: 'a' }), call('c2', 'read', { path: 'b' })),
        [
          { kind: 'do', act: () => void bench.decide('c1', 'resume') },
          { kind: 'pause', ms: 1000 },
          completed([message('I wait.')]),
        ],
        DONE,
      ],
      tools: toolBox({ ...TOOLS, large: { effect: 'write', run: () => succeed('x'.repeat(40_000)) } }),
      settings: { permission_mode: 'ask' },
    });
    expect(await bench.run('Go.')).toBe('completed');
    const outputs = bench.of('provider_usage').map(({ context }) => context.parts?.tool_output ?? 0);
    expect(outputs.map((tokens) => tokens > 10_000)).toEqual([false, false, true]);
  });

  it('tells of events of the provider that it does not know', async () => {
    const scripts = [
      [
        {
          kind: 'completed',
          response_id: null,
          items: [message('Hi.')],
          tokens: { input: null, cached: null, output: null, reasoning: null, total: null },
          unknown_events: ['response.hologram'],
        },
      ],
    ] as const;
    const bench = new SessionBench({ scripts });
    expect(await bench.run('Hello.')).toBe('completed');
    expect(bench.only('diagnostic')).toMatchObject({
      code: 'unknown_provider_events',
      details: { types: ['response.hologram'] },
    });
    expect(bench.only('provider_usage').context).toEqual({
      window_tokens: 1000,
      ratio: null,
      tier: 'unknown',
      parts: { instructions: 347, tools: 45, skills: 0, history: 57, tool_output: 0 },
    });
  });

  it('gives a call whose id was used before an id of its own', async () => {
    const scripts = [
      responds(call('c', 'read', { path: 'a' }), call('c', 'read', { path: 'b' })),
      responds(call('c', 'read', { path: 'c' })),
      DONE,
    ];
    const bench = new SessionBench({ scripts });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.of('tool_call').map(({ call_id }) => call_id)).toEqual(['c', 'c_2', 'c_3']);
    expect(bench.of('diagnostic')).toEqual([]);
  });
});

describe('a log that is cut', () => {
  it('never looks completed before the last item of the answer is in it', async () => {
    const scripts = [
      responds(message('I look.'), call('c1', 'read', { path: 'a' })),
      responds(reasoning('rs_1'), message('First,'), message('then.')),
    ];
    const bench = new SessionBench({ scripts });
    await bench.run('Go.');
    let session = emptySession('s1');
    const states = bench.events.map((event) => {
      session = applyToSession(session, event);
      return session.turn === null ? null : turnState(session.turn);
    });
    const last = bench.events.findLastIndex(({ type }) => type === 'assistant_message');
    expect(states).toEqual(
      bench.events.map((_, index) => (index < 2 ? null : index < last ? 'running' : 'completed')),
    );
  });
});
