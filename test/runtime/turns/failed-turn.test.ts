import { describe, expect, it } from 'vitest';
import type { ProviderErrorKind } from '../../../src/runtime/provider-errors.ts';
import { PROVIDER_ERRORS } from '../../../src/runtime/provider-errors.ts';
import { expectTurn } from '../../support/expected-turn.ts';
import { logLines } from '../../support/log-lines.ts';
import {
  call,
  completed,
  fails,
  HANG,
  message,
  reasoning,
  responds,
  text,
  type Script,
} from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';

const KINDS = Object.keys(PROVIDER_ERRORS) as ProviderErrorKind[];

/** The kind again and again, so that no retry finds an answer. */
function always(script: Script): readonly Script[] {
  return Array.from({ length: 4 }, () => script);
}

describe('a model call that fails', () => {
  it.each(KINDS)('as %s fails the turn, with a sentence for people and what to do next', async (kind) => {
    const bench = new SessionBench({ scripts: always([fails(kind, { request_id: 'req_1' })]) });
    expect(await bench.run('Go.')).toBe('failed');
    const { sentence, next_actions } = PROVIDER_ERRORS[kind];
    const said = `the provider says ${kind}`;
    expect(bench.only('turn_failed')).toMatchObject({
      terminal_status: 'failed',
      error_kind: kind,
      error_message: kind === 'refusal' ? `${sentence} ${said}` : sentence,
      details: { provider_message: said, request_id: 'req_1' },
      next_actions,
    });
    // Whatever has to be done first, after that it can be tried again.
    expect(next_actions.map(({ command }) => command)).toContain('ledgerline.retryTurn');
    expect(bench.of('assistant_message')).toEqual([]);
    expect(logLines(bench.events).at(-1)).toBe('run done error');
  });

  it.each(KINDS)('as %s after some text keeps the text as partial and is partial_failed', async (kind) => {
    const bench = new SessionBench({ scripts: [[text('Half of '), text('it'), fails(kind)]] });
    expect(await bench.run('Go.', 'k1')).toBe('partial_failed');
    expect(bench.provider.requests).toHaveLength(1);
    expect(bench.only('assistant_message')).toEqual({
      turn_id: 'turn_1',
      client_turn_id: 'k1',
      stream_run_id: 'stream_1',
      text: 'Half of it',
      metadata: {
        partial: true,
        interrupted: false,
        client_turn_id: 'k1',
        finished_reason: 'error',
        token_estimate: 3,
        terminal_status: 'partial_failed',
        error_kind: kind,
        output_truncation: kind === 'output_limit' ? 'truncated' : 'unknown',
      },
    });
    expect(bench.only('turn_failed')).toMatchObject({ terminal_status: 'partial_failed', error_kind: kind });
    expect(bench.log.scratch).toBeNull();
  });
});

describe('a stream that does not complete', () => {
  it('and just ends is not a clean answer: only its text is kept', async () => {
    const bench = new SessionBench({ scripts: [[text('Half')]] });
    await expectTurn(bench, 'partial_failed', [
      'assistant (partial): Half',
      'provider_usage',
      'failed: partial_failed stream_cut',
      'run done error',
    ]);
  });

  it('and just ends before any output is tried again', async () => {
    const bench = new SessionBench({ scripts: [[], responds(message('Here.'))] });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.only('diagnostic').code).toBe('provider_retry');
  });

  it('and falls silent is closed after the idle limit, with its text kept', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), HANG]], settings: { stream_idle_ms: 5_000 } });
    expect(await bench.run('Go.')).toBe('partial_failed');
    expect(bench.only('turn_failed')).toMatchObject({
      error_kind: 'stream_idle',
      details: { provider_message: 'nothing arrived for 5000 ms' },
    });
    expect(bench.only('provider_usage').total_ms).toBe(5_000);
  });

  it('and falls silent is closed also when the clock is set back meanwhile', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), HANG]], settings: { stream_idle_ms: 5_000 } });
    await bench.clock.until(bench.send('Go.'));
    await bench.clock.advance(1_000);
    bench.clock.setBack(24 * 3_600_000);
    await bench.settled();
    expect(bench.only('turn_failed')).toMatchObject({ error_kind: 'stream_idle' });
  });

  it('and only shows signs of life is not idle', async () => {
    const alive = Array.from({ length: 5 }, () => [
      { kind: 'pause', ms: 4_000 } as const,
      { kind: 'activity', output: false } as const,
    ]).flat();
    const scripts = [[...alive, completed([message('Slow.')])]];
    const bench = new SessionBench({ scripts, settings: { stream_idle_ms: 5_000 } });
    expect(await bench.run('Go.')).toBe('completed');
  });

  it('and throws keeps what it had shown', async () => {
    const scripts = [[text('Half'), { kind: 'throw', error: new TypeError('x is not a function') } as const]];
    const bench = new SessionBench({ scripts });
    expect(await bench.run('Go.')).toBe('partial_failed');
    expect(bench.only('turn_failed')).toMatchObject({
      error_kind: 'internal',
      details: { provider_message: 'TypeError: x is not a function' },
    });
    expect(bench.only('assistant_message').text).toBe('Half');
  });
});

describe('a response that completes but is no answer', () => {
  it.each([
    ['nothing', []],
    ['an empty message', [message('')]],
    ['white space', [message(' \n\t')]],
    ['two messages of white space', [message(' '), message('\n')]],
    ['only reasoning', [reasoning('rs_1')]],
    ['reasoning and white space', [reasoning('rs_1'), message('  ')]],
    ['reasoning and an empty message', [reasoning('rs_1'), message('')]],
  ])('because it holds %s, fails as empty_response and replays nothing', async (_, items) => {
    const bench = new SessionBench({ scripts: [[completed(items)]] });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.only('turn_failed').error_kind).toBe('empty_response');
    expect(bench.of('reasoning')).toEqual([]);
  });

  it('because it is white space, keeps none of it as text that had been shown', async () => {
    const bench = new SessionBench({ scripts: [[text('  '), completed([message('  ')])]] });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.of('assistant_message')).toEqual([]);
  });

  it('is none when white space comes beside words: all of it is kept', async () => {
    const bench = new SessionBench({ scripts: [[completed([message('Done.'), message(' ')])]] });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.of('assistant_message').map((said) => said.text)).toEqual(['Done.', ' ']);
  });

  it('because it is empty, still keeps the text that had been shown', async () => {
    const bench = new SessionBench({ scripts: [[text('Shown'), completed([])]] });
    expect(await bench.run('Go.')).toBe('partial_failed');
    expect(bench.only('assistant_message')).toMatchObject({ text: 'Shown', metadata: { partial: true } });
  });

  it('because the model refuses, says what the model said', async () => {
    const refusal = { kind: 'message', text: '', refusal: 'I will not.' } as const;
    const bench = new SessionBench({ scripts: [[completed([refusal])]] });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.only('turn_failed')).toMatchObject({
      error_kind: 'refusal',
      error_message: 'The model declined to answer. I will not.',
    });
  });

  it('because the model refuses after some text, keeps the text as partial', async () => {
    const items = [{ kind: 'message', text: 'Well.', refusal: 'I will not.' }] as const;
    const bench = new SessionBench({ scripts: [[text('Well.'), completed(items)]] });
    expect(await bench.run('Go.')).toBe('partial_failed');
    expect(bench.only('assistant_message')).toMatchObject({ text: 'Well.', metadata: { partial: true } });
  });

  it('drops reasoning that nothing follows, and keeps the rest', async () => {
    const items = [reasoning('rs_1'), message('Yes.'), reasoning('rs_2')];
    const bench = new SessionBench({ scripts: [responds(...items)] });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.of('reasoning').map(({ item }) => item)).toEqual([
      { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'enc-rs_1' },
    ]);
  });
});

describe('a turn that fails after its tools ran', () => {
  it('keeps every result and is failed, not partial: nobody saw unfinished text', async () => {
    const scripts = [responds(message('I look.'), call('c1', 'read', { path: 'a' })), [fails('auth')]];
    const bench = new SessionBench({ scripts });
    await expectTurn(bench, 'failed', [
      'assistant: I look.',
      'call c1: read {"path":"a"}',
      'provider_usage',
      'permission c1: allow',
      'c1: new -> running',
      'result c1: content of a',
      'c1: running -> succeeded',
      'provider_usage',
      'failed: failed auth',
      'run done error',
    ]);
  });
});
