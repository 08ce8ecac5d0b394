import { describe, expect, it } from 'vitest';
import { call, completed, message, responds, type Script } from '../../support/scripted-provider.ts';
import { SessionBench, type BenchOptions } from '../../support/session-bench.ts';
import { succeed, TOOLS, toolBox, type ToolStub } from '../../support/tool-stubs.ts';

const LONG = 'A long answer. '.repeat(400);
const ANSWERS: readonly Script[] = Array.from({ length: 40 }, () => responds(message(LONG)));

async function talked(one: SessionBench, turns: number): Promise<void> {
  for (let n = 0; n < turns; n += 1) await one.run(`Question ${n}?`);
}

async function compacted(one: SessionBench, settings: BenchOptions['settings'] = {}): Promise<void> {
  const outcome = one.session.compact({ dry_run: false }, async () => one.ports(settings));
  expect(await one.clock.until(outcome)).toMatchObject({ kind: 'compacted' });
}

describe('the steps of a plan', () => {
  const plan: ToolStub = {
    effect: 'interact',
    run: ({ subject }) =>
      subject === 'bad'
        ? { kind: 'failure', error: { kind: 'invalid_arguments', message: 'No steps.' }, changes: [] }
        : succeed('shown'),
  };

  it('stay open where a later plan could not be made', async () => {
    const steps = [{ step: 'Paint it', status: 'pending' }];
    const one = new SessionBench({
      scripts: [
        responds(call('p', 'update_plan', { steps })),
        ...ANSWERS.slice(0, 13),
        responds(call('q', 'update_plan', { path: 'bad' })),
        ...ANSWERS,
      ],
      tools: toolBox({ ...TOOLS, update_plan: plan }),
    });
    await one.run('Plan it.');
    await talked(one, 12);
    await one.run('Plan it anew.');
    await compacted(one);
    await talked(one, 12);
    await compacted(one);
    const told = one.of('history_compaction').map(({ open_tasks }) => open_tasks);
    expect(told).toEqual([['Paint it'], ['Paint it']]);
  });
});

describe('the limitations of a checkpoint', () => {
  const TELLS = [completed([message('{"summary":"They TALKED.","findings":[],"remaining":[]}')])];
  const BEFORE = 'What earlier checkpoints left out is left out here as well.';
  const BY_MODEL =
    'Parts of what is told from before were written by a model: they may be wrong or incomplete.';

  it('go on to say that the one before it had some, and that a model wrote of it', async () => {
    const one = new SessionBench({ scripts: [...ANSWERS.slice(0, 14), TELLS, ...ANSWERS] });
    await talked(one, 14);
    await compacted(one, { compaction_strategy: 'model_assisted_v1' });
    for (let n = 0; n < 2; n += 1) {
      await talked(one, 11);
      await compacted(one);
    }
    const [first, ...later] = one.of('history_compaction');
    expect(first).toMatchObject({ strategy: 'model_assisted_v1' });
    expect(first?.limitations).not.toContain(BEFORE);
    expect(first?.limitations).not.toContain(BY_MODEL);
    for (const { strategy, summary, limitations } of later) {
      expect(strategy).toBe('deterministic_v1');
      expect(summary).toContain('They TALKED.');
      expect(limitations).toContain(BEFORE);
      expect(limitations).toContain(BY_MODEL);
    }
  });

  it('do not name a model where none wrote', async () => {
    const one = new SessionBench({ scripts: ANSWERS });
    await talked(one, 14);
    await compacted(one);
    await talked(one, 11);
    await compacted(one);
    const last = one.of('history_compaction').at(-1);
    expect(last?.limitations).toContain(BEFORE);
    expect(last?.limitations).not.toContain(BY_MODEL);
  });
});
