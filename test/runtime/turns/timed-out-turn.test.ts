import { describe, expect, it } from 'vitest';
import { expectTurn } from '../../support/expected-turn.ts';
import { call, DONE, fails, HANG, message, responds, text } from '../../support/scripted-provider.ts';
import { askingBench, SessionBench } from '../../support/session-bench.ts';
import { toolBox, type ToolStub } from '../../support/tool-stubs.ts';

const settings = { turn_timeout_ms: 30_000 };

const TIMED_OUT = {
  terminal_status: 'timed_out',
  error_kind: 'stopped:timeout',
  error_message: 'The turn did not finish within its budget of 30 s.',
  timeout_ms: 30_000,
  elapsed_ms: 30_000,
  next_actions: [
    { label: 'Continue', command: 'ledgerline.continueTurn' },
    { label: 'Try again', command: 'ledgerline.retryTurn' },
    { label: 'Raise the limit', command: 'workbench.action.openSettings', args: ['ledgerline.turnTimeout'] },
  ],
};

describe('a turn that does not finish in time', () => {
  it('is timed_out, with its budget, the time it took and what to do next', async () => {
    const bench = new SessionBench({ scripts: [[HANG]], settings });
    expect(await bench.run('Go.')).toBe('timed_out');
    expect(bench.only('turn_failed')).toMatchObject(TIMED_OUT);
    expect(bench.only('turn_failed')).not.toHaveProperty('interrupted_reason');
    expect(bench.of('assistant_message')).toEqual([]);
    expect(bench.of('run_status').at(-1)).toMatchObject({ reason: 'stopped:timeout', code: 'timeout' });
  });

  it('is timed_out also with text, which is kept as partial', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), HANG]], settings });
    expect(await bench.run('Go.')).toBe('timed_out');
    expect(bench.only('turn_failed')).toMatchObject(TIMED_OUT);
    expect(bench.only('assistant_message')).toMatchObject({
      text: 'Half',
      metadata: { partial: true, interrupted: false, terminal_status: 'timed_out' },
    });
  });

  it('ends though its provider does not hear the abort', async () => {
    const bench = new SessionBench({ scripts: [[{ kind: 'hang_deaf' }]], settings });
    expect(await bench.run('Go.')).toBe('timed_out');
  });

  it('ends though its tool does not hear the abort, and says that its effect is unknown', async () => {
    const deaf: ToolStub = { effect: 'write', run: () => new Promise(() => undefined) };
    const scripts = [responds(call('c1', 'deaf', { path: 'a' }))];
    const bench = new SessionBench({ scripts, tools: toolBox({ deaf }), settings });
    await expectTurn(bench, 'timed_out', [
      'call c1: deaf {"path":"a"}',
      'provider_usage',
      'permission c1: allow',
      'c1: new -> running',
      'result c1: error cancelled',
      'c1: running -> cancelled',
      'failed: timed_out stopped:timeout',
      'run done stopped:timeout',
    ]);
    expect(bench.only('tool_result').error?.message).toContain('unknown');
    // One second of grace for the tool to end by itself.
    expect(bench.only('turn_failed').elapsed_ms).toBe(31_000);
    expect(bench.clock.sleeping).toBe(0);
  });

  it('ends while it waits to try again', async () => {
    const late = fails('rate_limited', { retry_after_ms: 50_000 });
    const bench = new SessionBench({ scripts: [[late]], settings });
    expect(await bench.run('Go.')).toBe('timed_out');
    expect(bench.only('turn_failed')).toMatchObject(TIMED_OUT);
    expect(bench.provider.requests).toHaveLength(1);
    expect(bench.clock.sleeping).toBe(0);
  });

  it('counts all its rounds together', async () => {
    const slow: ToolStub = {
      effect: 'read',
      run: async (_, { signal }) => {
        await bench.clock.sleep(12_000, signal);
        return { kind: 'success', output: 'slow', changes: [] };
      },
    };
    const bench: SessionBench = new SessionBench({
      scripts: [1, 2, 3, 4].map((n) => responds(call(`c${n}`, 'slow', { n }))),
      tools: toolBox({ slow }),
      settings,
    });
    expect(await bench.run('Go.')).toBe('timed_out');
    expect(bench.provider.requests).toHaveLength(3);
  });

  it('is not timed while it waits for a person', async () => {
    const bench = askingBench(settings);
    expect(await bench.run('Go.')).toBe('waiting');
    await bench.clock.advance(1_000_000);
    expect([bench.state, bench.session.running, bench.clock.sleeping]).toEqual(['waiting', false, 0]);
  });

  it('does not halt the turn after it', async () => {
    const slow = [text('Slow'), { kind: 'pause', ms: 29_000 } as const, ...DONE];
    const bench = new SessionBench({ scripts: [responds(message('Quick.')), slow], settings });
    expect(await bench.run('First.')).toBe('completed');
    await bench.clock.advance(20_000);
    expect(await bench.run('Second.')).toBe('completed');
  });
});
