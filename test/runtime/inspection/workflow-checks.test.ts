import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { asks, NOTHING, reports, says, slowly } from '../../support/cast-provider.ts';
import {
  changed,
  cutAfter,
  dataOf,
  moved,
  ofFlow,
  placeOf,
  repeated,
  without,
} from '../../support/changed-log.ts';
import { MINUTE } from '../../support/child-stories.ts';
import { FLOW_ID, READY, runsFlow } from '../../support/flow-stories.ts';
import { check, diagnose } from './diagnosing.ts';

function gaps(log: readonly LogEvent[]): readonly string[] {
  const { details } = check(diagnose(log, { lease: 'held' }), 'workflow_gaps');
  if (!Array.isArray(details)) return [];
  return details.map(({ step_id, what }: { step_id: string | null; what: string }) =>
    step_id === null ? what : `${step_id}: ${what}`,
  );
}

/** Without what it only ended short of. */
function faults(log: readonly LogEvent[]): readonly string[] {
  return gaps(log).filter((gap) => !gap.includes('ended as ') || gap.startsWith('called '));
}

const END = ofFlow('workflow_finished');

/** One step after the other, both of them ready. */
const CHAIN = (
  await runsFlow({ steps: { one: { write_set: ['src'] }, two: { depends_on: ['one'], write_set: ['src'] } } })
).events;

/** Two steps that may run beside each other, and do for a minute. */
async function beside(write_sets: readonly (readonly string[])[]): Promise<readonly LogEvent[]> {
  const steps = Object.fromEntries(
    write_sets.map((write_set, n) => [`s${n}`, { write_set: [...write_set], says: slowly(MINUTE, READY) }]),
  );
  const bench = await runsFlow({ steps });
  await bench.pass(9 * MINUTE);
  return bench.events;
}

describe('the record of a workflow', () => {
  it('has no gap at any point where every step that started was decided, in order', () => {
    expect(CHAIN.find(END)?.data).toMatchObject({ status: 'completed' });
    for (let seq = placeOf(CHAIN, ofFlow('workflow_started')); seq < CHAIN.length; seq += 1)
      expect([seq, gaps(CHAIN.slice(0, seq + 1))]).toEqual([seq, []]);
  });

  it.each([
    ['a step fails', { one: { says: reports('failed', 'No.') }, two: { depends_on: ['one'] } }],
    ['a step is held', { one: { says: reports('held', 'Which?') }, two: {} }],
    ['a step reports nothing', { one: { says: [NOTHING] }, two: {} }],
  ])('has none where %s, and it is stopped', async (_, steps) => {
    const bench = await runsFlow({ steps });
    await bench.stop();
    expect(faults(bench.events)).toEqual([]);
  });

  it('has one where a step started and nothing was decided, but not where it never started', () => {
    const log = without(
      changed(CHAIN, END, { steps: [] }),
      ofFlow('checkpoint_decided', 'one'),
      ofFlow('step_started', 'two'),
      ofFlow('checkpoint_decided', 'two'),
    );
    const ended = changed(log, END, { status: 'failed', ok: false, completion_ready: false });
    expect(faults(ended)).toEqual(['one: no checkpoint was decided (running)']);
    expect(check(diagnose(cutAfter(ended, END), { lease: 'held' }), 'workflow_gaps')).toMatchObject({
      message: '1 gap or contradiction in workflows.',
      next_actions: [
        { command: 'ledgerline.resumeWorkflow' },
        { command: 'ledgerline.openAgent', args: ['session_1'] },
        {
          command: 'ledgerline.openLog',
          args: [{ session_id: 's1', seq: placeOf(log, ofFlow('step_started', 'one')) }],
        },
      ],
    });
  });

  it('has none where the end says what became of what was under way, and one where it says that it did not run', async () => {
    const bench = await runsFlow({ steps: { one: { says: [NOTHING] } } });
    const { events } = await bench.stop();
    const undecided = without(events, ofFlow('checkpoint_decided'));
    expect(faults(undecided)).toEqual([]);
    const steps = dataOf(events, END)['steps'] as readonly object[];
    const contrary = { steps: steps.map((step) => ({ ...step, status: 'not_run' })) };
    expect(faults(changed(undecided, END, contrary))).toEqual(['one: no checkpoint was decided (not_run)']);
  });

  it('has one where its turn is over and its end is not on record: it can be resumed', async () => {
    const bench = await runsFlow({ steps: { one: { says: [NOTHING] } } });
    await bench.stop();
    const log = without(bench.events, END, ofFlow('checkpoint_decided'), ofFlow('step_started'));
    expect(gaps(log)).toEqual(['the end of the workflow is not on record']);
    expect(check(diagnose(log), 'workflow_gaps').next_actions[0]).toEqual({
      label: 'Resume workflow',
      command: 'ledgerline.resumeWorkflow',
      args: [{ session_id: 's1', workflow_id: FLOW_ID }],
    });
  });
});

it('a workflow that is under way is stale only where no live process could end it', async () => {
  const { events } = await runsFlow({ steps: { one: { says: [NOTHING] } } });
  expect(check(diagnose(events), 'staleness').message).toBe(
    `No live process could end turn turn_1, call flow of run_workflow, subagent agent_1, workflow ${FLOW_ID}.`,
  );
  expect(check(diagnose(events, { lease: 'held' }), 'staleness').status).toBe('ok');
});

/** The first is partial, so that the second does not run, and the third fails. */
const SHORT = {
  one: { says: [...reports('partial', 'Half.'), ...READY] },
  two: { depends_on: ['one'] },
  three: { required: false, says: reports('failed', 'No.') },
};

describe('a workflow that ended short of completion', () => {
  it('has a gap for every required step that is not ready, once its turn is over', async () => {
    const { events } = await runsFlow({ steps: SHORT });
    expect(gaps(cutAfter(events, END))).toEqual([]);
    expect(gaps(events)).toEqual([
      'one: ended as partial, though a required step is partial',
      'two: ended as partial, though a required step is not_run',
    ]);
  });

  it('can be resumed, and has none when it completed', async () => {
    const cast = {
      'Go.': [asks(['again', 'run_workflow', { resume: FLOW_ID }]), says('Done.')],
      'Do one.': READY,
      'Do two.': READY,
      'Do three.': READY,
    };
    const bench = await (await runsFlow({ steps: SHORT })).crash(cast);
    const [resume, open] = check(diagnose(bench.events), 'workflow_gaps').next_actions;
    expect(resume).toEqual({
      label: 'Resume workflow',
      command: 'ledgerline.resumeWorkflow',
      args: [{ session_id: 's1', workflow_id: FLOW_ID }],
    });
    expect(open).toMatchObject({ label: 'Open transcript', command: 'ledgerline.openAgent' });
    await bench.turn('Go on.');
    expect(gaps(bench.events)).toEqual([]);
  });

  it('has one where nothing of it was required, and nothing is ready', async () => {
    const steps = { one: { required: false, says: reports('failed', 'No.') } };
    expect(gaps((await runsFlow({ steps })).events)).toEqual([
      'ended as failed, without a step that is ready',
    ]);
  });
});

it('a workflow that no live process has is without its end', async () => {
  const { events } = await runsFlow({ steps: { one: { says: [NOTHING] } } });
  const log = cutAfter(events, ofFlow('workflow_started'));
  expect(gaps(log)).toEqual([]);
  expect(check(diagnose(log), 'workflow_gaps')).toMatchObject({
    status: 'warning',
    details: [{ workflow_id: FLOW_ID, what: 'the end of the workflow is not on record' }],
  });
});

describe('an end that contradicts its steps', () => {
  it('is completed while a required step is not ready', async () => {
    const steps = {
      one: { says: reports('partial', 'Half.') },
      two: { required: false, says: reports('failed', 'No.') },
    };
    const { events } = await runsFlow({ steps });
    expect(faults(events)).toEqual([]);
    expect(faults(changed(events, END, { status: 'completed', ok: true }))).toEqual([
      'one: completed, though a required step is partial',
    ]);
  });

  it('is called a success, or ready, where it is not', async () => {
    const { events } = await runsFlow({ steps: { one: { says: reports('partial', 'Half.') } } });
    expect(faults(changed(events, END, { ok: true, completion_ready: true }))).toEqual([
      'called a success, though it ended as partial',
      'called ready to complete, though it ended as partial',
    ]);
    expect(faults(changed(CHAIN, END, { ok: false }))).toEqual(['completed, but not called a success']);
  });
});

describe('a step', () => {
  it('must not start before what it depends on is ready', () => {
    const early = moved(CHAIN, ofFlow('checkpoint_decided', 'one'), ofFlow('step_started', 'two'));
    expect(gaps(early)).toEqual([
      'two: started before one, on which it depends, was ready',
      'two: started while one was running, which writes src too',
    ]);
    const partial = changed(CHAIN, ofFlow('checkpoint_decided', 'one'), (data) => ({
      ...data,
      status: 'partial',
      result: { ...(data['result'] as object), status: 'partial' },
    }));
    expect(gaps(cutAfter(partial, ofFlow('step_started', 'two')))).toEqual([
      'two: started before one, on which it depends, was ready',
    ]);
  });

  it('must not start while another runs that writes the same', async () => {
    const log = await beside([['src/a', 'docs'], ['docs'], []]);
    expect(gaps(log)).toEqual([]);
    const early = moved(log, ofFlow('checkpoint_decided', 's0'), ofFlow('step_started', 's1'));
    expect(gaps(cutAfter(early, ofFlow('step_started', 's1')))).toEqual([
      's1: started while s0 was running, which writes docs too',
    ]);
  });

  it('that was under way when its process ended does not run any more', async () => {
    const writes = { write_set: ['docs'] };
    const steps = { one: { ...writes, says: [NOTHING] }, two: writes };
    const resume = asks(['again', 'run_workflow', { resume: FLOW_ID }]);
    const cast = { 'Go.': [resume, NOTHING], 'Do one.': READY, 'Do two.': READY };
    const bench = await (await runsFlow({ steps })).crash(cast);
    await bench.turn('Go on.');
    expect(gaps(bench.events)).toEqual([]);
    const over = placeOf(bench.events, END);
    const alone = without(
      bench.events,
      ({ type, data, seq }) => type === 'workflow_event' && data.step_id === 'one' && seq > over,
    );
    expect(gaps(cutAfter(alone, ofFlow('step_started', 'two')))).toEqual([]);
  });
});

it('many workflows that are over are judged all the same', () => {
  const one = without(changed(CHAIN, END, { steps: [] }), ofFlow('checkpoint_decided', 'two'));
  const failed = changed(one, END, { status: 'failed', ok: false, completion_ready: false });
  const many = repeated(failed, ({ type }) => type === 'workflow_event', FLOW_ID, 900);
  expect(check(diagnose(many), 'workflow_gaps').message).toBe('900 gaps or contradictions in workflows.');
});
