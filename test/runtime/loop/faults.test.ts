import { describe, expect, it } from 'vitest';
import type { EventType } from '../../../src/runtime/events.ts';
import type { Extension, Phase } from '../../../src/runtime/extension.ts';
import { AppendFailed } from '../../../src/runtime/ports.ts';
import { logLines } from '../../support/log-lines.ts';
import { call, DONE, message, responds } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { succeed, toolBox, type ToolStub } from '../../support/tool-stubs.ts';

const ROUND = responds(message('I look.'), call('c1', 'read', { path: 'a' }));

function throwsAt(phase: Phase): Extension {
  const bug = (): never => {
    throw new TypeError(`a bug at ${phase}`);
  };
  return phase === 'before_tool' ? { name: 'bug', before_tool: bug } : { name: 'bug', on: { [phase]: bug } };
}

const INTERNAL = {
  error_message: 'Ledgerline itself failed. The log up to here is safe; the details help to report it.',
  next_actions: [
    { label: 'Diagnose', command: 'ledgerline.diagnose' },
    { label: 'Try again', command: 'ledgerline.retryTurn' },
  ],
};

describe('a bug in an extension', () => {
  it.each(['run_start', 'step_start', 'before_inference', 'before_tool', 'after_tool', 'step_end'] as const)(
    'at %s ends the turn as failed and hangs nothing',
    async (phase) => {
      const bench = new SessionBench({ scripts: [ROUND, ROUND], extensions: [throwsAt(phase)] });
      expect(await bench.run('Go.')).toBe('failed');
      expect(bench.only('turn_failed')).toMatchObject({
        ...INTERNAL,
        terminal_status: 'failed',
        error_kind: 'internal',
        details: { error: `TypeError: a bug at ${phase}` },
      });
      expect(logLines(bench.events).at(-1)).toBe('run done error');
      expect([bench.turn.open.size, bench.turn.violations, bench.clock.sleeping]).toEqual([0, [], 0]);
      expect(await bench.run('Again.')).toBe('failed');
    },
  );

  it('at after_inference keeps the text that had been shown', async () => {
    const bench = new SessionBench({ scripts: [DONE], extensions: [throwsAt('after_inference')] });
    expect(await bench.run('Go.')).toBe('partial_failed');
    expect(bench.only('assistant_message')).toMatchObject({ text: 'Done.', metadata: { partial: true } });
    expect(bench.only('turn_failed')).toMatchObject({
      error_kind: 'internal',
      details: { provider_message: 'TypeError: a bug at after_inference' },
    });
  });

  it.each(['step_end', 'run_end'] as const)(
    'at %s over a durable answer is told beside it: the answer stands',
    async (phase) => {
      const bench = new SessionBench({ scripts: [DONE], extensions: [throwsAt(phase)] });
      expect(await bench.run('Go.')).toBe('completed');
      expect(bench.of('turn_failed')).toEqual([]);
      expect(bench.only('diagnostic')).toMatchObject({
        code: 'internal',
        details: { error: `TypeError: a bug at ${phase}` },
      });
      const reason = phase === 'run_end' ? 'natural_end' : 'error';
      expect(logLines(bench.events).at(-1)).toBe(`run done ${reason}`);
    },
  );

  it('at run_end after a failure still closes the turn as it ended, with its text', async () => {
    const bench = new SessionBench({
      scripts: [[{ kind: 'text_delta', text: 'Half' }]],
      extensions: [throwsAt('run_end')],
    });
    expect(await bench.run('Go.')).toBe('partial_failed');
    expect(bench.only('assistant_message').text).toBe('Half');
    expect(bench.only('turn_failed').error_kind).toBe('stream_cut');
    expect(bench.only('diagnostic').details).toEqual({ error: 'TypeError: a bug at run_end' });
  });
});

describe('a bug in a tool', () => {
  it.each([
    ['throws', () => Promise.reject(new TypeError('a bug'))],
    [
      'throws at once',
      () => {
        throw new TypeError('a bug');
      },
    ],
  ])('that %s ends the turn as failed, and what ran beside it is kept', async (_, run) => {
    const read: ToolStub = { effect: 'read', run: () => succeed('fine') };
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'bug'), call('c2', 'read'))],
      tools: toolBox({ bug: { effect: 'write', run }, read }),
    });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.only('turn_failed')).toMatchObject({ ...INTERNAL, details: { error: 'TypeError: a bug' } });
    expect(bench.of('tool_result').map(({ call_id, ok, error }) => [call_id, ok, error?.kind])).toEqual([
      ['c2', true, undefined],
      ['c1', false, 'interrupted'],
    ]);
  });

  it('that makes an illegal move ends the run as error, by that name', async () => {
    const run: ToolStub = { effect: 'execute', run: () => succeed('never started') };
    const bench = new SessionBench({ scripts: [responds(call('c1', 'run'))], tools: toolBox({ run }) });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.only('turn_failed')).toMatchObject({
      error_kind: 'illegal_move',
      details: { error: 'IllegalMove: illegal call move new -> succeeded of c1' },
    });
    expect(bench.of('run_status').at(-1)).toMatchObject({ status: 'done', reason: 'error' });
    expect(bench.turn.violations).toEqual([]);
  });

  it('that says twice that it started ends the run as error', async () => {
    const run: ToolStub = {
      effect: 'execute',
      run: async (_, context) => {
        const process = { pid: 1, group: 1, started_at: '' };
        await context.started(process);
        await context.started(process);
        return succeed('');
      },
    };
    const bench = new SessionBench({ scripts: [responds(call('c1', 'run'))], tools: toolBox({ run }) });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.only('turn_failed').details).toEqual({
      error: 'IllegalMove: illegal call move running -> running of c1',
    });
  });
});

/** A run whose log refuses the first event of a type, and what was published of it. */
async function refusing(type: EventType, more: { readonly partial?: boolean } = {}): Promise<SessionBench> {
  const ran: string[] = [];
  const read: ToolStub = { effect: 'read', run: ({ call_id }) => (ran.push(call_id), succeed('x')) };
  const bench = new SessionBench({
    scripts: [more.partial === true ? [{ kind: 'text_delta', text: 'Half' }] : ROUND, DONE],
    tools: toolBox({ read }),
    refuses: (draft) => draft.type === type,
  });
  await bench.clock.until(bench.send('Go.').catch(() => undefined));
  await bench.settled();
  expect(ran).toEqual(
    type === 'tool_result' || type === 'turn_failed' ? ['c1'].slice(more.partial ? 1 : 0) : [],
  );
  return bench;
}

describe('a log that takes nothing more', () => {
  it.each(['assistant_message', 'permission_decision', 'tool_call_status', 'tool_result'] as const)(
    'at %s stops the run visibly, and nothing is published after it',
    async (type) => {
      const bench = await refusing(type);
      expect(bench.outputs.at(-1)).toEqual({
        kind: 'append_failed',
        failure: 'disk_full',
        message: 'The disk is full.',
      });
      expect(bench.outputs.filter(({ kind }) => kind === 'append_failed')).toHaveLength(1);
      const published = bench.outputs.flatMap((o) => (o.kind === 'committed' ? o.events : []));
      expect(published).toEqual(bench.events);
      expect([bench.session.running, bench.clock.sleeping]).toEqual([false, 0]);
    },
  );

  it('ends at once what is still running beside it', async () => {
    const slow: ToolStub = {
      effect: 'read',
      run: async (_, { signal }) => {
        await bench.clock.sleep(60_000, signal);
        return succeed('late');
      },
    };
    const read: ToolStub = { effect: 'read', run: () => succeed('x') };
    const bench: SessionBench = new SessionBench({
      scripts: [responds(call('c1', 'slow'), call('c2', 'read'))],
      tools: toolBox({ slow, read }),
      refuses: ({ type }) => type === 'tool_result',
    });
    await bench.clock.until(bench.send('Go.'));
    const began = bench.clock.now();
    await bench.settled();
    expect([bench.clock.now() - began, bench.clock.sleeping]).toEqual([0, 0]);
  });

  it('at the prompt lets no request leave, and the sender is told', async () => {
    const bench = new SessionBench({ scripts: [DONE], refuses: ({ type }) => type === 'user_message' });
    await expect(bench.clock.until(bench.send('Go.'))).rejects.toEqual(
      new AppendFailed('disk_full', 'The disk is full.'),
    );
    expect([bench.provider.requests.length, bench.events]).toEqual([0, []]);
  });

  it('while it closes a turn leaves the turn open for the next writer', async () => {
    const bench = await refusing('turn_failed', { partial: true });
    expect(bench.outputs.at(-1)).toMatchObject({ kind: 'append_failed' });
    expect(logLines(bench.events).at(-1)).toBe('run running');
  });

  it('refuses every further turn, and can be stopped without more ado', async () => {
    const bench = await refusing('tool_result');
    await expect(bench.clock.until(bench.send('Again.'))).rejects.toBeInstanceOf(AppendFailed);
    await bench.stop();
    await bench.clock.until(bench.session.disconnect());
    expect(bench.outputs.at(-1)).toMatchObject({ kind: 'append_failed' });
  });
});
