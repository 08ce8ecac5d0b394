import { describe, expect, it } from 'vitest';
import { HistoryFold } from '../../../src/runtime/compaction/history.ts';
import { AgentBench, type AgentBenchOptions } from '../../support/agent-bench.ts';
import { asks, later, NOTHING, says, spawn, wait } from '../../support/cast-provider.ts';
import { ofChild } from '../../support/changed-log.ts';
import { MINUTE, TASK } from '../../support/child-stories.ts';
import type { Script } from '../../support/scripted-provider.ts';

const ANSWERS: readonly Script[] = Array.from({ length: 80 }, () => says('A long answer. '.repeat(400)));
const COMMAND = asks(['ask', 'run_command', { command: 'make' }]);

/** A child that is stopped with its turn; long after, a person lets it go on, and it says this. */
async function goesOn(lines: readonly Script[], options: AgentBenchOptions = {}): Promise<AgentBench> {
  const bench = await new AgentBench(
    {
      'Go.': [asks(spawn('c1', TASK)), NOTHING, ...ANSWERS],
      [TASK]: [NOTHING, ...lines],
      '*': ANSWERS,
    },
    options,
  ).turn('Go.');
  await bench.stop();
  await talked(bench, 12);
  return bench.person((desk) => desk.resume('agent_1'));
}

async function talked(bench: AgentBench, turns: number): Promise<void> {
  for (let n = 0; n < turns; n += 1) await bench.turn(`Question ${n}?`);
}

/** What a later compaction would be made of. */
function kept({ events }: AgentBench): readonly string[] {
  const fold = new HistoryFold();
  for (const event of events) fold.push(event);
  return fold.events.flatMap(({ type, data }) => (type === 'subagent_event' ? [data.event] : []));
}

describe('an open child in a checkpoint', () => {
  it('is an open task that says how it is, also long after it was begun', async () => {
    const running = await goesOn([NOTHING]);
    expect((await running.compact()).open_tasks).toEqual([`Subagent agent_1 is running: ${TASK}`]);
    const waiting = await goesOn([COMMAND, NOTHING], { mode: 'ask' });
    await waiting.pass(2 * MINUTE);
    expect(waiting.events.filter(ofChild('heartbeat'))).toHaveLength(2);
    expect((await waiting.compact()).open_tasks).toEqual([
      `Subagent agent_1 is waiting for the user: ${TASK}`,
    ]);
    const answered = await goesOn([COMMAND, NOTHING], { mode: 'ask' });
    await answered.decide('suspension_c1', 'cancel');
    expect((await answered.compact()).open_tasks).toEqual([`Subagent agent_1 is running: ${TASK}`]);
    const over = await goesOn([says('Seen.')]);
    expect((await over.compact()).open_tasks).toEqual([]);
  });

  it('comes before what is left of a plan', async () => {
    const steps = Array.from({ length: 2 }, (_, n) => ({ step: `Step ${n}`, status: 'pending' }));
    const bench = await new AgentBench({
      'Go.': [asks(['p', 'update_plan', { steps }], spawn('c1', TASK)), NOTHING, ...ANSWERS],
      [TASK]: [NOTHING, NOTHING],
    }).turn('Go.');
    await bench.stop();
    await talked(bench, 12);
    await bench.person((desk) => desk.resume('agent_1'));
    expect((await bench.compact()).open_tasks).toEqual([
      `Subagent agent_1 is running: ${TASK}`,
      'Step 0',
      'Step 1',
    ]);
  });

  it('is one again where it was given more to do, whatever is told of its end before that', async () => {
    const bench = await goesOn([says('Seen.'), NOTHING]);
    await talked(bench, 1);
    expect(bench.events.filter(ofChild('delivered'))).toHaveLength(2);
    await bench.person((desk) => desk.send('agent_1', 'More.', null));
    expect((await bench.compact()).open_tasks).toEqual([`Subagent agent_1 is running: ${TASK}`]);
  });

  it('leaves nothing behind of its signs of life, nor of an end that was told', async () => {
    const bench = await goesOn([later(100 * MINUTE, says('Seen.'))], {
      limits: { timeout_ms: 200 * MINUTE },
    });
    await bench.pass(99 * MINUTE);
    expect(bench.events.filter(ofChild('heartbeat'))).toHaveLength(99);
    await bench.compact();
    expect(kept(bench)).not.toContain('finished');
    expect(kept(bench).filter((event) => event === 'heartbeat').length).toBeLessThan(99);
    await bench.pass(MINUTE);
    await talked(bench, 12);
    await bench.compact();
    expect(kept(bench)).toEqual([]);
  });
});

describe('an end that is told only after a checkpoint', () => {
  const GREEN = 'Subagent agent_1 ended as completed: It is GREEN.';

  it('is told on by the next one, by what told it', async () => {
    const bench = await goesOn([says('It is GREEN.')]);
    expect((await bench.compact()).summary).not.toContain('GREEN');
    await talked(bench, 12);
    expect((await bench.compact()).summary).toContain(GREEN);
    expect(kept(bench)).toEqual([]);
  });

  it('is told on also where a checkpoint leaves what told it in its tail', async () => {
    const bench = await goesOn([says('It is GREEN.')]);
    await talked(bench, 1);
    expect((await bench.compact()).summary).not.toContain('GREEN');
    await talked(bench, 12);
    expect((await bench.compact()).summary).toContain(GREEN);
  });

  it('is told on where the result of a call told it', async () => {
    const bench = await new AgentBench({
      'Go.': [asks(spawn('c1', TASK)), asks(wait('c2')), ...ANSWERS],
      [TASK]: [says('It is GREEN.')],
      '*': ANSWERS,
    }).turn('Go.');
    expect(bench.events.filter(ofChild('delivered'))).toHaveLength(0);
    await talked(bench, 12);
    expect((await bench.compact()).summary).toContain(GREEN);
    expect(kept(bench)).toEqual([]);
  });
});
