import { describe, expect, it } from 'vitest';
import type { InterruptedReason } from '../../../src/runtime/events.ts';
import { logLines } from '../../support/log-lines.ts';
import { call, completed, DONE, HANG, message, responds, text } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { READ, succeed, toolBox, type ToolStub } from '../../support/tool-stubs.ts';

/** A session whose run has come as far as it can by itself. */
async function under(bench: SessionBench): Promise<SessionBench> {
  await bench.begin('Go.');
  return bench;
}

const ENDS: Readonly<Record<InterruptedReason, (bench: SessionBench) => Promise<unknown>>> = {
  user_cancelled: (bench) => bench.session.stop('user_cancelled'),
  superseded: (bench) => bench.send('Rather this.'),
  disconnect: (bench) => bench.session.disconnect(),
};

const REASONS = Object.keys(ENDS) as InterruptedReason[];

describe.each(REASONS)('a turn interrupted by %s', (reason) => {
  it('keeps its text as partial and names the reason', async () => {
    const bench = await under(new SessionBench({ scripts: [[text('Half '), text('of it'), HANG], [HANG]] }));
    await bench.clock.until(ENDS[reason](bench));
    expect(bench.only('assistant_message')).toEqual({
      turn_id: 'turn_1',
      client_turn_id: 'client_1',
      stream_run_id: 'stream_1',
      text: 'Half of it',
      metadata: {
        partial: true,
        interrupted: true,
        interrupted_reason: reason,
        client_turn_id: 'client_1',
        finished_reason: 'cancelled',
        token_estimate: 3,
        terminal_status: 'interrupted',
        error_kind: reason,
        output_truncation: 'unknown',
      },
    });
    expect(bench.only('turn_failed')).toMatchObject({
      turn_id: 'turn_1',
      client_turn_id: 'client_1',
      stream_run_id: 'stream_1',
      terminal_status: 'interrupted',
      interrupted_reason: reason,
    });
    expect(logLines(bench.events).slice(4, 8)).toEqual([
      'assistant (partial): Half of it',
      'provider_usage',
      `failed: interrupted ${reason}`,
      'run done cancelled',
    ]);
  });

  it('before its first word has no message at all', async () => {
    const bench = await under(new SessionBench({ scripts: [[HANG], [HANG]] }));
    await bench.clock.until(ENDS[reason](bench));
    expect(bench.of('assistant_message')).toEqual([]);
    expect(bench.only('turn_failed')).toMatchObject({ interrupted_reason: reason });
  });

  it('while tools run closes every call, and keeps what had finished', async () => {
    const slow: ToolStub = {
      effect: 'read',
      run: (_, { signal }) =>
        new Promise((resolve) => {
          const end = (): void =>
            resolve({ kind: 'failure', error: { kind: 'cancelled', message: 'Stopped.' }, changes: [] });
          signal.addEventListener('abort', end, { once: true });
        }),
    };
    const calls = [call('c1', 'read', { path: 'a' }), call('c2', 'slow')];
    const tools = toolBox({ read: READ, slow });
    const bench = await under(new SessionBench({ scripts: [responds(...calls), [HANG]], tools }));
    await bench.clock.until(ENDS[reason](bench));
    expect(logLines(bench.events).slice(11, 17)).toEqual([
      'result c1: content of a',
      'c1: running -> succeeded',
      'result c2: error cancelled',
      'c2: running -> cancelled',
      `failed: interrupted ${reason}`,
      'run done cancelled',
    ]);
  });
});

describe('a turn that is halted', () => {
  it('after its answer is durable stays completed', async () => {
    const bench: SessionBench = new SessionBench({
      scripts: [DONE],
      watch: (output) => {
        const answered =
          output.kind === 'committed' && output.events.some(({ type }) => type === 'assistant_message');
        if (answered) void bench.session.stop('user_cancelled');
      },
    });
    expect(await bench.run('Go.')).toBe('completed');
    expect(bench.of('turn_failed')).toEqual([]);
    expect(logLines(bench.events).at(-1)).toBe('run done natural_end');
    expect(bench.turn.violations).toEqual([]);
  });

  it('in the moment its response completes keeps the text that was shown, as partial', async () => {
    const bench: SessionBench = new SessionBench({
      scripts: [
        [
          text('Done.'),
          { kind: 'do', act: () => void bench.session.stop('user_cancelled') },
          completed([message('Done.')]),
        ],
      ],
    });
    expect(await bench.run('Go.')).toBe('interrupted');
    expect(bench.only('assistant_message')).toMatchObject({ text: 'Done.', metadata: { partial: true } });
  });

  it('after its calls are durable and before they run closes them as never started', async () => {
    const ran: string[] = [];
    const read: ToolStub = {
      effect: 'read',
      run: ({ call_id }) => {
        ran.push(call_id);
        return succeed('');
      },
    };
    const bench: SessionBench = new SessionBench({
      scripts: [responds(call('c1', 'read'), call('c2', 'read'))],
      tools: toolBox({ read }),
      watch: (output) => {
        const asked = output.kind === 'committed' && output.events.some(({ type }) => type === 'tool_call');
        if (asked) void bench.session.stop('user_cancelled');
      },
    });
    expect(await bench.run('Go.')).toBe('interrupted');
    expect(ran).toEqual([]);
    expect(bench.of('tool_result').map(({ call_id, error }) => [call_id, error?.kind])).toEqual([
      ['c1', 'never_started'],
      ['c2', 'never_started'],
    ]);
    expect(bench.turn.open.size).toBe(0);
  });

  it('shows nothing more, however much the provider still says', async () => {
    const bench: SessionBench = new SessionBench({
      scripts: [
        [text('one '), { kind: 'do', act: () => void bench.session.stop('user_cancelled') }, text('two')],
      ],
    });
    await bench.run('Go.');
    const shown = bench.outputs.flatMap((output) => (output.kind === 'text_delta' ? [output.text] : []));
    expect([shown.join(''), bench.only('assistant_message').text]).toEqual(['one ', 'one ']);
  });

  it('ends though its provider does not hear the abort', async () => {
    const bench = await under(new SessionBench({ scripts: [[text('Half'), { kind: 'hang_deaf' }]] }));
    await bench.stop();
    expect(bench.state).toBe('interrupted');
    expect(bench.clock.sleeping).toBe(0);
  });

  it('twice is halted once', async () => {
    const bench = await under(new SessionBench({ scripts: [[text('Half'), HANG]] }));
    const both = Promise.all([bench.session.stop('user_cancelled'), bench.session.stop('superseded')]);
    await bench.clock.until(both);
    expect(bench.only('turn_failed').interrupted_reason).toBe('user_cancelled');
  });

  it('when nothing runs changes nothing', async () => {
    const bench = new SessionBench({ scripts: [DONE] });
    await bench.stop();
    expect(bench.events).toEqual([]);
    await bench.run('Go.');
    const before = bench.log.lines.length;
    await bench.stop();
    await bench.clock.until(bench.session.disconnect());
    expect(bench.log.lines).toHaveLength(before);
    expect(bench.state).toBe('completed');
  });
});

describe('a cancelled run', () => {
  it('returns what it had, and does not throw', async () => {
    const scripts = [responds(call('c1', 'read', { path: 'a' })), [text('Half'), HANG]];
    const bench = await under(new SessionBench({ scripts, tools: toolBox({ read: READ }) }));
    await bench.stop();
    expect(await bench.session.settled()).toEqual({
      kind: 'ended',
      finished_reason: 'cancelled',
      partial_text: 'Half',
      executed: ['read'],
    });
  });
});
