import { describe, expect, test } from 'vitest';
import { workflowRecovery } from '../../../src/runtime/workflows/result.ts';
import { specOf } from './ran-workflow.ts';
import { Bench, BenchAgents, checkpoint, outcomes, ready, type Script } from './workflow-bench.ts';

const SPEC = specOf(
  { id: 'a' },
  { id: 'b', depends_on: ['a'] },
  { id: 'c' },
  { id: 'd', depends_on: ['b', 'c'] },
);

/** Asks once, and is done with the answer. */
const ASKS: Script = ({ step_id, words }) =>
  step_id === 'b' && words.length === 0
    ? { checkpoint: checkpoint('held', { summary: 'Which one?' }) }
    : ready();

/** One fails, the other asks. */
const FAILS: Script = ({ step_id, words }) => {
  if (step_id === 'a') return { status: 'failed' };
  return words.length > 0 ? ready() : { checkpoint: checkpoint('held') };
};

/** A whole story: steps beside and after each other, a question and its answer. */
async function story(): Promise<Bench> {
  const bench = new Bench({ script: ASKS });
  await bench.begin(SPEC);
  await bench.goOn({ b: { action: 'go_on', text: 'The first.' } });
  return bench;
}

describe('a person who answers a held step', () => {
  test('lets it go on in its own child, and what was finished is not run again', async () => {
    const bench = new Bench({ script: ASKS });
    expect((await bench.begin(SPEC)).result.status).toBe('partial');
    const before = bench.told.length;
    const ended = await bench.goOn({ b: { action: 'go_on', text: 'The first.' } });
    expect(bench.told.slice(before)).toEqual([
      'workflow_resumed',
      'step_answered b',
      'step_scheduled b',
      'step_started b running',
      'checkpoint_decided b checkpoint_ready',
      'step_scheduled d',
      'step_started d running',
      'checkpoint_decided d checkpoint_ready',
      'workflow_finished completed',
    ]);
    expect(bench.events[before + 1]?.answer).toEqual({ action: 'go_on', text: 'The first.' });
    expect(bench.agents.children.map(({ task, words }) => [task.step_id, words])).toEqual([
      ['a', []],
      ['c', []],
      ['b', ['The first.']],
      ['d', []],
    ]);
    expect(ended.result.ok).toBe(true);
  });

  test('without words lets it go on as it thinks best', async () => {
    const bench = new Bench({ script: ASKS });
    await bench.begin(SPEC);
    await bench.goOn({ b: { action: 'go_on', text: '' } });
    expect(bench.agents.children[2]?.words).toEqual([
      'Go on. Finish the task you were given, then report with report_checkpoint.',
    ]);
  });

  test('may skip it, which unlocks nothing', async () => {
    const bench = new Bench({ script: ASKS });
    await bench.begin(SPEC);
    const ended = await bench.goOn({ b: { action: 'skip', text: '' } });
    expect(outcomes(ended)).toEqual({
      a: 'checkpoint_ready',
      b: 'skipped',
      c: 'checkpoint_ready',
      d: 'not_run',
    });
    expect(ended.result).toMatchObject({ status: 'partial', ok: false });
    expect(ended.result.steps[1]).toMatchObject({
      reason: 'A person skipped it.',
      summary: 'Which one?',
      child_session_id: 'session_of_agent_3',
    });
    expect(ended.result.steps[3]?.reason).toBe('It waits for b (skipped).');
  });

  test('may be asked again', async () => {
    const bench = new Bench({ script: () => ({ checkpoint: checkpoint('needs_orchestrator') }) });
    const spec = specOf({ id: 'a' });
    await bench.begin(spec);
    for (const text of ['One.', 'Two.'])
      expect((await bench.goOn({ a: { action: 'go_on', text } })).result.status).toBe('held');
    expect(bench.workflow.steps[0]).toMatchObject({ attempts: 3, status: 'needs_orchestrator' });
    expect(bench.agents.children.map(({ words }) => words)).toEqual([['One.', 'Two.']]);
  });

  test('does not make what failed run again', async () => {
    const bench = new Bench({ script: FAILS });
    const spec = specOf({ id: 'a' }, { id: 'b' });
    await bench.begin(spec);
    const ended = await bench.goOn({ b: { action: 'go_on', text: 'Yes.' } });
    expect(outcomes(ended)).toEqual({ a: 'failed', b: 'checkpoint_ready' });
    expect(bench.agents.children).toHaveLength(2);
  });
});

describe('a workflow that is asked for again', () => {
  test('runs what failed anew, goes on with what is partial, and leaves alone what waits for a person', async () => {
    let isSecond = false;
    const first = {
      a: { status: 'failed' },
      b: {},
      c: { checkpoint: checkpoint('held') },
      d: ready(),
    } as const;
    const script: Script = ({ step_id }) =>
      isSecond ? ready() : (Object.entries(first).find(([id]) => id === step_id)?.[1] ?? null);
    const bench = new Bench({ script });
    await bench.begin(specOf({ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }));
    isSecond = true;
    const ended = await bench.goOn();
    expect(outcomes(ended)).toEqual({
      a: 'checkpoint_ready',
      b: 'checkpoint_ready',
      c: 'held',
      d: 'checkpoint_ready',
    });
    expect(bench.agents.children.map(({ task, words }) => [task.step_id, words.length])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 0],
      ['d', 0],
      ['a', 0],
    ]);
    expect(bench.agents.children[1]?.words[0]).toMatch(
      /^The workflow goes on, and what you have so far is partial\./u,
    );
  });

  test('that cannot go on with a child fails the step, and makes a new one the next time', async () => {
    const bench = new Bench({ script: ({ words }) => (words.length === 0 ? {} : ready()) });
    await bench.begin(specOf({ id: 'a' }));
    bench.agents.broken.add('a');
    expect((await bench.goOn()).result.steps[0]).toMatchObject({
      status: 'failed',
      reason: 'It could not be started: it cannot go on',
    });
    bench.agents.broken.clear();
    await bench.goOn();
    expect(bench.agents.children).toHaveLength(2);
  });

  test('has its whole time again', async () => {
    const bench = new Bench({ script: () => null });
    const spec = { ...specOf({ id: 'a' }), timeout_ms: 1_000 };
    await bench.clock.until(bench.begin(spec));
    await bench.clock.until(bench.goOn());
    const deadlines = bench.events.flatMap(({ deadline_at }) => deadline_at ?? []);
    expect(deadlines).toEqual(['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:02.000Z']);
    expect(bench.workflow.status).toBe('timed_out');
  });
});

describe('cut off anywhere,', () => {
  test('a workflow that is resumed repeats no finished step, and ends on record', async () => {
    const whole = await story();
    expect(whole.told).toHaveLength(20);
    for (let cut = 1; cut <= whole.log.lines.length; cut += 1) {
      const agents = new BenchAgents(() => ready(), '_later');
      agents.inherit(whole.agents.children);
      const bench = new Bench({ lines: whole.log.lines.slice(0, cut), agents });
      await bench.record(workflowRecovery([bench.workflow]));
      const wasCompleted = bench.workflow.status === 'completed';
      const wasReady = bench.workflow.steps
        .filter(({ status }) => status === 'checkpoint_ready')
        .map(({ id }) => id);
      const before = bench.told.length;
      expect([cut, bench.told.at(-1)]).toEqual([cut, expect.stringMatching(/^workflow_finished /u)]);
      if (wasCompleted) continue;
      const answers = bench.workflow.steps.some(({ status }) => status === 'held')
        ? { b: { action: 'go_on', text: 'The first.' } as const }
        : null;
      const ended = await bench.goOn(answers);
      const again = bench.told.slice(before).filter((line) => line.startsWith('step_started'));
      for (const id of wasReady) expect(again).not.toContain(`step_started ${id} running`);
      expect([cut, again.length]).toEqual([cut, SPEC.steps.length - wasReady.length]);
      expect([cut, ended.result.status]).toEqual([cut, 'completed']);
      expect(bench.told.at(-1)).toBe('workflow_finished completed');
      expect(bench.told.filter((line) => line.startsWith('workflow_finished')).length).toBeGreaterThan(1);
    }
  });

  test('a step that was at work goes on in its child, and its answer is not lost', async () => {
    const whole = await story();
    const cut = whole.told.indexOf('step_answered b') + 2;
    const agents = new BenchAgents(() => ready(), '_later');
    agents.inherit(whole.agents.children);
    const bench = new Bench({ lines: whole.log.lines.slice(0, cut), agents });
    await bench.record(workflowRecovery([bench.workflow]));
    await bench.goOn();
    expect(whole.agents.children[2]?.words).toEqual(['The first.', 'The first.']);
  });
});
