import { describe, expect, it } from 'vitest';
import { cutOf } from '../../../src/runtime/compaction/cut.ts';
import { HistoryFold } from '../../../src/runtime/compaction/history.ts';
import { deterministicStory } from '../../../src/runtime/compaction/plan.ts';
import { rangeFacts } from '../../../src/runtime/compaction/range-facts.ts';
import { ChildStory } from '../../support/child-story.ts';

/** A log in which turns come and go, and are compacted. */
class LongStory extends ChildStory {
  private turns = 0;

  talks(turns: number): this {
    for (let n = 0; n < turns; n += 1) {
      this.turns += 1;
      this.turn(`t${this.turns}`).answer();
    }
    return this;
  }

  /** As the next compaction would have it, which is recorded. */
  compacts(tail: number): { readonly summary: string; readonly open_tasks: readonly string[] } {
    const fold = new HistoryFold();
    for (const event of this.events) fold.push(event);
    const cut = cutOf(fold.events, tail);
    if (cut === null) throw new Error('nothing to compact');
    const facts = rangeFacts(fold, cut);
    const { text: summary } = deterministicStory(facts).told;
    const { open_tasks } = facts;
    this.add('history_compaction', {
      trigger: 'manual',
      strategy: 'deterministic_v1',
      range: { from_seq: 0, to_seq: cut.tail_from_seq - 1 },
      tail_from_seq: cut.tail_from_seq,
      summary,
      limitations: ['Much.'],
      open_tasks,
    });
    return { summary, open_tasks };
  }

  /** What a later compaction would be made of. */
  get kept(): readonly string[] {
    const fold = new HistoryFold();
    for (const event of this.events) fold.push(event);
    return fold.events.flatMap(({ type, data }) => (type === 'subagent_event' ? [data.event] : []));
  }
}

describe('an open child in a checkpoint', () => {
  it('is an open task that says how it is, also long after it was begun', () => {
    const story = new LongStory().talks(1).started().talks(6);
    expect(story.compacts(4).open_tasks).toEqual(['Subagent a1 is running: Look at a1.']);
    story.child('waiting', 'running').child('heartbeat', 'running').talks(6);
    expect(story.compacts(4).open_tasks).toEqual(['Subagent a1 is waiting for the user: Look at a1.']);
    story.child('went_on', 'running').talks(6);
    expect(story.compacts(4).open_tasks).toEqual(['Subagent a1 is running: Look at a1.']);
    story.ended().child('delivered', 'completed', { of_seq: story.seq }).talks(6);
    expect(story.compacts(4).open_tasks).toEqual([]);
  });

  it('is one again where it was given more to do, whatever is told of its end before that', () => {
    const story = new LongStory().talks(1).started().ended();
    const of_seq = story.seq;
    story.child('continued', 'queued').child('delivered', 'completed', { of_seq }).talks(6);
    expect(story.compacts(4).open_tasks).toEqual(['Subagent a1 is queued: Look at a1.']);
  });

  it('leaves nothing behind of its signs of life, nor of an end that was told', () => {
    const story = new LongStory().talks(1).started();
    for (let n = 0; n < 100; n += 1) story.child('heartbeat', 'running');
    story.talks(6).compacts(4);
    expect(story.kept).toEqual(['spawned', 'started']);
    story.ended().child('delivered', 'completed', { of_seq: story.seq });
    story.talks(6).compacts(4);
    expect(story.kept).toEqual([]);
  });
});

/** A child that has ended, and a checkpoint before anybody was told. */
function ended(): { readonly story: LongStory; readonly seq: number } {
  const story = new LongStory().talks(1).started().ended('a1', 'completed', { summary: 'It is GREEN.' });
  const { seq } = story;
  expect(story.talks(6).compacts(4).summary).not.toContain('GREEN');
  return { story, seq };
}

describe('an end that is told only after a checkpoint', () => {
  const GREEN = 'Subagent a1 ended as completed: It is GREEN.';

  it('is told on by the next one, where the result of a call told it', () => {
    const { story, seq } = ended();
    story
      .turn('told')
      .result([{ subagent_id: 'a1', seq }])
      .answer();
    story.talks(6);
    expect(story.compacts(4).summary).toContain(GREEN);
    expect(story.kept).toEqual([]);
  });

  it('is told on also where a checkpoint leaves that result in its tail', () => {
    const { story, seq } = ended();
    story
      .talks(4)
      .turn('told')
      .result([{ subagent_id: 'a1', seq }])
      .answer();
    expect(story.compacts(6).summary).not.toContain('GREEN');
    story.talks(6);
    expect(story.compacts(4).summary).toContain(GREEN);
  });

  it('is told on by what told it, where that was an event of its own', () => {
    const { story, seq } = ended();
    story.turn('told').child('delivered', 'completed', { of_seq: seq, summary: 'It is GREEN.' }).answer();
    story.talks(6);
    expect(story.compacts(4).summary).toContain(GREEN);
  });
});
