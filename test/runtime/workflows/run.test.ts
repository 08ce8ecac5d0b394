import { describe, expect, test } from 'vitest';
import { AppendFailed } from '../../../src/runtime/ports.ts';
import { runWorkflow } from '../../../src/runtime/workflows/run.ts';
import { specOf, wholeSpec } from './ran-workflow.ts';
import { Bench, checkpoint, outcomes, ready } from './workflow-bench.ts';

const CHAIN = specOf({ id: 'a' }, { id: 'b', depends_on: ['a'] });

/** As the turn tells its end to what runs in it. */
const STOPPED = { kind: 'interrupted', reason: 'user_cancelled' };
const DISCONNECTED = { kind: 'interrupted', reason: 'disconnect' };

/** A workflow that is halted while its only child is being made, which `slow` lets be ready. */
async function haltedWhileMaking(reason: typeof STOPPED) {
  const slow = Promise.withResolvers<void>();
  const bench = new Bench({ script: () => null });
  bench.agents.slow = slow.promise;
  const running = bench.begin(specOf({ id: 'a' }));
  await bench.clock.idle();
  bench.halting.abort(reason);
  return { bench, running, slow };
}

describe('a workflow', () => {
  test('runs its steps in the order of their dependencies, and all of it is on record', async () => {
    const bench = new Bench();
    const { result } = await bench.begin(CHAIN);
    expect(bench.told).toEqual([
      'workflow_started',
      'step_scheduled a',
      'step_started a running',
      'checkpoint_decided a checkpoint_ready',
      'step_scheduled b',
      'step_started b running',
      'checkpoint_decided b checkpoint_ready',
      'workflow_finished completed',
    ]);
    expect(bench.events.every(({ turn_id, call_id }) => turn_id === 't1' && call_id === 'c1')).toBe(true);
    expect(bench.events[0]).toMatchObject({
      name: 'flow',
      spec: CHAIN,
      spec_sha256: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
    expect(bench.events[2]).toMatchObject({ subagent_id: 'agent_1', child_session_id: 'session_of_agent_1' });
    const { ok, status, completion_ready, partial_outcome_ready, steps, next_actions } = result;
    expect(bench.events.at(-1)).toMatchObject({
      ok,
      status,
      completion_ready,
      partial_outcome_ready,
      steps,
      next_actions,
      elapsed_ms: 0,
    });
    expect(result).toMatchObject({ ok: true, status: 'completed', completion_ready: true });
  });

  test('gives each child the task of its step, word for word, and what the step says of it', async () => {
    const bench = new Bench();
    await bench.begin(
      specOf({ id: 'a', task: ' Look. ', agent: 'explorer', permission_mode: 'read_only', timeout_ms: 9 }),
    );
    expect(bench.agents.children.map(({ task }) => task)).toEqual([
      {
        task: ' Look. ',
        agent: 'explorer',
        permission_mode: 'read_only',
        timeout_ms: 9,
        workflow_id: 'w1',
        step_id: 'a',
      },
    ]);
  });

  test('starts what it can at once, and the next as soon as one has ended', async () => {
    const bench = new Bench({ script: () => null });
    const running = bench.begin(specOf({ id: 'a' }, { id: 'b' }, { id: 'c', depends_on: ['b'] }));
    await bench.clock.idle();
    expect(bench.agents.children.map(({ task }) => task.step_id)).toEqual(['a', 'b']);
    bench.agents.finish('b', ready());
    await bench.clock.idle();
    expect(bench.agents.children.map(({ task }) => task.step_id)).toEqual(['a', 'b', 'c']);
    bench.agents.finish('c', ready());
    bench.agents.finish('a', ready());
    expect((await running).result.ok).toBe(true);
  });

  test('runs no more steps at once than it may', async () => {
    const bench = new Bench({ script: () => null });
    const steps = ['a', 'b', 'c'].map((id) => ({ id, task: 'T' }));
    const running = bench.begin(wholeSpec({ id: 'w', max_concurrency: 1, steps }));
    for (const id of ['a', 'b', 'c']) {
      await bench.clock.idle();
      expect(bench.agents.children.at(-1)?.task.step_id).toBe(id);
      bench.agents.finish(id, ready());
    }
    expect((await running).result.ok).toBe(true);
  });

  test('that started from a template says so, and when it has to be done', async () => {
    const bench = new Bench();
    const spec = wholeSpec({ id: 'w', timeout_ms: 60_000, steps: [{ id: 'a', task: 'T' }] });
    const call = { turn_id: 't1', call_id: 'c1' };
    await runWorkflow(bench.ports, { kind: 'new', workflow_id: 'w1', call, spec, template: 'check' });
    expect(bench.events[0]).toMatchObject({ template: 'check', deadline_at: '2026-01-01T00:01:00.000Z' });
    expect(bench.clock.sleeping).toBe(0);
  });
});

describe('a child that ends', () => {
  test.each([
    [{ checkpoint: checkpoint('partial') }, 'partial', null],
    [{ checkpoint: checkpoint('failed') }, 'failed', null],
    [{ checkpoint: checkpoint('held') }, 'held', null],
    [{ checkpoint: checkpoint('needs_orchestrator') }, 'needs_orchestrator', null],
    [{ checkpoint: null }, 'partial', null],
    [{ status: 'failed', reason: 'The model is gone.' }, 'failed', 'The model is gone.'],
    [{ status: 'failed', ...ready() }, 'failed', 'Its agent ended as failed.'],
    [{ status: 'timed_out', reason: 'Too slow.' }, 'timed_out', 'Too slow.'],
    [{ status: 'interrupted' }, 'failed', 'Its agent ended as interrupted.'],
    [{ status: 'cancelled', reason: 'You stopped it.' }, 'failed', 'You stopped it.'],
    [{ status: 'closed' }, 'failed', 'Its agent ended as closed.'],
    [{ status: 'detached' }, 'failed', 'Its agent ended as detached.'],
  ] as const)('as %j makes its step %s', async (end, status, reason) => {
    const bench = new Bench({ script: () => end });
    const ended = await bench.begin(specOf({ id: 'a' }));
    expect(ended.result.steps[0]).toMatchObject({ status, reason });
    const isHeld = status === 'held' || status === 'needs_orchestrator';
    expect(bench.told).toContain(`${isHeld ? 'step_held' : 'checkpoint_decided'} a ${status}`);
  });

  test('without a checkpoint is partial, with its own last words, and says so', async () => {
    const bench = new Bench({ script: () => ({ summary: 'I looked.' }) });
    expect((await bench.begin(specOf({ id: 'a' }))).result.steps[0]).toMatchObject({
      status: 'partial',
      summary: 'I looked.',
      limitations: ['It ended without reporting a checkpoint, so it counts as partial.'],
    });
  });

  test('with artifacts has them looked at, and those that are not there are named', async () => {
    const files = { 'out/a.txt': 'A' };
    const artifacts = ['out/a.txt', 'out/b.txt'].map((path) => ({ path, sha256: 'made up' }));
    const bench = new Bench({ files, script: () => ready({ artifacts, limitations: ['No tests.'] }) });
    const [step] = (await bench.begin(specOf({ id: 'a' }))).result.steps;
    expect(step).toMatchObject({
      status: 'checkpoint_ready',
      limitations: ['No tests.', 'The artifact out/b.txt could not be checked: there is no such file'],
      artifacts: [
        { path: 'out/a.txt', sha256: expect.stringMatching(/^559aead0/u), bytes: 1 },
        { path: 'out/b.txt', sha256: null, problem: 'there is no such file' },
      ],
    });
  });

  test('in another log than it began in is told by that one', async () => {
    const bench = new Bench({ script: () => ({ ...ready(), child_session_id: 'second_try' }) });
    const [step] = (await bench.begin(specOf({ id: 'a' }))).result.steps;
    expect(step?.child_session_id).toBe('second_try');
    expect(step?.next_actions).toEqual([
      { label: 'Open transcript', command: 'ledgerline.openAgent', args: ['second_try'] },
    ]);
  });

  test('with a summary that is too long is told in part', async () => {
    const bench = new Bench({ script: () => ready({ summary: 'x'.repeat(5_000) }) });
    const [step] = (await bench.begin(specOf({ id: 'a' }))).result.steps;
    expect(step?.summary).toBe(`${'x'.repeat(4_000)}…`);
  });
});

test('a child that cannot be made fails its step, and the rest goes on', async () => {
  const bench = new Bench();
  bench.agents.broken.add('a');
  const ended = await bench.begin(specOf({ id: 'a' }, { id: 'b' }, { id: 'c', depends_on: ['a'] }));
  expect(outcomes(ended)).toEqual({ a: 'failed', b: 'checkpoint_ready', c: 'not_run' });
  expect(ended.result.steps.map(({ reason }) => reason)).toEqual([
    'It could not be started: no child can be made',
    null,
    'It waits for a (failed).',
  ]);
  expect(ended.result.status).toBe('partial');
});

describe('when a person stops the turn,', () => {
  test('every child is ended, and the workflow is cancelled', async () => {
    const bench = new Bench({ script: ({ step_id }) => (step_id === 'a' ? ready() : null) });
    const running = bench.begin(
      specOf({ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd', depends_on: ['b'] }),
    );
    await bench.clock.idle();
    bench.halting.abort(STOPPED);
    const ended = await running;
    expect(outcomes(ended)).toEqual({ a: 'checkpoint_ready', b: 'cancelled', c: 'cancelled', d: 'not_run' });
    expect(ended.result).toMatchObject({
      ok: false,
      status: 'cancelled',
      completion_ready: false,
      partial_outcome_ready: true,
    });
    expect(bench.agents.cancelled).toEqual([
      'b: cancelled: The workflow was stopped.',
      'c: cancelled: The workflow was stopped.',
    ]);
    expect(bench.told.slice(-3)).toEqual([
      'checkpoint_decided b cancelled',
      'checkpoint_decided c cancelled',
      'workflow_finished cancelled',
    ]);
    expect(ended.result.steps.map(({ reason }) => reason)).toEqual([
      null,
      'The workflow was stopped.',
      'The workflow was stopped.',
      'It waits for b (cancelled).',
    ]);
    expect(bench.clock.sleeping).toBe(0);
  });

  test('one that does not end is answered for after a moment', async () => {
    const bench = new Bench({ script: () => null });
    bench.agents.stubborn = true;
    const running = bench.begin(specOf({ id: 'a' }));
    await bench.clock.idle();
    bench.halting.abort(STOPPED);
    const ended = await bench.clock.until(running);
    expect(outcomes(ended)).toEqual({ a: 'cancelled' });
    const before = bench.told;
    bench.agents.finish('a', ready());
    await bench.clock.idle();
    expect(bench.told).toEqual(before);
  });

  test('one that is only just being made is ended as soon as it is there', async () => {
    const { bench, running, slow } = await haltedWhileMaking(STOPPED);
    await bench.clock.until(running);
    expect(bench.told.at(-1)).toBe('workflow_finished cancelled');
    slow.resolve();
    await bench.clock.idle();
    expect(bench.agents.cancelled).toEqual(['a: cancelled: The workflow was stopped.']);
    expect(bench.told.at(-1)).toBe('workflow_finished cancelled');
  });

  test('what had ended by itself meanwhile counts as it ended', async () => {
    const bench = new Bench({ script: () => null });
    const running = bench.begin(CHAIN);
    await bench.clock.idle();
    bench.agents.finish('a', ready());
    bench.halting.abort(STOPPED);
    const ended = await running;
    expect(outcomes(ended)).toEqual({ a: 'checkpoint_ready', b: 'not_run' });
    expect(bench.agents.children).toHaveLength(1);
  });

  test('before anything has begun, nothing does, and that is on record', async () => {
    const bench = new Bench();
    bench.halting.abort(STOPPED);
    const { result } = await bench.begin(CHAIN);
    expect(bench.told).toEqual(['workflow_started', 'workflow_finished cancelled']);
    expect(result.steps.map(({ reason }) => reason)).toEqual([
      'The workflow was stopped before its turn.',
      'The workflow was stopped before its turn.',
    ]);
  });
});

test('when the window goes, children are left alone, and the workflow waits to be resumed', async () => {
  const bench = new Bench({ script: () => null });
  const running = bench.begin(CHAIN);
  await bench.clock.idle();
  bench.halting.abort(DISCONNECTED);
  const ended = await running;
  expect(bench.agents.cancelled).toEqual([]);
  expect(bench.told.slice(-2)).toEqual(['step_started a running', 'workflow_finished held']);
  expect(ended.result.steps.map(({ status, reason }) => [status, reason])).toEqual([
    ['held', 'It was interrupted while it ran. Resume the workflow to go on with it.'],
    ['not_run', 'The workflow was interrupted before its turn.'],
  ]);
  expect(ended.result.next_actions[0]).toEqual({
    label: 'Resume workflow',
    command: 'ledgerline.resumeWorkflow',
    args: [{ session_id: 's1', workflow_id: 'w1' }],
  });
});

test('when the window goes, nothing is said of a child that was only just being made', async () => {
  const { bench, running, slow } = await haltedWhileMaking(DISCONNECTED);
  slow.resolve();
  await running;
  await bench.clock.idle();
  expect(bench.told).toEqual(['workflow_started', 'step_scheduled a', 'workflow_finished held']);
});

describe('when its time is over,', () => {
  const spec = wholeSpec({
    id: 'w',
    timeout_ms: 2_000,
    steps: [
      { id: 'a', task: 'T' },
      { id: 'b', task: 'T' },
      { id: 'c', task: 'T', depends_on: ['a'] },
    ],
  });

  test('a workflow ends what runs, and is timed out', async () => {
    const bench = new Bench({ script: () => null });
    const ended = await bench.clock.until(bench.begin(spec));
    expect(bench.agents.cancelled).toEqual([
      'a: timed_out: The workflow did not finish within 2 s.',
      'b: timed_out: The workflow did not finish within 2 s.',
    ]);
    expect(outcomes(ended)).toEqual({ a: 'timed_out', b: 'timed_out', c: 'not_run' });
    expect(ended.result).toMatchObject({ status: 'timed_out', ok: false, partial_outcome_ready: false });
    expect(bench.events.at(-1)?.elapsed_ms).toBe(2_000);
  });

  test('it is due later where it stood still meanwhile, and that is on record', async () => {
    const bench = new Bench({ script: () => null });
    const running = bench.begin(spec);
    await bench.clock.idle();
    const due = Date.parse(bench.workflow.deadline_at ?? '');
    await bench.wentOn(700);
    await bench.wentOn(900);
    expect(bench.told.slice(-2)).toEqual(['deadline_moved', 'deadline_moved']);
    expect(Date.parse(bench.workflow.deadline_at ?? '')).toBe(due + 900);
    await bench.clock.until(running);
  });

  test('a workflow with something usable is partial', async () => {
    const bench = new Bench({ script: ({ step_id }) => (step_id === 'a' ? ready() : null) });
    const ended = await bench.clock.until(bench.begin(spec));
    expect(outcomes(ended)).toEqual({ a: 'checkpoint_ready', b: 'timed_out', c: 'timed_out' });
    expect(ended.result).toMatchObject({ status: 'partial', partial_outcome_ready: true });
  });

  test('or that of the whole turn, it is timed out as well', async () => {
    const bench = new Bench({ script: () => null });
    const running = bench.begin(CHAIN);
    await bench.clock.idle();
    bench.halting.abort({ kind: 'stopped', code: 'timeout' });
    expect((await running).result).toMatchObject({
      status: 'timed_out',
      steps: [{ reason: 'The turn stopped before the workflow had finished.' }, { status: 'not_run' }],
    });
  });
});

describe('what should not happen', () => {
  test('in the log ends the run: nothing more is started', async () => {
    const bench = new Bench({
      refuses: ({ data }) => 'event' in data && data.event === 'checkpoint_decided',
    });
    await expect(bench.begin(CHAIN)).rejects.toBeInstanceOf(AppendFailed);
    expect(bench.agents.children).toHaveLength(1);
    expect(bench.told.at(-1)).toBe('step_started a running');
  });

  test('anywhere else is told, children are ended, and the end is on record', async () => {
    const bench = new Bench({ script: ({ step_id }) => (step_id === 'a' ? ready() : null) });
    let bugs = 1;
    const ports = {
      ...bench.ports,
      workflow: () => {
        if (bench.told.includes('checkpoint_decided a checkpoint_ready') && bugs-- > 0)
          throw new Error('a bug');
        return bench.ports.workflow();
      },
    };
    const call = { turn_id: 't1', call_id: 'c1' };
    const spec = specOf({ id: 'a' }, { id: 'b' });
    const running = runWorkflow(ports, { kind: 'new', workflow_id: 'w1', call, spec, template: null });
    await expect(running).rejects.toThrow('a bug');
    expect(bench.agents.cancelled).toEqual(['b: cancelled: The workflow could not go on: a bug.']);
    expect(bench.told.slice(-2)).toEqual(['checkpoint_decided b failed', 'workflow_finished partial']);
    expect(bench.events.at(-1)?.reason).toBe('broken');
  });
});
