import { describe, expect, it } from 'vitest';
import type { Continuation } from '../../../src/runtime/context-events.ts';
import {
  call,
  DONE,
  fails,
  responds,
  text,
  type Script,
  type Step,
} from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';

function sent(continuation: Continuation): Step {
  return { kind: 'sent', transport: 'websocket', continuation };
}

const TRIED = sent({ attempted: true, used: false, reset_reason: 'unanswered' });
const NOT_FOUND: Script = [TRIED, fails('invalid_request', { again: 'full_input', status: 400 })];

describe('a request that has to be asked in another way', () => {
  it.each([
    ['full_input', 'continuation_reset'],
    ['over_sse', 'transport_fallback'],
    ['without_cache_options', 'cache_options_refused'],
  ] as const)('is asked again at once for %s, and that is recorded', async (again, code) => {
    const bench = new SessionBench({ scripts: [[fails('invalid_request', { again })], DONE] });
    const began = bench.clock.now();
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.clock.now()).toBe(began);
    expect(bench.provider.requests).toHaveLength(2);
    expect(bench.only('diagnostic')).toMatchObject({ code, details: { failure: { again } } });
    expect(bench.only('provider_usage').attempts).toBe(2);
  });

  it('says how it went out in the end', async () => {
    const full = sent({ attempted: true, used: false, reset_reason: 'previous_response_not_found' });
    const bench = new SessionBench({ scripts: [NOT_FOUND, [full, ...DONE]] });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.only('provider_usage')).toMatchObject({
      transport: 'websocket',
      continuation: { attempted: true, used: false, reset_reason: 'previous_response_not_found' },
    });
  });

  it('is asked once for each reason and each call, and still has its retries', async () => {
    const busy = [fails('server_error')];
    const round = responds(call('c1', 'read', { path: 'a' }));
    const bench = new SessionBench({ scripts: [NOT_FOUND, busy, busy, round, NOT_FOUND, DONE] });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.of('diagnostic').map(({ code }) => code)).toEqual([
      'continuation_reset',
      'provider_retry',
      'provider_retry',
      'continuation_reset',
    ]);
  });

  it('is not asked a third time', async () => {
    const bench = new SessionBench({ scripts: [NOT_FOUND, NOT_FOUND, DONE] });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.only('turn_failed').error_kind).toBe('invalid_request');
    expect(bench.provider.requests).toHaveLength(2);
  });

  it('is not asked again after output', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), ...NOT_FOUND], DONE] });
    expect(await bench.run('Go.')).toBe('partial_failed');
    expect(bench.provider.requests).toHaveLength(1);
  });
});
