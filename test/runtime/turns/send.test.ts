import { describe, expect, it } from 'vitest';
import type { TurnState } from '../../../src/runtime/turn.ts';
import { doneTurn, logLines } from '../../support/log-lines.ts';
import { call, DONE, fails, HANG, responds, text, type Script } from '../../support/scripted-provider.ts';
import { askingBench, SessionBench } from '../../support/session-bench.ts';
import { ASKS, READ, toolBox, type ToolStub } from '../../support/tool-stubs.ts';

/** A script that brings a turn into each state, and what has to be done to it. */
const WAYS: Readonly<Record<TurnState, readonly [Script, (bench: SessionBench) => Promise<void>]>> = {
  running: [[HANG], async () => undefined],
  waiting: [responds(call('c1', 'asks')), async (bench) => bench.settled()],
  completed: [DONE, async (bench) => bench.settled()],
  failed: [[fails('auth')], async (bench) => bench.settled()],
  partial_failed: [[text('Half'), fails('auth')], async (bench) => bench.settled()],
  interrupted: [
    [text('Half'), HANG],
    async (bench) => bench.clock.until(bench.session.stop('user_cancelled')),
  ],
  timed_out: [[HANG], async (bench) => bench.settled()],
};

describe('the same client_turn_id sent again', () => {
  it.each(Object.keys(WAYS) as TurnState[])(
    'while its turn is %s writes nothing and tells that state',
    async (state) => {
      const [script, bring] = WAYS[state];
      const bench = new SessionBench({
        scripts: [script],
        tools: toolBox({ read: READ, asks: ASKS }),
        settings: { turn_timeout_ms: 10_000 },
      });
      const first = await bench.clock.until(bench.send('Go.', 'k1'));
      expect(first).toEqual({
        kind: 'started',
        turn: { turn_id: 'turn_1', client_turn_id: 'k1', state: 'running', reason: null, next_actions: [] },
      });
      await bench.clock.idle();
      await bring(bench);
      const before = bench.log.lines.length;
      expect(await bench.clock.until(bench.send('Go.', 'k1'))).toMatchObject({
        kind: 'duplicate',
        turn: { turn_id: 'turn_1', client_turn_id: 'k1', state },
      });
      expect([bench.log.lines.length, bench.provider.requests.length]).toEqual([before, 1]);
      expect(bench.session.find('k1')?.state).toBe(state);
    },
  );

  it('twice at once starts one turn', async () => {
    const bench = new SessionBench({ scripts: [DONE] });
    const both = Promise.all([bench.send('Go.', 'k1'), bench.send('Go.', 'k1')]);
    expect((await bench.clock.until(both)).map(({ kind }) => kind)).toEqual(['started', 'duplicate']);
    await bench.settled();
    expect(bench.of('user_message')).toHaveLength(1);
  });

  it('after a reload is known from the log', async () => {
    const first = new SessionBench({ scripts: [DONE] });
    await first.run('Go.', 'k1');
    const again = new SessionBench({ scripts: [], lines: first.log.lines });
    expect(await again.clock.until(again.send('Go.', 'k1'))).toEqual({
      kind: 'duplicate',
      turn: { turn_id: 'turn_1', client_turn_id: 'k1', state: 'completed', reason: null, next_actions: [] },
    });
    expect(again.log.lines).toEqual(first.log.lines);
  });

  it('of an earlier turn tells how that one ended', async () => {
    const bench = new SessionBench({ scripts: [[fails('auth')], DONE] });
    await bench.run('First.', 'k1');
    await bench.run('Second.', 'k2');
    const { turn } = await bench.clock.until(bench.send('First.', 'k1'));
    expect(turn).toEqual({
      turn_id: 'turn_1',
      client_turn_id: 'k1',
      state: 'failed',
      reason: 'auth',
      next_actions: [
        { label: 'Set API key', command: 'ledgerline.setApiKey' },
        { label: 'Try again', command: 'ledgerline.retryTurn' },
      ],
    });
  });
});

describe('a follow-on while a turn streams', () => {
  it('closes that turn as superseded, then starts exactly one new one', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), HANG], DONE] });
    await bench.begin('First.');
    expect(await bench.run('Second.')).toBe('completed');
    expect(logLines(bench.events).slice(2)).toEqual([
      'user: First.',
      'run running',
      'assistant (partial): Half',
      'provider_usage',
      'failed: interrupted superseded',
      'run done cancelled',
      'note of turn_1',
      ...doneTurn('Second.'),
    ]);
  });

  it('and another one right after it run one after the other, each once', async () => {
    const bench = new SessionBench({ scripts: [[HANG], DONE] });
    await bench.begin('First.');
    await bench.clock.until(Promise.all([bench.send('Second.'), bench.send('Third.')]));
    await bench.settled();
    expect(bench.of('user_message').map((prompt) => prompt.text)).toEqual(['First.', 'Second.', 'Third.']);
    const ends = bench.of('turn_failed').map((end) => [end.turn_id, end.interrupted_reason]);
    expect(ends).toEqual([
      ['turn_1', 'superseded'],
      ['turn_2', 'superseded'],
    ]);
    expect(bench.state).toBe('completed');
    // The second one was superseded before its request could leave.
    expect(bench.provider.requests).toHaveLength(2);
  });

  it('never runs beside the turn it supersedes', async () => {
    let live = 0;
    let most = 0;
    const slow: ToolStub = {
      effect: 'read',
      run: async (_, { signal }) => {
        live += 1;
        most = Math.max(most, live);
        await bench.clock.sleep(500, new AbortController().signal);
        live -= 1;
        return { kind: 'success', output: String(signal.aborted), changes: [] };
      },
    };
    const round = responds(call('c1', 'slow'));
    const bench: SessionBench = new SessionBench({
      scripts: [round, round, DONE],
      tools: toolBox({ slow }),
    });
    await bench.begin('First.');
    expect(await bench.run('Second.')).toBe('completed');
    expect(most).toBe(1);
  });
});

describe('a stop', () => {
  it('right after a send stops that turn, and resolves when the log says so', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), HANG]] });
    const sent = bench.send('Go.');
    const stopped = bench.session.stop('user_cancelled');
    await bench.clock.until(Promise.all([sent, stopped]));
    expect(bench.state).toBe('interrupted');
    expect(bench.of('user_message')).toHaveLength(1);
  });

  it('followed at once by a send does not stop the new turn', async () => {
    const bench = new SessionBench({ scripts: [[HANG], DONE] });
    await bench.begin('First.');
    const stopped = bench.session.stop('user_cancelled');
    const sent = bench.send('Second.');
    await bench.clock.until(Promise.all([stopped, sent]));
    await bench.settled();
    expect(bench.state).toBe('completed');
    expect(bench.only('turn_failed')).toMatchObject({
      turn_id: 'turn_1',
      interrupted_reason: 'user_cancelled',
    });
  });

  it('of a waiting turn cancels what it waited for', async () => {
    const bench = askingBench();
    expect(await bench.run('Go.')).toBe('waiting');
    await bench.stop();
    expect(logLines(bench.events).slice(-4)).toEqual([
      'result c1: error cancelled',
      'c1: suspended -> cancelled',
      'failed: interrupted user_cancelled',
      'run done cancelled',
    ]);
    expect(bench.state).toBe('interrupted');
  });

  it('by a window that closes leaves a waiting turn as it is', async () => {
    const bench = askingBench();
    await bench.run('Go.');
    const before = bench.log.lines.length;
    await bench.clock.until(bench.session.disconnect());
    expect([bench.state, bench.log.lines.length]).toEqual(['waiting', before]);
  });

  it('publishes the flushed text before the end of the turn, in one commit', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), HANG]] });
    await bench.begin('Go.');
    await bench.stop();
    const last = bench.outputs.at(-1);
    expect(last?.kind === 'committed' ? logLines(last.events) : last).toEqual([
      'assistant (partial): Half',
      'provider_usage',
      'failed: interrupted user_cancelled',
      'run done cancelled',
    ]);
  });
});
