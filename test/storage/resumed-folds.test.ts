import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { planCompaction } from '../../src/runtime/compaction/plan.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { compactionView } from '../../src/runtime/session-compaction.ts';
import { SessionFolds } from '../../src/runtime/session-folds.ts';
import { ResumeFinder, type Resume } from '../../src/storage/mark.ts';
import { legalLog } from '../runtime/replay/legal-log.ts';
import { story, type Story } from '../runtime/replay/legal-story.ts';
import { made } from '../support/made-events.ts';
import { searchRuns } from '../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(120_000) };

const TARGET = { model: 'm1', endpoint: 'e1' };
const SURFACE = { instructions: 'i', skill_index: '', tools: [], toolset_hash: 't', skill_index_hash: 'k' };
const ONCE = { trigger: 'overflow_recovery', turn_id: null } as const;

function planned(folds: SessionFolds, tail: number): ReturnType<typeof planCompaction> {
  return planCompaction(compactionView(folds, TARGET, SURFACE), { ...ONCE, tail });
}

/** A generated log in which history is compacted wherever a request leaves and that helps. */
function compactedLog(told: Story, tails: readonly number[]): readonly LogEvent[] {
  const plain = told.turns.map((turn) => ({ ...turn, compaction: null }));
  const { events, requests } = legalLog({ ...told, turns: plain });
  const leaves = new Set(requests.map(({ length }) => length));
  const folds = new SessionFolds('s1');
  const log: LogEvent[] = [];
  const add = (event: LogEvent): void => {
    log.push({ ...event, seq: log.length });
    folds.push({ ...event, seq: log.length - 1 });
  };
  events.forEach((event, index) => {
    add(atWork(event));
    const plan = leaves.has(index + 1) ? planned(folds, tails[index % tails.length] ?? 20) : null;
    if (plan?.kind === 'planned') add(made('history_compaction', 0, plan.record));
  });
  return log;
}

/** Three children, each at work for a while and then not; what they came back with is told late, or not at all. */
function atWork(event: LogEvent): LogEvent {
  if (event.type === 'tool_result' && event.seq % 3 === 0) {
    const delivers = [0, 1, 2].map((n) => ({ subagent_id: `child_${n}`, seq: event.seq - 5 - n }));
    return made('tool_result', event.seq, { ...event.data, delivers });
  }
  if (event.type !== 'subagent_event') return event;
  const subagent_id = `child_${event.seq % 3}`;
  if (event.data.event === 'delivered')
    return made('subagent_event', event.seq, { ...event.data, subagent_id });
  const [what, status] = event.seq % 4 === 0 ? ['started', 'running'] : ['finished', 'completed'];
  // The ends of those that work for a workflow are told with it.
  const { workflow_id: _, ...data } = event.data;
  const of = event.seq % 5 === 0 ? { workflow_id: 'w1' } : {};
  return made('subagent_event', event.seq, { ...data, ...of, subagent_id, event: what, status });
}

/** Where folding a log may begin again, as a mark has it. */
function resumeOf(log: readonly LogEvent[]): Resume | null {
  const folds = new SessionFolds('s1');
  const finder = new ResumeFinder(null);
  for (const event of log) {
    finder.visit(event, event.seq, () => folds.state);
    folds.push(event);
  }
  return finder.resume;
}

it('a session that is opened by its mark plans the compaction that the whole log would', GENERATED, () => {
  let resumed = 0;
  const property = fc.property(
    story,
    fc.array(fc.constantFrom(1, 3, 5, 10), { minLength: 1, maxLength: 6 }),
    (told, tails) => {
      const log = compactedLog(told, tails);
      for (let length = log.length; length > 0; length -= 3) {
        const part = log.slice(0, length);
        const from = resumeOf(part);
        if (from === null || from.next_seq === 0) continue;
        const [whole, later] = [new SessionFolds('s1'), new SessionFolds('s1')];
        later.resumeFrom(from);
        for (const event of part) {
          whole.push(event);
          if (event.seq >= from.next_seq) later.push(event);
        }
        resumed += 1;
        expect(later.input(TARGET)).toEqual(whole.input(TARGET));
        expect(later.state.pressure).toEqual(whole.state.pressure);
        for (const tail of [20, 5, 1]) expect(planned(later, tail)).toEqual(planned(whole, tail));
      }
    },
  );
  fc.assert(property, { numRuns: searchRuns(25), seed: 20261119 });
  expect(resumed).toBeGreaterThan(50);
});
