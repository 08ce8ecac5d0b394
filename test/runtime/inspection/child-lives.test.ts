import { describe, expect, it } from 'vitest';
import { CHILDREN_KEPT } from '../../../src/runtime/inspection/families.ts';
import { TURNS_KEPT } from '../../../src/runtime/inspection/session-tree.ts';
import { actionsOf, ChildStory, drawn, END, evidenceOf, traced, treeOf } from '../../support/child-story.ts';

const CHILD = 'turn:t1/subagent:a1';
const OPEN = 'Open transcript: ledgerline.openAgent ["s2"]';
const onChild = (label: string, command: string): string =>
  `${label}: ledgerline.${command} [{"session_id":"s1","subagent_id":"a1"}]`;
const QUESTION = {
  call_id: 'c9',
  name: 'run_command',
  suspension: {
    id: 'sus9',
    reason: 'approval',
    message: 'Run npm test?',
    resume_mode: 'replay_tool_call' as const,
  },
};

describe('the life of a child', () => {
  it('is shown as it is at every point, with what can be done then', () => {
    const story = new ChildStory().turn('t1');
    const states: (readonly [string, readonly string[]])[] = [];
    const look = (): void => {
      const nodes = treeOf(story);
      states.push([drawn(nodes, CHILD)[0] ?? '', actionsOf(nodes, CHILD)]);
    };
    story.child('spawned', 'queued', { task: 'Look.', agent: 'explorer' });
    look();
    story.child('started', 'running');
    look();
    story.child('heartbeat', 'running');
    look();
    story.child('waiting', 'running', { questions: [QUESTION] });
    look();
    story.child('went_on', 'running');
    look();
    story.ended();
    look();
    story.child('continued', 'running');
    look();
    story.child('detached', 'detached', { next_actions: [] });
    look();
    story.ended('a1', 'closed', { next_actions: [] });
    look();
    const stop = onChild('Stop', 'stopAgent');
    const decide = 'Decide in chat: ledgerline.revealInChat [{"what":"decision","turn_id":"t1"}]';
    expect(states).toEqual([
      ['[queued] Look. explorer', [OPEN, stop]],
      ['[running] Look. explorer', [OPEN, stop]],
      ['[running] Look. explorer', [OPEN, stop]],
      ['[waiting] Look. explorer, run_command', [decide, OPEN, stop]],
      ['[running] Look. explorer', [OPEN, stop]],
      ['[completed] Look. explorer', [OPEN]],
      ['[running] Look. explorer', [OPEN, stop]],
      [
        '[detached] Look. explorer',
        [onChild('Resume', 'resumeAgent'), OPEN, onChild('Discard', 'discardAgent')],
      ],
      ['[closed] Look. explorer', [OPEN]],
    ]);
  });

  it('has worked as long as it had before it was put away', () => {
    const story = new ChildStory()
      .turn('t1')
      .started()
      .child('detached', 'detached', { ...END, elapsed_ms: 7000 })
      .ended('a1', 'closed', { elapsed_ms: 0 });
    expect(evidenceOf(treeOf(story), CHILD)).toContain('Limit 1.0 s, elapsed 7.0 s.');
  });

  it('is proven by places and times of the log', () => {
    const story = new ChildStory()
      .turn('t1')
      .child('spawned', 'queued', { task: 'Look.', agent: 'explorer', depth: 2 })
      .minutes(1)
      .child('started', 'running', { deadline_at: '2026-01-01T00:11:00.000Z' })
      .minutes(1)
      .child('heartbeat', 'running')
      .child('waiting', 'running', { questions: [QUESTION] });
    expect(evidenceOf(treeOf(story), CHILD)).toEqual([
      'State since seq 4, 2026-01-01T00:02:00.000Z: waiting.',
      'First told of at seq 1.',
      'Started at seq 2, 2026-01-01T00:01:00.000Z.',
      'Last sign of life at seq 4, 2026-01-01T00:02:00.000Z.',
      'Its own log: session s2.',
      'Depth 2.',
      'Task: Look.',
      'It asks (run_command, approval): Run npm test?',
    ]);
    const checkpoint = {
      status: 'partial',
      summary: 'Half.',
      limitations: ['No tests.'],
      verification: [],
      artifacts: [
        { path: 'a.ts', sha256: 'f00d' },
        { path: 'b.ts', sha256: null, problem: 'No such file.' },
      ],
    };
    story.child('went_on', 'running').ended('a1', 'completed', { checkpoint });
    expect(evidenceOf(treeOf(story), CHILD).slice(-6)).toEqual([
      'Reason: Because.',
      'Limit 1.0 s, elapsed 0.9 s.',
      'Reported: partial, limitations: 1, verified by: 0.',
      'Artefact a.ts: SHA-256 f00d',
      'Artefact b.ts: no hash, No such file.',
      'The model has not been told yet.',
    ]);
  });

  it('keeps what earlier attempts left, and leads to their logs', () => {
    const past = {
      attempt: 1,
      child_session_id: 's2',
      error_kind: 'rate_limited',
      reason: 'Too many.',
      elapsed_ms: 4000,
    };
    const story = new ChildStory()
      .turn('t1')
      .started()
      .child('retried', 'running', { child_session_id: 's3', retry_history: [past] });
    const nodes = treeOf(story);
    expect(drawn(nodes, CHILD)).toEqual(['[running] Look at a1. attempt 2']);
    expect(evidenceOf(nodes, CHILD)).toContain(
      'Attempt 1 came to nothing: too many requests, 4.0 s, session s2. Too many.',
    );
    expect(actionsOf(nodes, CHILD)).toContain('Open transcript of attempt 1: ledgerline.openAgent ["s2"]');
    expect(actionsOf(nodes, CHILD)[0]).toBe('Open transcript: ledgerline.openAgent ["s3"]');
  });

  it('that was retried without a list of attempts has the session before it as one', () => {
    const story = new ChildStory()
      .turn('t1')
      .started()
      .child('retried', 'queued', { child_session_id: 's3' });
    expect(evidenceOf(treeOf(story), CHILD)).toContain('Attempt 1 came to nothing: session s2.');
  });

  it('ends once: what comes late changes nothing, until it is given more to do', () => {
    const story = new ChildStory().turn('t1').started().ended().child('heartbeat', 'running');
    expect(drawn(treeOf(story), CHILD)).toEqual(['[completed] Look at a1.']);
    story.ended('a1', 'failed');
    expect(drawn(treeOf(story), CHILD)).toEqual(['[completed] Look at a1.']);
    story.child('continued', 'queued');
    const nodes = treeOf(story);
    expect(drawn(nodes, CHILD)).toEqual(['[queued] Look at a1.']);
    expect(evidenceOf(nodes, CHILD)).toContain('It was given more to do once.');
    expect(evidenceOf(nodes, CHILD).join('\n')).not.toContain('Seen.');
  });
});

function ended(): ChildStory {
  return new ChildStory().turn('t1').started().ended();
}

/** What is said last of the child. */
function told(story: ChildStory): string {
  return evidenceOf(treeOf(story), CHILD).at(-1) ?? '';
}

describe('what the model was told of a child', () => {
  it('is told by an event of its own, or by the result of a call that waited', () => {
    expect(told(ended().child('delivered', 'completed', { of_seq: 3 }))).toBe('Told to the model at seq 4.');
    expect(told(ended().result([{ subagent_id: 'a1', seq: 3 }]))).toBe('Told to the model at seq 6.');
    expect(told(ended().result([{ subagent_id: 'a2', seq: 3 }]))).toBe('The model has not been told yet.');
    expect(
      told(
        ended()
          .child('delivered', 'completed', { of_seq: 3 })
          .result([{ subagent_id: 'a1', seq: 3 }]),
      ),
    ).toBe('Told to the model again at seq 7.');
  });

  it('is nothing of one that is detached, and of one of a workflow it is in the result of that', () => {
    const detached = new ChildStory().turn('t1').started().child('detached', 'detached', END);
    expect(told(detached)).toBe('The model is not told: it is for you to decide.');
    const step = new ChildStory()
      .turn('t1')
      .started('a1', { workflow_id: 'w9', step_id: 'one' })
      .ended('a1', 'completed', { workflow_id: 'w9', step_id: 'one' });
    expect(told(step)).toBe('The result of its workflow tells the model.');
  });

  it('of an end before it went on is not what is told of how it is now', () => {
    const story = new ChildStory().turn('t1').started().ended().child('continued', 'running');
    story.child('delivered', 'completed', { of_seq: 3 }).ended();
    expect(told(story)).toBe('The model has not been told yet.');
  });
});

describe('the place of a child', () => {
  it('is with the turn that first gave it work, whatever turn speaks of it later', () => {
    const story = new ChildStory().turn('t1').started().ended().failed();
    story.turn('t2').child('delivered', 'completed', { of_seq: 3 }).child('continued', 'running');
    const nodes = treeOf(story);
    expect(drawn(nodes, 'turn:t1')).toEqual(['[failed] t1 no', '  [running] Look at a1.']);
    expect(drawn(nodes, 'turn:t2')).toEqual(['[running] t2']);
  });

  it('is with the session where no turn gave it work, or the turn is not shown any more and it is not over', () => {
    const story = new ChildStory().turn('t1').started('a1').started('a2').ended('a2').failed();
    for (let n = 2; n <= TURNS_KEPT + 1; n += 1) story.turn(`t${n}`).failed();
    const nodes = treeOf(story);
    expect(nodes.get('session/subagent:a1')?.state).toBe('running');
    expect(nodes.has('session/subagent:a2')).toBe(false);
    expect(evidenceOf(nodes, 'session/subagent:a1')).toContain('Task: Look at a1.');
    story.ended('a1');
    expect(treeOf(story).get('session/subagent:a1')?.state).toBe('completed');
  });

  it('is stale once nobody could end it, but not while it asks a person', () => {
    const dead = { lease: 'free' } as const;
    const story = new ChildStory()
      .turn('t1')
      .started('a1')
      .started('a2')
      .child('waiting', 'running', { subagent_id: 'a2' });
    expect(drawn(treeOf(story, dead), 'turn:t1').slice(1)).toEqual([
      '  [stale] Look at a1.',
      '  [waiting] Look at a2.',
    ]);
    story.failed();
    expect(drawn(treeOf(story), 'turn:t1')[1]).toBe('  [stale] Look at a1.');
  });
});

describe('many children', () => {
  it('are shown up to a bound: those that are over make room, those at work stay, and all are counted', () => {
    const story = new ChildStory().turn('t1').started('a0');
    for (let n = 1; n <= 3000; n += 1) story.started(`a${n}`).ended(`a${n}`);
    const lines = drawn(treeOf(story), 'turn:t1');
    expect(lines.slice(0, 4)).toEqual([
      '[running] t1',
      `  [ok] ${3001 - CHILDREN_KEPT} more subagents`,
      '  [running] Look at a0.',
      `  [completed] Look at a${3001 - CHILDREN_KEPT + 1}.`,
    ]);
    expect(lines).toHaveLength(CHILDREN_KEPT + 2);
    const before = traced(story.events).turns[0];
    // One that had made room is told of again: it is not counted twice.
    story.child('delivered', 'completed', { subagent_id: 'a1', of_seq: 5 });
    const after = traced(story.events).turns[0];
    expect([before?.subagent_count, after?.subagent_count]).toEqual([3001, 3001]);
  });

  it('at work are shown up to another bound', () => {
    const story = new ChildStory().turn('t1');
    for (let n = 0; n < 1000; n += 1) story.child('spawned', 'queued', { subagent_id: `a${n}` });
    expect(drawn(treeOf(story), 'turn:t1')[1]).toBe('  [ok] 600 more subagents');
    expect(traced(story.events).turns[0]?.subagents).toHaveLength(400);
  });
});
