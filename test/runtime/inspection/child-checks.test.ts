import { describe, expect, it } from 'vitest';
import type { LogFacts } from '../../../src/runtime/inspection/diagnosis.ts';
import { BY_PERSON, ChildStory, END } from '../../support/child-story.ts';
import { check, concerns, diagnose } from './diagnosing.ts';

const LIVE: Partial<LogFacts> = { lease: 'held' };
const OPEN = { label: 'Open transcript', command: 'ledgerline.openAgent', args: ['s2'] };
const ON_CHILD = [{ session_id: 's1', subagent_id: 'a1' }];
const RESUME = { label: 'Resume', command: 'ledgerline.resumeAgent', args: ON_CHILD };
const DISCARD = { label: 'Discard', command: 'ledgerline.discardAgent', args: ON_CHILD };
const STOP = { label: 'Stop', command: 'ledgerline.stopAgent', args: ON_CHILD };
const line = (seq: number): object => ({
  label: 'Open log',
  command: 'ledgerline.openLog',
  args: [{ session_id: 's1', seq }],
});

/** A child at work. */
function open(): ChildStory {
  return new ChildStory().turn('t1').started();
}

/** One that has ended. */
function end(): ChildStory {
  return open().ended();
}

function whats(story: ChildStory, id: string, facts = LIVE): readonly unknown[] {
  const { details } = check(diagnose(story.events, facts), id);
  return Array.isArray(details) ? details.map(({ what }: { what: unknown }) => what) : [];
}

describe('a sound life', () => {
  it('gives no concern, at any point of it', () => {
    const story = new ChildStory().turn('t1').started();
    const looks = (): unknown => concerns(diagnose(story.events, LIVE));
    expect(looks()).toEqual({});
    story.minutes(2).child('heartbeat', 'running').minutes(2);
    story.child('retried', 'running', { child_session_id: 's3' }).ended();
    expect(looks()).toEqual({});
    story.child('delivered', 'completed', { of_seq: story.seq }).answer();
    expect(looks()).toEqual({});
    story.turn('t2').child('continued', 'running').ended();
    story.result([{ subagent_id: 'a1', seq: story.seq }]).answer();
    expect(looks()).toEqual({});
    expect(check(diagnose(story.events), 'open_children').message).toBe('No subagent is left over.');
  });
});

describe('the end of a child', () => {
  it.each([
    ['completed', { summary: 'Seen.', elapsed_ms: 1 }, []],
    ['completed', { checkpoint: { status: 'partial' }, elapsed_ms: 1 }, []],
    [
      'completed',
      { summary: '', checkpoint: null },
      ['completed without a summary or a checkpoint', 'completed without the time it took'],
    ],
    ['failed', {}, ['failed without a reason', 'failed without next actions']],
    [
      'timed_out',
      { child_session_id: '' },
      [
        'timed out without its time limit',
        'timed out without the time it took',
        'timed out without a reason',
        'timed out without its session',
        'timed out without next actions',
      ],
    ],
    ['timed_out', END, []],
    ['cancelled', {}, ['cancelled without a reason']],
    ['interrupted', {}, ['interrupted without a reason']],
    ['closed', {}, []],
    ['detached', {}, ['detached without next actions']],
  ])('as %s with %j lacks %j', (status, more, lacks) => {
    const event = status === 'detached' ? 'detached' : 'finished';
    const story = new ChildStory().turn('t1').started('a1', { summary: 'Not the end.' });
    story.child(event, status, more);
    expect(whats(story, 'terminal_evidence')).toEqual(lacks.map((what) => `subagent a1: ${what}`));
  });

  it('is judged by its own event, and with what leads to it', () => {
    const story = new ChildStory().turn('t1').started().child('finished', 'cancelled');
    expect(check(diagnose(story.events, LIVE), 'terminal_evidence')).toMatchObject({
      message: '1 end of a subagent without its evidence.',
      details: [{ subagent_id: 'a1', child_session_id: 's2', seq: 3, next_actions: [OPEN] }],
      next_actions: [line(3)],
    });
  });
});

describe('a child that timed out', () => {
  it('can be looked at and resumed from its finding', () => {
    const story = new ChildStory().turn('t1').started();
    story.ended('a1', 'timed_out', { next_actions: [RESUME, OPEN] });
    expect(check(diagnose(story.events, LIVE), 'subagent_timeouts')).toMatchObject({
      details: [
        { subagent_id: 'a1', seq: 3, timeout_ms: 1000, elapsed_ms: 900, next_actions: [RESUME, OPEN] },
      ],
      next_actions: [RESUME, OPEN, line(3)],
    });
  });
});

describe('a detached child', () => {
  it('is a concern until somebody resumes or discards it', () => {
    const story = new ChildStory().turn('t1').started().child('detached', 'detached', END).failed();
    const found = check(diagnose(story.events), 'open_children');
    expect(found).toMatchObject({
      status: 'warning',
      message: '1 subagent is detached: resume or discard it.',
      details: [{ subagent_id: 'a1', status: 'detached', seq: 3 }],
    });
    expect(found.next_actions).toEqual([OPEN, RESUME, DISCARD, line(3)]);
    const discarded = new ChildStory().turn('t1').started().child('detached', 'detached', END);
    discarded.ended('a1', 'closed').failed().turn('t2');
    discarded.child('delivered', 'closed', { of_seq: 4 }).answer();
    expect(concerns(diagnose(discarded.events))).toEqual({ turn_failures: expect.any(String) });
    story.child('continued', 'running', BY_PERSON);
    expect(check(diagnose(story.events, LIVE), 'open_children')).toMatchObject({
      status: 'ok',
      message: '1 subagent is not over.',
    });
    expect(check(diagnose(story.events, LIVE), 'staleness').status).toBe('ok');
  });
});

describe('what the model is told of an end', () => {
  const again = 'subagent a1: its end was told to the model again';
  const never = 'subagent a1: its end was never told to the model';

  it('is told once', () => {
    const twice = end().child('delivered', 'completed', { of_seq: 3 });
    twice.result([{ subagent_id: 'a1', seq: 3 }]).answer();
    expect(whats(twice, 'subagent_delivery')).toEqual([again]);
    expect(check(diagnose(twice.events), 'subagent_delivery')).toMatchObject({
      status: 'warning',
      details: [{ seq: 7 }],
      next_actions: [OPEN, line(7)],
    });
    const once = end().child('delivered', 'completed', { of_seq: 3 }).child('continued', 'running').ended();
    once.child('delivered', 'completed', { of_seq: 6 }).answer();
    expect(whats(once, 'subagent_delivery')).toEqual([]);
  });

  it('is told before the answer of a turn that ends by itself', () => {
    expect(whats(end(), 'subagent_delivery')).toEqual([]);
    expect(whats(end().failed(), 'subagent_delivery')).toEqual([]);
    expect(whats(end().answer(), 'subagent_delivery')).toEqual([never]);
    expect(whats(end().failed().turn('t2').answer(), 'subagent_delivery')).toEqual([never]);
    expect(whats(end().answer().turn('t2'), 'subagent_delivery')).toEqual([never]);
  });

  it('need not be told while the answer is on its way, nor of what a person or a workflow decides', () => {
    const late = new ChildStory().turn('t1').started('a1', BY_PERSON).ended('a1', 'completed', BY_PERSON);
    expect(whats(late.answer(0), 'subagent_delivery')).toEqual([]);
    const of = { workflow_id: 'w1', step_id: 'one' };
    const step = new ChildStory().turn('t1').started('a1', of).ended('a1', 'completed', of).answer();
    expect(whats(step, 'subagent_delivery')).toEqual([]);
    const detached = new ChildStory().turn('t1').started().child('detached', 'detached', END).answer();
    expect(whats(detached, 'subagent_delivery')).toEqual([]);
  });
});

describe('an open child', () => {
  it('is stale where no live process has the log', () => {
    const found = check(diagnose(open().events), 'staleness');
    expect(found.message).toBe('No live process could end turn t1, subagent a1.');
    expect(found.details).toMatchObject([{}, { subagent_id: 'a1', seq: 2, next_actions: [OPEN] }]);
  });

  it('is stale where its turn is over, but not where a person gave it its work', () => {
    const story = open().failed();
    expect(check(diagnose(story.events, LIVE), 'staleness')).toMatchObject({
      message: '1 subagent is open although its turn is over.',
      details: [{ what: 'subagent a1: open although its turn is over' }],
      next_actions: [OPEN, STOP],
    });
    const other = open().failed().turn('t2').child('continued', 'running');
    expect(whats(other, 'staleness')).toEqual([]);
    const own = new ChildStory().turn('t1').started('a1', BY_PERSON).failed();
    expect(whats(own, 'staleness')).toEqual([]);
  });

  it('is stale where it gave no sign of life for more than three minutes while others did', () => {
    const story = open().minutes(3).started('a2');
    expect(whats(story, 'staleness')).toEqual([]);
    story.minutes(1).child('heartbeat', 'running', { subagent_id: 'a2' });
    expect(check(diagnose(story.events, LIVE), 'staleness')).toMatchObject({
      message: '1 subagent has given no sign of life for more than 3 minutes.',
      details: [{ what: 'subagent a1: no sign of life since seq 2' }],
    });
    story.child('heartbeat', 'running');
    expect(whats(story, 'staleness')).toEqual([]);
    const queued = new ChildStory().turn('t1').child('spawned', 'queued').minutes(9).started('a2');
    expect(whats(queued, 'staleness')).toEqual([]);
  });

  it('that asks a person is not stale, and what it asks is listed', () => {
    const suspension = {
      id: 'sus',
      reason: 'approval',
      message: 'Run it?',
      resume_mode: 'replay_tool_call' as const,
    };
    const question = { call_id: 'c9', name: 'run_command', suspension };
    const story = open()
      .child('waiting', 'running', { questions: [question] })
      .minutes(9)
      .started('a2');
    expect(whats(story, 'staleness')).toEqual([]);
    const decide = {
      label: 'Decide in chat',
      command: 'ledgerline.revealInChat',
      args: [{ what: 'decision', turn_id: 't1' }],
    };
    expect(check(diagnose(story.events, LIVE), 'pending_decisions')).toMatchObject({
      message: '1 question of a subagent waiting for a person.',
      details: [
        {
          subagent_id: 'a1',
          call_id: 'c9',
          name: 'run_command',
          seq: 3,
          suspension: { id: 'sus', reason: 'approval' },
        },
      ],
      next_actions: [decide, OPEN, STOP],
    });
    story.child('waiting', 'running', { subagent_id: 'a2' });
    expect(check(diagnose(story.events, LIVE), 'pending_decisions').message).toBe(
      '2 questions of subagents waiting for a person.',
    );
    story.child('went_on', 'running').child('went_on', 'running', { subagent_id: 'a2' });
    expect(check(diagnose(story.events, LIVE), 'pending_decisions').status).toBe('ok');
  });
});

describe('thousands of children', () => {
  it('are counted whole, and told of in part', () => {
    const story = new ChildStory().turn('t1');
    for (let n = 0; n < 5000; n += 1) {
      story.started(`a${n}`).child('finished', 'timed_out', { subagent_id: `a${n}` });
      if (n % 2 === 0) story.child('delivered', 'timed_out', { subagent_id: `a${n}`, of_seq: story.seq });
    }
    story.answer();
    const found = diagnose(story.events, LIVE);
    const of = (id: string): readonly unknown[] => {
      const { message, details } = check(found, id);
      return [message, Array.isArray(details) ? details.length : 0];
    };
    expect(of('subagent_timeouts')).toEqual(['5000 subagents timed out before they were done.', 200]);
    expect(of('terminal_evidence')).toEqual(['5000 ends of subagents without their evidence.', 200]);
    expect(of('subagent_delivery')).toEqual([
      '2500 ends of subagents that the model was told of not once, but twice or never.',
      200,
    ]);
  });

  it('that nobody could end are named up to a bound', () => {
    const story = new ChildStory().turn('t1');
    for (let n = 0; n < 300; n += 1) story.started(`a${n}`);
    const { message, details } = check(diagnose(story.events), 'staleness');
    expect(message).toMatch(
      /^No live process could end turn t1, subagent a0, .*subagent a8, and 291 more\.$/u,
    );
    expect(details).toHaveLength(200);
  });
});
