import { describe, expect, it } from 'vitest';
import type { StepSpec, StepStatus, WorkflowStatus } from '../../../src/runtime/agent-events.ts';
import { ChildStory } from '../../support/child-story.ts';
import { check, diagnose } from './diagnosing.ts';

function step(id: string, more: Partial<StepSpec> = {}): StepSpec {
  return {
    id,
    task: `Do ${id}.`,
    agent: 'worker',
    depends_on: [],
    permission_mode: null,
    read_set: [],
    write_set: [],
    timeout_ms: null,
    required: true,
    ...more,
  };
}

class FlowStory extends ChildStory {
  /** A workflow that has begun. */
  of(...steps: readonly StepSpec[]): this {
    const spec = { id: 'f', name: 'Flow', max_concurrency: null, timeout_ms: null, steps };
    return this.turn('t1').flow('workflow_started', { spec });
  }

  starts(...ids: readonly string[]): this {
    for (const step_id of ids) this.flow('step_started', { step_id, child_session_id: `s_${step_id}` });
    return this;
  }

  decides(status: string, ...ids: readonly string[]): this {
    for (const step_id of ids) this.flow('checkpoint_decided', { step_id, status });
    return this;
  }

  ends(status: WorkflowStatus, more: object = {}): this {
    return this.flow('workflow_finished', { status, ok: status === 'completed', ...more });
  }

  get gaps(): readonly string[] {
    const { details } = check(diagnose(this.events, { lease: 'held' }), 'workflow_gaps');
    if (!Array.isArray(details)) return [];
    return details.map(({ step_id, what }: { step_id: string | null; what: string }) =>
      step_id === null ? what : `${step_id}: ${what}`,
    );
  }
}

/** A workflow whose step was under way when it ended, and what the end says of it. */
function ended(status: StepStatus): FlowStory {
  return new FlowStory()
    .of(step('one'))
    .starts('one')
    .ends('cancelled', { steps: [{ id: 'one', status }] });
}

describe('the record of a workflow', () => {
  it('has no gap where every step that started was decided, in order', () => {
    const story = new FlowStory()
      .of(step('one', { write_set: ['src'] }), step('two', { depends_on: ['one'], write_set: ['src'] }))
      .starts('one')
      .decides('checkpoint_ready', 'one')
      .starts('two')
      .decides('checkpoint_ready', 'two');
    expect(story.gaps).toEqual([]);
    expect(story.ends('completed', { completion_ready: true }).gaps).toEqual([]);
    expect(story.answer().gaps).toEqual([]);
  });

  it('has one where a step started and nothing was decided, but not where it never started', () => {
    const story = new FlowStory().of(step('one'), step('two')).starts('one');
    story.flow('step_scheduled', { step_id: 'two' }).ends('failed');
    expect(story.gaps).toEqual(['one: no checkpoint was decided (running)']);
    expect(check(diagnose(story.events), 'workflow_gaps')).toMatchObject({
      message: '1 gap or contradiction in workflows.',
      next_actions: [
        { command: 'ledgerline.resumeWorkflow' },
        { command: 'ledgerline.openAgent', args: ['s_one'] },
        { command: 'ledgerline.openLog', args: [{ session_id: 's1', seq: 2 }] },
      ],
    });
  });

  it('has none where the end says what became of what was under way, and one where it says that it did not run', () => {
    expect(ended('cancelled').gaps).toEqual([]);
    expect(ended('not_run').gaps).toEqual(['one: no checkpoint was decided (not_run)']);
  });

  it('has one where its turn is over and its end is not on record: it can be resumed', () => {
    const story = new FlowStory().of(step('one')).failed();
    expect(story.gaps).toEqual(['the end of the workflow is not on record']);
    expect(check(diagnose(story.events), 'workflow_gaps').next_actions[0]).toEqual({
      label: 'Resume workflow',
      command: 'ledgerline.resumeWorkflow',
      args: [{ session_id: 's1', workflow_id: 'w1' }],
    });
    story.turn('t2').flow('workflow_resumed');
    expect(story.gaps).toEqual([]);
    expect(story.ends('held').gaps).toEqual([]);
  });
});

function short(): FlowStory {
  return new FlowStory()
    .of(step('one'), step('two', { depends_on: ['one'] }), step('three', { required: false }))
    .starts('one', 'three')
    .decides('partial', 'one')
    .decides('failed', 'three')
    .ends('partial', { steps: [{ id: 'two', status: 'not_run' }] });
}

describe('a workflow that ended short of completion', () => {
  it('has a gap for every required step that is not ready, once its turn is over', () => {
    expect(short().gaps).toEqual([]);
    expect(short().answer().gaps).toEqual([
      'one: ended as partial, though a required step is partial',
      'two: ended as partial, though a required step is not_run',
    ]);
  });

  it('can be resumed, and has none when it completed', () => {
    const over = short().answer();
    expect(check(diagnose(over.events), 'workflow_gaps').next_actions.slice(0, 2)).toEqual([
      {
        label: 'Resume workflow',
        command: 'ledgerline.resumeWorkflow',
        args: [{ session_id: 's1', workflow_id: 'w1' }],
      },
      { label: 'Open transcript', command: 'ledgerline.openAgent', args: ['s_one'] },
    ]);
    over.turn('t2').flow('workflow_resumed').starts('one').decides('checkpoint_ready', 'one');
    over.starts('two').decides('checkpoint_ready', 'two').ends('completed');
    expect(over.answer().gaps).toEqual([]);
  });

  it('has one where nothing of it was required, and nothing is ready', () => {
    const optional = new FlowStory().of(step('one', { required: false })).starts('one');
    expect(optional.decides('failed', 'one').ends('failed').answer().gaps).toEqual([
      'ended as failed, without a step that is ready',
    ]);
  });
});

it('a workflow that no live process has is without its end', () => {
  const story = new FlowStory().of(step('one'));
  expect(story.gaps).toEqual([]);
  expect(check(diagnose(story.events), 'workflow_gaps')).toMatchObject({
    status: 'warning',
    details: [{ workflow_id: 'w1', what: 'the end of the workflow is not on record' }],
  });
});

describe('an end that contradicts its steps', () => {
  it('is completed while a required step is not ready', () => {
    const story = new FlowStory().of(step('one'), step('two', { required: false })).starts('one', 'two');
    story.decides('partial', 'one').decides('failed', 'two').ends('completed');
    expect(story.gaps).toEqual(['one: completed, though a required step is partial']);
  });

  it('is called a success, or ready, where it is not', () => {
    const story = new FlowStory().of(step('one')).starts('one').decides('partial', 'one');
    expect(story.ends('partial', { ok: true, completion_ready: true }).gaps).toEqual([
      'called a success, though it ended as partial',
      'called ready to complete, though it ended as partial',
    ]);
    const other = new FlowStory().of(step('one')).starts('one').decides('checkpoint_ready', 'one');
    expect(other.ends('completed', { ok: false }).gaps).toEqual(['completed, but not called a success']);
  });
});

describe('a step', () => {
  it('must not start before what it depends on is ready', () => {
    const story = new FlowStory().of(step('one'), step('two', { depends_on: ['one'] })).starts('one', 'two');
    expect(story.gaps).toEqual(['two: started before one, on which it depends, was ready']);
    const partial = new FlowStory().of(step('one'), step('two', { depends_on: ['one'] })).starts('one');
    partial.decides('partial', 'one').starts('two');
    expect(partial.gaps).toEqual(['two: started before one, on which it depends, was ready']);
  });

  it('must not start while another runs that writes the same', () => {
    const writes = { write_set: ['src/a', 'docs'] };
    const story = new FlowStory().of(
      step('one', writes),
      step('two', { write_set: ['docs'] }),
      step('three'),
    );
    expect(story.starts('one', 'three', 'two').gaps).toEqual([
      'two: started while one was running, which writes docs too',
    ]);
  });

  it('that was under way when its workflow ended does not run any more', () => {
    const writes = { write_set: ['docs'] };
    const story = new FlowStory().of(step('one', writes), step('two', writes)).starts('one').ends('held');
    story.turn('t2').flow('workflow_resumed').starts('two');
    expect(story.gaps).toEqual([]);
  });
});

it('many workflows that are over are judged all the same', () => {
  const story = new FlowStory().turn('t1');
  for (let n = 0; n < 900; n += 1) {
    const workflow_id = `w${n}`;
    story.flow('workflow_started', { workflow_id }).flow('step_started', { workflow_id, step_id: 'one' });
    story.flow('workflow_finished', { workflow_id, status: 'failed', ok: false });
  }
  expect(check(diagnose(story.events), 'workflow_gaps').message).toBe(
    '900 gaps or contradictions in workflows.',
  );
});
