import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProcessWatch } from '../../src/app/process-watch.ts';
import { call, responds } from '../support/scripted-provider.ts';
import { SessionBench } from '../support/session-bench.ts';
import { PROCESS } from '../support/tool-stubs.ts';
import type { Turn } from '../../src/runtime/turn.ts';

/** A turn whose command was running when its process died, as the runtime makes it. */
async function unknownOutcome(): Promise<Turn> {
  const before = new SessionBench({ scripts: [responds(call('c1', 'run', { path: 'x' }))] });
  await before.run('Go.');
  const cut = before.events.findIndex(
    (event) => event.type === 'tool_call_status' && event.data.to === 'running',
  );
  const lines = before.events.slice(0, cut + 1).map((event) => JSON.stringify(event));
  const bench = new SessionBench({ scripts: [], lines });
  await bench.session.recover(null, bench.tools);
  return bench.turn;
}

let turn: Turn;
beforeEach(async () => {
  turn = await unknownOutcome();
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe('a process that outlived its session', () => {
  it('is told of once, and again when it has ended, which lets what waited for it go on', () => {
    const told: boolean[] = [];
    let alive = true;
    let ended = 0;
    const watch = new ProcessWatch({
      turn: () => turn,
      isAlive: (process) => process.pid === PROCESS.pid && alive,
      tell: (_call, process) => told.push(process.alive),
      ended: () => (ended += 1),
    });
    watch.look();
    vi.advanceTimersByTime(5_000);
    expect([told, ended]).toEqual([[true], 0]);
    alive = false;
    vi.advanceTimersByTime(1_000);
    expect([told, ended]).toEqual([[true, false], 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is told anew to a presenter that has just come', () => {
    const told: number[] = [];
    const watch = new ProcessWatch({
      turn: () => turn,
      isAlive: () => true,
      tell: (_call, process) => told.push(process.pid),
      ended: () => undefined,
    });
    watch.look();
    watch.tellAll();
    expect(told).toEqual([PROCESS.pid, PROCESS.pid]);
    watch.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not looked for where nothing is asked about one', () => {
    const watch = new ProcessWatch({
      turn: () => null,
      isAlive: () => true,
      tell: () => expect.unreachable(),
      ended: () => expect.unreachable(),
    });
    watch.look();
    expect(vi.getTimerCount()).toBe(0);
  });
});
