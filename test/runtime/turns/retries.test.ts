import { describe, expect, it } from 'vitest';
import { PROVIDER_ERRORS, type ProviderErrorKind } from '../../../src/runtime/provider-errors.ts';
import { MAX_RETRIES, retryDelay } from '../../../src/runtime/retry.ts';
import type { SessionOutput } from '../../../src/runtime/outputs.ts';
import {
  call,
  DONE,
  fails,
  reasoning,
  responds,
  text,
  type Script,
} from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';

/** When each request left, in milliseconds since the first. */
async function departures(scripts: readonly Script[]): Promise<readonly number[]> {
  const times: number[] = [];
  const bench: SessionBench = new SessionBench({
    scripts: scripts.map((script) => [{ kind: 'do', act: () => times.push(bench.clock.now()) }, ...script]),
  });
  await bench.run('Go.');
  return times.map((time) => time - (times[0] ?? 0));
}

const RETRIED: readonly ProviderErrorKind[] = ['rate_limited', 'server_error', 'connection', 'stream_cut'];
const KINDS = Object.keys(PROVIDER_ERRORS) as ProviderErrorKind[];

describe('a model call that fails before any output', () => {
  it('is retried for rate limits, server and transport errors, and for nothing else', () => {
    const retried = KINDS.filter((kind) => retryDelay({ kind, message: '' }, 0, false) !== null);
    expect(retried.toSorted()).toEqual(RETRIED.toSorted());
  });

  it.each(RETRIED)('as %s is tried again twice, with growing pauses, then fails', async (kind) => {
    expect(await departures(Array.from({ length: 5 }, () => [fails(kind)]))).toEqual([0, 500, 1_500]);
    expect(MAX_RETRIES).toBe(2);
  });

  it.each(KINDS.filter((kind) => !RETRIED.includes(kind) && kind !== 'reasoning_rejected'))(
    'as %s is not tried again',
    async (kind) => {
      expect(await departures([[fails(kind)], DONE])).toEqual([0]);
    },
  );

  it('waits as long as the provider asks for', async () => {
    const scripts = [[fails('rate_limited', { retry_after_ms: 7_000 })], [fails('rate_limited')], DONE];
    expect(await departures(scripts)).toEqual([0, 7_000, 8_000]);
  });

  it('is not retried silently when the provider asks for more than a minute', async () => {
    expect(await departures([[fails('rate_limited', { retry_after_ms: 60_001 })], DONE])).toEqual([0]);
    expect(await departures([[fails('rate_limited', { retry_after_ms: 60_000 })], DONE])).toEqual([
      0, 60_000,
    ]);
  });

  it('shows every attempt: in the log as a diagnostic, live as a status', async () => {
    const bench = new SessionBench({ scripts: [[fails('server_error', { status: 503 })], DONE] });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.only('diagnostic')).toEqual({
      turn_id: 'turn_1',
      client_turn_id: 'client_1',
      stream_run_id: 'stream_1',
      code: 'provider_retry',
      message: 'The provider had an internal error. Retry 1 in 500 ms.',
      details: {
        delay_ms: 500,
        retry: 1,
        failure: { kind: 'server_error', message: 'the provider says server_error', status: 503 },
      },
      next_actions: [],
    });
    const activities = bench.outputs
      .filter((output): output is Extract<SessionOutput, { kind: 'status' }> => output.kind === 'status')
      .map(({ activity }) => ('attempt' in activity ? [activity.kind, activity.attempt] : [activity.kind]));
    expect(activities).toEqual([['requesting', 1], ['retrying', 2], ['requesting', 2], ['streaming']]);
    expect(bench.only('provider_usage')).toMatchObject({ attempts: 2, stream_run_id: 'stream_2' });
  });

  it.each(RETRIED)(
    'after %s asks nothing of the person: the diagnostic only says what happened',
    async (kind) => {
      const bench = new SessionBench({ scripts: [[fails(kind)], DONE] });
      await bench.run('Go.');
      expect(bench.only('diagnostic').message).toMatch(/^The [^.;]+\. Retry 1 in 500 ms\.$/);
    },
  );

  it.each([
    ['a key', 'missing_key'],
    ['a key that can be one', 'auth'],
    ['a place to go', 'invalid_request'],
  ] as const)('is not counted where no request left for want of %s', async (_what, kind) => {
    const bench = new SessionBench({ scripts: [[fails(kind, { unsent: true })]] });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.only('provider_usage')).toMatchObject({ attempts: 0 });
  });

  it('asks the same again: the retry is the request before, to the byte', async () => {
    const bench = new SessionBench({ scripts: [[fails('connection')], [fails('connection')], DONE] });
    await bench.run('Go.');
    const sent = bench.provider.requests.map((request) => JSON.stringify(request));
    expect(new Set(sent).size).toBe(1);
    expect(sent).toHaveLength(3);
  });
});

describe('a model call that fails after output', () => {
  it.each([
    ['text', text('Half')],
    ['reasoning', { kind: 'reasoning_delta', text: 'Hm' }],
    ['something that is not shown', { kind: 'activity', output: true }],
  ] as const)('of %s is never retried', async (_, output) => {
    expect(await departures([[output, fails('server_error')], DONE])).toEqual([0]);
  });

  it('is retried when all that came was a sign of life', async () => {
    const alive = { kind: 'activity', output: false } as const;
    expect(await departures([[alive, fails('server_error')], DONE])).toEqual([0, 500]);
  });
});

describe('reasoning that the provider rejects', () => {
  const first = responds(reasoning('rs_1'), call('c1', 'read', { path: 'a' }));
  const rejected = [fails('reasoning_rejected', { code: 'invalid_encrypted_content' })];

  it('is left out of one retry, and that is recorded', async () => {
    const bench = new SessionBench({ scripts: [first, rejected, DONE] });
    expect(await bench.run('Go.')).toBe('completed');
    const has = bench.provider.requests.map(({ input }) => input.some(({ type }) => type === 'reasoning'));
    expect(has).toEqual([false, true, false]);
    expect(bench.only('diagnostic')).toMatchObject({
      code: 'reasoning_rejected',
      message: 'The provider rejected earlier reasoning; asked again without it.',
      details: { failure: { kind: 'reasoning_rejected', code: 'invalid_encrypted_content' } },
    });
  });

  it('is retried once only', async () => {
    const bench = new SessionBench({ scripts: [first, rejected, rejected, DONE] });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.only('turn_failed').error_kind).toBe('reasoning_rejected');
    expect(bench.provider.requests).toHaveLength(3);
  });

  it('after output is not retried', async () => {
    const bench = new SessionBench({ scripts: [first, [text('Half'), ...rejected], DONE] });
    expect(await bench.run('Go.')).toBe('partial_failed');
  });

  it('stays out when the retry without it meets a transport error', async () => {
    const bench = new SessionBench({ scripts: [first, rejected, [fails('connection')], DONE] });
    expect(await bench.run('Go.')).toBe('completed');
    const has = bench.provider.requests.map(({ input }) => input.some(({ type }) => type === 'reasoning'));
    expect(has).toEqual([false, true, false, false]);
  });
});
