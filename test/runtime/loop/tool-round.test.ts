import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../../src/runtime/ports.ts';
import { logLines } from '../../support/log-lines.ts';
import { call, DONE, responds } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { PROCESS, succeed, toolBox, type ToolStub } from '../../support/tool-stubs.ts';

/** Tools that take ten milliseconds and tell when they begin and end. */
function timedTools(told: string[], bench: () => SessionBench): Readonly<Record<string, ToolStub>> {
  const timed = (effect: ToolStub['effect']): ToolStub => ({
    effect,
    run: async ({ call_id }, context) => {
      if (effect === 'execute') await context.started(PROCESS);
      told.push(`${call_id} begins`);
      await bench().clock.sleep(10, context.signal);
      told.push(`${call_id} ends`);
      return succeed(call_id);
    },
  });
  return { read: timed('read'), write: timed('write'), run: timed('execute') };
}

async function order(...calls: readonly (readonly [string, string, string])[]): Promise<readonly string[]> {
  const told: string[] = [];
  const bench: SessionBench = new SessionBench({
    scripts: [responds(...calls.map(([id, name, path]) => call(id, name, { path }))), DONE],
    tools: toolBox(timedTools(told, () => bench)),
  });
  expect(await bench.run('Go.')).toBe('completed');
  expect(bench.turn.violations).toEqual([]);
  return told;
}

describe('the calls of a round', () => {
  it('that read run together', async () => {
    expect(await order(['c1', 'read', 'a'], ['c2', 'read', 'a'], ['c3', 'read', 'b'])).toEqual([
      'c1 begins',
      'c2 begins',
      'c3 begins',
      'c1 ends',
      'c2 ends',
      'c3 ends',
    ]);
  });

  it('that read do so really at the same time: each waits here for the other', async () => {
    const waiting: (() => void)[] = [];
    const read: ToolStub = {
      effect: 'read',
      run: () =>
        new Promise((resolve) => {
          waiting.push(() => resolve(succeed('met')));
          if (waiting.length === 2) for (const release of waiting) release();
        }),
    };
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'read'), call('c2', 'read')), DONE],
      tools: toolBox({ read }),
    });
    expect(await bench.run('Go.')).toBe('completed');
  });

  it('that write one path run one after the other, in the order they were asked for', async () => {
    expect(await order(['c1', 'write', 'a'], ['c2', 'write', 'b'], ['c3', 'write', 'a'])).toEqual([
      'c1 begins',
      'c2 begins',
      'c1 ends',
      'c3 begins',
      'c2 ends',
      'c3 ends',
    ]);
  });

  it('that are commands run alone among all that has effects', async () => {
    const calls = [
      ['c1', 'write', 'a'],
      ['c2', 'run', 'x'],
      ['c3', 'run', 'y'],
      ['c4', 'write', 'b'],
      ['c5', 'read', 'a'],
    ] as const;
    expect(await order(...calls)).toEqual([
      'c1 begins',
      'c5 begins',
      'c1 ends',
      'c2 begins',
      'c5 ends',
      'c2 ends',
      'c3 begins',
      'c3 ends',
      'c4 begins',
      'c4 ends',
    ]);
  });

  it('are running in the log before their tool starts', async () => {
    const running: Record<string, boolean> = {};
    const noted = (effect: ToolStub['effect']): ToolStub => ({
      effect,
      run: async ({ call_id }, context) => {
        if (effect === 'execute') await context.started(PROCESS);
        running[call_id] = bench
          .of('tool_call_status')
          .some((status) => status.call_id === call_id && status.to === 'running');
        return succeed('');
      },
    });
    const tools = toolBox({ read: noted('read'), write: noted('write'), run: noted('execute') });
    const calls = [call('c1', 'read'), call('c2', 'write', { path: 'a' }), call('c3', 'run')];
    const bench: SessionBench = new SessionBench({ scripts: [responds(...calls), DONE], tools });
    await bench.run('Go.');
    expect(running).toEqual({ c1: true, c2: true, c3: true });
    const processes = bench.of('tool_call_status').flatMap(({ process }) => process ?? []);
    expect(processes).toEqual([PROCESS]);
  });

  it('record the files they changed before their result', async () => {
    const change = {
      path: 'a',
      before_sha256: null,
      after_sha256: 'f00',
      before_blob: null,
      created: true,
      deleted: false,
    };
    const write: ToolStub = {
      effect: 'write',
      run: () => ({ kind: 'success', output: 'ok', blob: 'b1', changes: [change] }),
    };
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'write', { path: 'a' })), DONE],
      tools: toolBox({ write }),
    });
    await bench.run('Go.');
    expect(bench.only('file_change')).toMatchObject({ ...change, call_id: 'c1', turn_id: 'turn_1' });
    expect(bench.only('tool_result')).toMatchObject({ ok: true, output: 'ok', blob: 'b1' });
    const types = bench.events.map(({ type }) => type);
    expect(types.indexOf('file_change')).toBeLessThan(types.indexOf('tool_result'));
  });

  it('tell how long each took', async () => {
    const told: string[] = [];
    const bench: SessionBench = new SessionBench({
      scripts: [responds(call('c1', 'run'), call('c2', 'run')), DONE],
      tools: toolBox(timedTools(told, () => bench)),
    });
    await bench.run('Go.');
    expect(bench.of('tool_result').map(({ duration_ms }) => duration_ms)).toEqual([10, 10]);
  });
});

describe('a command', () => {
  it('that fails before its process is there never was running', async () => {
    const run: ToolStub = {
      effect: 'execute',
      run: () => ({ kind: 'failure', error: { kind: 'spawn_failed', message: 'No shell.' }, changes: [] }),
    };
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'run')), DONE],
      tools: toolBox({ run }),
    });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.of('tool_call_status').map(({ from, to }) => [from, to])).toEqual([['new', 'failed']]);
  });

  it('that was left behind cannot start any more', async () => {
    const contexts: ToolContext[] = [];
    const run: ToolStub = {
      effect: 'execute',
      run: (_, context) => {
        contexts.push(context);
        return new Promise(() => undefined);
      },
    };
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'run'))],
      tools: toolBox({ run }),
      settings: { turn_timeout_ms: 5_000 },
    });
    expect(await bench.run('Go.')).toBe('timed_out');
    const before = bench.log.lines.length;
    await expect(contexts[0]?.started(PROCESS)).rejects.toThrow('illegal call move over -> running of c1');
    expect(bench.log.lines).toHaveLength(before);
  });
});

describe('a round that is stopped', () => {
  it('tells its tools at once, whatever else is waiting its turn', async () => {
    const contexts: ToolContext[] = [];
    const slow: ToolStub = {
      effect: 'read',
      run: async (_, context) => {
        contexts.push(context);
        await bench.clock.sleep(1_000, context.signal);
        return succeed('');
      },
    };
    const bench: SessionBench = new SessionBench({
      scripts: [responds(call('c1', 'slow'))],
      tools: toolBox({ slow }),
    });
    await bench.begin('Go.');
    const stopped = bench.session.stop('user_cancelled');
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true]);
    await bench.clock.until(stopped);
  });

  it('does not start what had to wait for others', async () => {
    const told: string[] = [];
    const bench: SessionBench = new SessionBench({
      scripts: [responds(call('c1', 'run'), call('c2', 'run'), call('c3', 'read'))],
      tools: toolBox(timedTools(told, () => bench)),
    });
    await bench.begin('Go.');
    await bench.stop();
    expect(told).toEqual(['c1 begins', 'c3 begins', 'c1 ends', 'c3 ends']);
    expect(logLines(bench.events).slice(-4)).toEqual([
      'result c2: error never_started',
      'c2: new -> cancelled',
      'failed: interrupted user_cancelled',
      'run done cancelled',
    ]);
    expect(bench.turn.open.size).toBe(0);
  });

  it('shows progress of its tools only until it is stopped', async () => {
    const run: ToolStub = {
      effect: 'read',
      run: async (_, context) => {
        context.progress('one');
        await bench.clock.sleep(1_000, context.signal);
        context.progress('two');
        return succeed('');
      },
    };
    const bench: SessionBench = new SessionBench({
      scripts: [responds(call('c1', 'run'))],
      tools: toolBox({ run }),
    });
    await bench.begin('Go.');
    await bench.stop();
    expect(bench.outputs.filter(({ kind }) => kind === 'tool_progress')).toEqual([
      { kind: 'tool_progress', turn_id: 'turn_1', call_id: 'c1', text: 'one' },
    ]);
  });
});

describe('a stream', () => {
  it('that showed words tells that no more come before its end is written down', async () => {
    const bench = new SessionBench({ scripts: [responds(call('c1', 'read')), DONE], tools: toolBox({}) });
    await bench.run('Go.');
    const ends = bench.outputs.findIndex(({ kind }) => kind === 'stream_rest');
    expect(bench.outputs[ends - 1]).toMatchObject({ kind: 'text_delta', text: 'Done.' });
    expect(bench.outputs[ends + 1]).toMatchObject({ kind: 'committed' });
    expect(bench.outputs.filter(({ kind }) => kind === 'stream_rest')).toHaveLength(1);
  });
});
