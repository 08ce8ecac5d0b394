import { describe, expect, it } from 'vitest';
import { call, DONE, HANG, responds, type Script } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { ASKS, COMMAND, toolBox } from '../../support/tool-stubs.ts';

const settings = { turn_timeout_ms: 30_000 };
const DAY = 24 * 3_600_000;

const works = (ms: number) => ({ kind: 'pause', ms }) as const;

/** A turn that works for 12 s, asks, and then does what the rest of the scripts say. */
function asking(...rest: readonly Script[]): SessionBench {
  const first = [works(12_000), ...responds(call('c1', 'asks'))];
  return new SessionBench({ scripts: [first, ...rest], tools: toolBox({ asks: ASKS }), settings });
}

async function answer(bench: SessionBench, callId: string): Promise<void> {
  await bench.clock.until(bench.decide(callId, 'resume', { payload: { result: 'this' } }));
  await bench.settled();
}

describe('the time a turn ran', () => {
  it('is the sum of what it ran, without what it waited', async () => {
    const second = [works(10_000), ...responds(call('c2', 'asks'))];
    const bench = asking(second, [HANG]);
    await bench.run('Go.');
    await bench.clock.advance(DAY);
    await answer(bench, 'c1');
    await bench.clock.advance(DAY);
    expect(bench.of('run_status').flatMap(({ elapsed_ms }) => elapsed_ms ?? [])).toEqual([12_000, 22_000]);
    const before = bench.clock.steady();
    await answer(bench, 'c2');
    expect(bench.state).toBe('timed_out');
    expect(bench.clock.steady() - before).toBe(8000);
    expect(bench.only('turn_failed')).toMatchObject({ timeout_ms: 30_000, elapsed_ms: 30_000 });
  });

  it('is known after a reload', async () => {
    const bench = asking();
    await bench.run('Go.');
    const tools = toolBox({ asks: ASKS });
    const again = new SessionBench({ scripts: [[HANG]], lines: bench.log.lines, tools, settings });
    await again.clock.until(again.session.recover(null, tools));
    const before = again.clock.steady();
    await answer(again, 'c1');
    expect(again.state).toBe('timed_out');
    expect(again.clock.steady() - before).toBe(18_000);
    expect(again.only('turn_failed')).toMatchObject({ timeout_ms: 30_000, elapsed_ms: 30_000 });
  });

  it.each([
    ['back', DAY],
    ['ahead', -DAY],
  ])('does not depend on a clock that is set %s', async (_way, ms) => {
    const bench = asking([HANG]);
    const working = bench.run('Go.');
    bench.clock.setBack(ms);
    await working;
    expect(bench.turn.ran_ms).toBe(12_000);
    bench.clock.setBack(ms);
    await answer(bench, 'c1');
    expect(bench.only('turn_failed')).toMatchObject({ terminal_status: 'timed_out', elapsed_ms: 30_000 });
  });

  it('ends, after a crash, with the last that is on record: nobody ran it until it was found', async () => {
    const scripts = [[works(12_000), ...responds(call('c1', 'run'))], DONE];
    const tools = toolBox({ run: COMMAND });
    const bench = new SessionBench({ scripts, tools, settings });
    await bench.run('Go.');
    const running = bench.log.lines.findIndex((line) => line.includes('"to":"running"'));
    const lines = bench.log.lines.slice(0, running + 1);
    const again = new SessionBench({ scripts: [[HANG]], lines, tools, settings });
    await again.clock.advance(DAY);
    await again.clock.until(again.session.recover(null, tools));
    expect(again.turn.ran_ms).toBe(12_000);
    expect(again.state).toBe('waiting');
    // Also where the recovery itself was cut off, between its own events.
    const cut = again.log.lines.slice(0, -1);
    const last = new SessionBench({ scripts: [[HANG]], lines: cut, tools, settings });
    await last.clock.advance(DAY);
    await last.clock.until(last.session.recover(null, tools));
    expect([last.turn.ran_ms, last.state]).toEqual([12_000, 'waiting']);
  });

  it('is never less than nothing, also where a clock was set back before a crash', async () => {
    const scripts = [[works(12_000), ...responds(call('c1', 'run'))], DONE];
    const tools = toolBox({ run: COMMAND });
    const bench = new SessionBench({ scripts, tools, settings });
    const working = bench.run('Go.');
    await bench.clock.idle();
    bench.clock.setBack(DAY);
    await working;
    const running = bench.log.lines.findIndex((line) => line.includes('"to":"running"'));
    const again = new SessionBench({ scripts: [], lines: bench.log.lines.slice(0, running + 1), tools });
    await again.clock.until(again.session.recover(null, tools));
    expect(again.turn.ran_ms).toBe(0);
  });

  it('counts for nothing where the log does not say it', async () => {
    const bench = asking();
    await bench.run('Go.');
    const lines = bench.log.lines.map((line) => line.replace(/,"elapsed_ms":\d+/u, ''));
    const again = new SessionBench({ scripts: [], lines });
    expect([again.turn.ran_ms, again.state]).toEqual([0, 'waiting']);
  });
});
