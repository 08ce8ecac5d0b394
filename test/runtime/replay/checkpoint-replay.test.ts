import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { ReplayFold } from '../../../src/runtime/replay/fold.ts';
import { made, numbered, oneOfEach } from '../../support/made-events.ts';
import { shapes } from './item-shapes.ts';
import { legalLog } from './legal-log.ts';
import { story } from './legal-story.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

const TARGET = { model: 'm', endpoint: 'e' };
const data = oneOfEach();

function foldOf(...events: readonly LogEvent[]): ReplayFold {
  const fold = new ReplayFold();
  for (const event of numbered(events)) fold.push(event);
  return fold;
}

function prompt(text: string): LogEvent {
  return made('user_message', 0, { ...data.user_message.data, text });
}

function call(call_id: string, stream_run_id: string): LogEvent {
  return made('tool_call', 0, { ...data.tool_call.data, call_id, stream_run_id });
}

function result(call_id: string): LogEvent {
  return made('tool_result', 0, { ...data.tool_result.data, call_id });
}

function checkpoint(summary: string, tail_from_seq: number): LogEvent {
  return made('history_compaction', 0, {
    ...data.history_compaction.data,
    summary,
    tail_from_seq,
    limitations: [],
  });
}

function context(branch: string): LogEvent {
  return made('developer_context', 0, { ...data.developer_context.data, branch });
}

/** What each item is about: a context by its branch, the checkpoint, or the prompt. */
function subjects(fold: ReplayFold): readonly string[] {
  return shapes(fold.input(TARGET))
    .split('\n')
    .map((line) => /Branch: "\w+"|checkpoint|two/.exec(line)?.[0] ?? line);
}

describe('a checkpoint', () => {
  it('takes the place of the one before it, also when that one stands in its tail', () => {
    const fold = foldOf(
      prompt('one'),
      prompt('two'),
      prompt('three'),
      checkpoint('first', 1),
      prompt('four'),
      checkpoint('second', 2),
    );
    expect(shapes(fold.input(TARGET))).toBe(
      [
        'user: [Ledgerline history checkpoint (lossy)] / second /  / Limitations: / ',
        'user: three',
        'user: four',
      ].join('\n'),
    );
    expect(fold.explain(TARGET).excluded).toEqual(
      new Map([0, 1, 3].map((seq) => [seq, 'before_checkpoint'])),
    );
  });

  it('keeps the placeholder of a call that is pending in its tail, and the result takes its place', () => {
    const before = [prompt('one'), call('c1', 'r1'), call('c2', 'r1'), result('c2'), checkpoint('so far', 1)];
    const pending = '[Ledgerline placeholder] This call is still pending';
    const lines = shapes(foldOf(...before).input(TARGET)).split('\n');
    expect(lines.map((line) => line.slice(0, 60))).toEqual([
      expect.stringContaining('user: [Ledgerline history checkpoint'),
      'call c1: read {}',
      'call c2: read {}',
      'output c2: out',
      expect.stringContaining(`output c1: ${pending}`.slice(0, 50)),
    ]);
    const after = foldOf(...before, call('c3', 'r2'), result('c1'), result('c3'));
    expect(shapes(after.input(TARGET)).split('\n').slice(1)).toEqual([
      'call c1: read {}',
      'call c2: read {}',
      'output c2: out',
      'output c1: out',
      'call c3: read {}',
      'output c3: out',
    ]);
  });

  it('takes a pending call with it, and the result that comes later is left out for that reason', () => {
    const fold = foldOf(
      prompt('one'),
      call('c1', 'r1'),
      prompt('two'),
      checkpoint('so far', 2),
      result('c1'),
    );
    expect(shapes(fold.input(TARGET)).split('\n')).toEqual([
      'user: [Ledgerline history checkpoint (lossy)] / so far /  / Limitations: / ',
      'user: two',
    ]);
    expect(fold.explain(TARGET).excluded).toEqual(
      new Map([0, 1, 4].map((seq) => [seq, 'before_checkpoint'])),
    );
  });

  it('never leaves an output without its call', () => {
    const fold = foldOf(
      prompt('one'),
      call('c1', 'r1'),
      result('c1'),
      prompt('two'),
      checkpoint('so far', 2),
    );
    expect(shapes(fold.input(TARGET)).split('\n').slice(1)).toEqual(['user: two']);
  });

  it('never leaves reasoning that waits for its call', () => {
    const fold = foldOf(prompt('one'), data.reasoning, checkpoint('so far', 0), call('c1', 'r1'));
    expect(fold.input(TARGET).some((item) => item.type === 'reasoning')).toBe(false);
    expect(fold.explain(TARGET).excluded).toEqual(new Map([[1, 'reasoning_without_following_item']]));
  });

  it('keeps the last context in front of it, once', () => {
    const cut = foldOf(context('a'), prompt('one'), context('b'), prompt('two'), checkpoint('so far', 3));
    const kept = foldOf(context('a'), prompt('one'), context('b'), prompt('two'), checkpoint('so far', 2));
    expect(subjects(cut)).toEqual(['Branch: "b"', 'checkpoint', 'two']);
    expect(subjects(kept)).toEqual(['checkpoint', 'Branch: "b"', 'two']);
  });
});

describe('a fold that begins at a checkpoint', GENERATED, () => {
  it('gives the same bytes as one of the whole log', () => {
    const resumed = { logs: 0 };
    const property = fc.property(story, (told) => {
      const { events } = legalLog(told);
      const last = events.findLastIndex(({ type }) => type === 'history_compaction');
      const compaction = events[last];
      if (compaction?.type !== 'history_compaction') return;
      const isStart = (event: LogEvent): boolean =>
        event.type === 'user_message' && event.seq <= compaction.data.tail_from_seq;
      const start = events.findLastIndex(isStart);
      if (start < 0) return;
      resumed.logs += 1;
      const [whole, short] = [new ReplayFold(), new ReplayFold()];
      const known = events.slice(0, start).findLast(({ type }) => type === 'developer_context');
      if (known?.type === 'developer_context') short.enter(start - 1, known.data);
      for (const event of events) {
        whole.push(event);
        if (event.seq >= start) short.push(event);
        if (event.seq < last) continue;
        expect(JSON.stringify(short.input(TARGET))).toBe(JSON.stringify(whole.input(TARGET)));
      }
    });
    fc.assert(property, { numRuns: searchRuns(150), seed: 20260109 });
    expect(resumed.logs).toBeGreaterThan(30);
  });
});

describe('results that do not belong', () => {
  it('are left out, each for its reason', () => {
    const fold = foldOf(prompt('one'), call('c1', 'r1'), result('c1'), result('c1'), result('c9'));
    expect(shapes(fold.input(TARGET)).split('\n')).toEqual([
      'user: one',
      'call c1: read {}',
      'output c1: out',
    ]);
    expect(fold.explain(TARGET).excluded).toEqual(
      new Map([
        [3, 'second_result_of_call'],
        [4, 'result_without_call'],
      ]),
    );
  });
});
