import { describe, expect, it } from 'vitest';
import { pressure } from '../../../src/runtime/extensions/pressure.ts';
import type { ProviderEvent } from '../../../src/runtime/ports.ts';
import { SessionBench, type BenchOptions } from '../../support/session-bench.ts';
import {
  call,
  completed,
  fails,
  message,
  responds,
  text,
  TOKENS,
  type Script,
} from '../../support/scripted-provider.ts';
import { TOOLS, toolBox } from '../../support/tool-stubs.ts';
import { BIG, LONG, many, talk } from './long-talks.ts';

const TOO_LARGE: Script = [fails('context_overflow', { status: 400, code: 'context_length_exceeded' })];
const SOCKET: ProviderEvent = {
  kind: 'sent',
  transport: 'websocket',
  continuation: { attempted: false, used: false, reset_reason: 'new_connection' },
};

/** An answer after which the window of 1,000 tokens is so full. */
function filling(input: number, words = LONG): Script {
  return [text(words), completed([message(words)], { ...TOKENS, input })];
}

function bench(scripts: readonly Script[], more: Partial<BenchOptions> = {}): SessionBench {
  const tools = toolBox({ ...TOOLS, read_file: BIG });
  return new SessionBench({ scripts, tools, extensions: [pressure], ...more });
}

describe('before a turn', () => {
  it('history is compacted when the last call nearly filled the window, and not again', async () => {
    const scripts = [...many(13, filling(500)), filling(950), filling(300), filling(950), filling(300)];
    const one = bench(scripts);
    await talk(one, 14);
    expect(one.of('history_compaction')).toEqual([]);
    expect(await one.run('Go on.')).toBe('completed');
    const record = one.only('history_compaction');
    expect(record).toMatchObject({
      trigger: 'critical_pressure_preflight',
      strategy: 'deterministic_v1',
      turn_id: one.turn.turn_id,
      tokens_basis: 'measured',
    });
    // The prompt is on record first, and the checkpoint before the request that follows from both.
    const types = one.events.map(({ type }) => type);
    const at = types.indexOf('history_compaction');
    expect(types.slice(at - 2, at + 2)).toEqual([
      'user_message',
      'run_status',
      'history_compaction',
      'assistant_message',
    ]);
    expect(JSON.stringify(one.provider.requests.at(-1)?.input)).toContain('history checkpoint');
    expect(await one.run('And on.')).toBe('completed');
    expect(one.of('history_compaction')).toHaveLength(1);
  });

  it('nothing is compacted where the window is not known, or is a larger one by now', async () => {
    const unknown = bench([...many(13, filling(500)), filling(950), filling(10)], {
      settings: { context_window: null },
    });
    await talk(unknown, 15);
    expect(unknown.of('history_compaction')).toEqual([]);
    const larger = bench([...many(13, filling(500)), filling(950), filling(10)]);
    await talk(larger, 14);
    const run = { ...larger.ports({ context_window: 100_000 }) };
    await larger.clock.until(
      larger.session.send({ client_turn_id: 'more', text: 'Go on.', attachments: [] }, run),
    );
    await larger.settled();
    expect(larger.of('history_compaction')).toEqual([]);
  });

  it('the model is asked all the same where nothing can be compacted', async () => {
    const one = bench([filling(950), filling(960)]);
    await talk(one, 2);
    expect(one.state).toBe('completed');
    expect(one.of('history_compaction')).toEqual([]);
  });

  it('not in the middle of one: what a round adds is left to the provider to judge', async () => {
    const asks: Script = [completed([call('c', 'read', { path: 'a' })], { ...TOKENS, input: 950 })];
    const one = bench([...many(13, filling(500)), asks, filling(960)]);
    await talk(one, 13);
    expect(await one.run('Read a.')).toBe('completed');
    expect(one.of('history_compaction')).toEqual([]);
  });
});

describe('after the provider said that a request is too large', () => {
  it('history is compacted with a tail of 20, then 10, then 5, and asked again each time', async () => {
    const one = bench([...many(14, filling(500)), TOO_LARGE, TOO_LARGE, TOO_LARGE, filling(200, 'At last.')]);
    await talk(one, 14);
    expect(await one.run('Go on.')).toBe('completed');
    const records = one.of('history_compaction');
    expect(records.map(({ trigger }) => trigger)).toEqual(Array(3).fill('overflow_recovery'));
    const kept = one.provider.requests.slice(-3).map(({ input }) => input.length - 2);
    expect(kept).toEqual([19, 9, 5]);
    const sizes = one.provider.requests.slice(-4).map(({ input }) => JSON.stringify(input).length);
    expect(sizes.toSorted((a, b) => b - a)).toEqual(sizes);
    expect(one.of('diagnostic').map(({ code }) => code)).toEqual(Array(3).fill('overflow_recovery'));
    // Wherever the log ends, what it says was compacted was.
    const types = one.events.map(({ type }) => type);
    const claims = types.flatMap((type, index) => (type === 'diagnostic' ? [types[index - 1]] : []));
    expect(claims).toEqual(Array(3).fill('history_compaction'));
    expect(one.of('provider_usage').at(-1)).toMatchObject({ attempts: 4 });
  });

  it('the turn fails honestly where a call that waits is before all that could be compacted', async () => {
    const asks = responds(call('w', 'write', { path: 'a' }), call('r', 'read', { path: 'b' }));
    const rounds = Array.from({ length: 12 }, (_, n) =>
      responds(call(`c${n}`, 'read_file', { path: `${n}` })),
    );
    const one = bench([asks, ...rounds, TOO_LARGE, TOO_LARGE, filling(200, 'At last.')], {
      settings: { permission_mode: 'ask' },
    });
    expect(await one.run('Write a and read them all.')).toBe('failed');
    expect(one.of('history_compaction')).toEqual([]);
    expect(one.only('turn_failed')).toMatchObject({
      error_kind: 'context_overflow',
      error_message:
        'The conversation is larger than the context window of the model. A call that waited for your decision kept it from being compacted.',
    });
    // The call ended with its turn, and holds nothing back any more.
    expect(await one.run('Again.')).toBe('completed');
    expect(one.of('history_compaction')).toHaveLength(1);
  });

  it('the turn fails honestly when even the smallest tail is too large', async () => {
    const one = bench([...many(14, filling(500)), ...many(4, TOO_LARGE), filling(200, 'Hello again.')]);
    await talk(one, 14);
    expect(await one.run('Go on.')).toBe('failed');
    const failure = one.only('turn_failed');
    expect(failure).toMatchObject({
      error_kind: 'context_overflow',
      details: { compactions: [{ tail: 20 }, { tail: 10 }, { tail: 5 }] },
    });
    expect(failure.next_actions.map(({ label }) => label)).toEqual([
      'New session',
      'Select model',
      'Try again',
    ]);
    expect(one.provider.requests).toHaveLength(18);
    expect(await one.run('Still there?')).toBe('completed');
  });

  it('a turn that is too large by itself is cut between its rounds, and goes on', async () => {
    const rounds = Array.from({ length: 12 }, (_, n) =>
      responds(call(`c${n}`, 'read_file', { path: `file-${n}` })),
    );
    const one = bench([...rounds, TOO_LARGE, responds(message('I have read them.'))]);
    expect(await one.run('Read them all.')).toBe('completed');
    const record = one.only('history_compaction');
    expect(record.keeps).toHaveLength(1);
    const last = one.provider.requests.at(-1)?.input ?? [];
    expect(JSON.stringify(last.slice(0, 3))).toContain('Read them all.');
    expect(last.filter(({ type }) => type === 'function_call').length).toBe(10);
  });

  it('nothing is compacted once something has come out', async () => {
    const cut: Script = [text('Half an ans'), fails('context_overflow')];
    const one = bench([...many(14, filling(500)), cut]);
    await talk(one, 14);
    expect(await one.run('Go on.')).toBe('partial_failed');
    expect(one.of('history_compaction')).toEqual([]);
  });

  it('a first prompt that is too large fails at once, and says why', async () => {
    const one = bench([TOO_LARGE]);
    expect(await one.run('A very long prompt.')).toBe('failed');
    expect(one.provider.requests).toHaveLength(1);
    expect(one.only('turn_failed').error_kind).toBe('context_overflow');
  });
});

describe('after a socket broke', () => {
  const broken: Script = [SOCKET, fails('connection')];

  it.each([
    ['closed', broken],
    ['cut off', [SOCKET, fails('stream_cut')]],
    ['not to be read', [SOCKET, fails('malformed_stream', { code: 'WS_ERR_INVALID_OPCODE' })]],
  ] as const)('%s, with a nearly full window, history is compacted first', async (_, ends) => {
    // The window nearly fills inside the turn, where nothing is compacted beforehand.
    const asks: Script = [SOCKET, completed([call('c', 'read', { path: 'a' })], { ...TOKENS, input: 950 })];
    const one = bench([...many(13, filling(500)), asks, ends, filling(300, 'There.')]);
    await talk(one, 13);
    expect(await one.run('Read a.')).toBe('completed');
    expect(one.only('history_compaction')).toMatchObject({ trigger: 'websocket_critical_recovery' });
    expect(one.of('diagnostic').map(({ code }) => code)).toEqual(['websocket_critical_recovery']);
  });

  it('with room in the window, it is only asked again', async () => {
    const one = bench([...many(13, filling(500)), broken, filling(300, 'There.')]);
    await talk(one, 13);
    expect(await one.run('Go on.')).toBe('completed');
    expect(one.of('history_compaction')).toEqual([]);
    expect(one.of('diagnostic').map(({ code }) => code)).toEqual(['provider_retry']);
  });

  it('where none came about, as without a network, nothing is compacted however often it is tried', async () => {
    const asks: Script = [SOCKET, completed([call('c', 'read', { path: 'a' })], { ...TOKENS, input: 950 })];
    const refused: Script = [SOCKET, fails('connection', { again: 'over_sse' })];
    const overSse: Script = [fails('connection')];
    const one = bench([...many(13, filling(500)), asks, refused, overSse, refused, overSse]);
    await talk(one, 13);
    expect(await one.run('Read a.')).toBe('failed');
    expect(one.of('history_compaction')).toEqual([]);
    expect(one.of('diagnostic').map(({ code }) => code)).toEqual([
      'transport_fallback',
      'provider_retry',
      'provider_retry',
    ]);
  });

  it('because it was open for too long, it is only asked again', async () => {
    const asks: Script = [SOCKET, completed([call('c', 'read', { path: 'a' })], { ...TOKENS, input: 950 })];
    const old: Script = [SOCKET, fails('connection', { code: 'websocket_connection_limit_reached' })];
    const one = bench([...many(13, filling(500)), asks, old, filling(300, 'There.')]);
    await talk(one, 13);
    expect(await one.run('Read a.')).toBe('completed');
    expect(one.of('history_compaction')).toEqual([]);
    expect(one.of('diagnostic').map(({ code }) => code)).toEqual(['provider_retry']);
  });

  it('over server-sent events it is only asked again', async () => {
    const asks: Script = [completed([call('c', 'read', { path: 'a' })], { ...TOKENS, input: 950 })];
    const one = bench([...many(13, filling(500)), asks, [fails('connection')], filling(300, 'There.')]);
    await talk(one, 13);
    expect(await one.run('Read a.')).toBe('completed');
    expect(one.of('history_compaction')).toEqual([]);
  });
});
