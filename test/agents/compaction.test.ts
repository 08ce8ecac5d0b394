import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { agentStage, asks, says, spawn, wait } from './cast.ts';

const on = agentStage();

const CROWD = Array.from({ length: 30 }, (_, index) => `task ${index}`);

/** A turn that nearly filled the window and was stopped over 30 children: none of their ends is told yet. */
async function stoppedOverMany(): Promise<void> {
  const replies = CROWD.map((task) => held(says(`${task} is done.`)));
  const full = { input: 95_000, cached: 0, output: 10, reasoning: 0 };
  await on.cast({
    Go: [asks(...CROWD.map((task, index) => spawn(`c${index}`, task))), { ...asks(wait('w')), usage: full }],
    ...Object.fromEntries(CROWD.map((task, index) => [task, [replies[index]?.reply ?? says('')]])),
  });
  const window = await on.open({ 'subagents.maxRunning': 64, contextWindow: 100_000 });
  await window.send('Go', 'first');
  await Promise.all(replies.map(({ arrived }) => arrived));
  await window.call('w', 'running');
  await window.stop();
  await window.close();
}

async function tellings(): Promise<number> {
  return (await on.delivered()).length;
}

describe('a compaction before many ends are told', () => {
  it('makes room by what came before the turn, and each end is still told once', async () => {
    await stoppedOverMany();
    await on.script(says('I see.'));
    const window = await on.open({ contextWindow: 100_000 });
    expect(await window.turn('And?', 'second')).toBe('completed');
    expect(await on.of('history_compaction')).toMatchObject([{ trigger: 'critical_pressure_preflight' }]);
    expect(await tellings()).toBe(CROWD.length);
    const input = JSON.stringify(on.input(0));
    expect(input.split('ended as cancelled')).toHaveLength(CROWD.length + 1);
    expect(on.requests[0]?.refusal).toBeNull();
  });
});

describe('a compaction after many ends were told', () => {
  it('tells on how they ended, bounded, and none of them is told again', async () => {
    await stoppedOverMany();
    await on.script(says('I see.'), says('Yes.'));
    const window = await on.open();
    expect(await window.turn('And?', 'second')).toBe('completed');
    await window.receive({ type: 'compact', dry_run: false });
    expect(await window.turn('Still there?', 'third')).toBe('completed');
    expect(await tellings()).toBe(CROWD.length);
    const [checkpoint] = await on.of('history_compaction');
    expect(checkpoint?.summary).toContain('18 more subagents ended');
    expect(checkpoint?.summary.split('ended as cancelled')).toHaveLength(13);
    expect(on.requests[1]?.refusal).toBeNull();
  });
});
