import { describe, expect, test } from 'vitest';
import { nextRange } from '../../webview/gradual-drawing.ts';
import { Slices } from '../../webview/slices.ts';
import { foldItems, type Block } from '../../webview/transcript.ts';
import { answer, prompt } from './log-items.ts';

function turns(count: number, chars: number): readonly Block[] {
  return foldItems(
    Array.from({ length: count }, (_, n) => [
      { ...prompt(2 * n), turn_id: `t${n}` },
      { ...answer(2 * n + 1, 'x'.repeat(chars)), turn_id: `t${n}` },
    ]).flat(),
  );
}

/** All that is drawn, portion by portion. */
function portions(blocks: readonly Block[], drawn: readonly string[] = []): readonly [number, number][] {
  const ranges: [number, number][] = [];
  let known = new Set(drawn);
  for (let { from, to } = nextRange(blocks, known); ; { from, to } = nextRange(blocks, known)) {
    ranges.push([from, to]);
    if (from === 0 && to === blocks.length) return ranges;
    known = new Set(blocks.slice(from, to).flatMap((one) => (one.kind === 'turn' ? one.turn_id : [])));
  }
}

describe('a conversation', () => {
  test.each([
    ['is drawn from its end, a portion after the other', { count: 10, chars: 2200, from: [6, 2, 0] }],
    ['of turns too long for a portion one is drawn at a time', { count: 3, chars: 100_000, from: [2, 1, 0] }],
  ])('%s', (_, { count, chars, from }) => {
    expect(portions(turns(count, chars))).toEqual(from.map((start) => [start, count]));
  });

  test('is drawn at once when it is short, and when there is none', () => {
    expect(portions(turns(3, 100))).toEqual([[0, 3]]);
    expect(portions([])).toEqual([[0, 0]]);
  });

  test('keeps what is drawn: what follows comes first, then what goes before', () => {
    expect(portions(turns(10, 4500), ['t4', 't6'])).toEqual([
      [4, 9],
      [3, 10],
      [1, 10],
      [0, 10],
    ]);
  });
});

describe('work that can wait', () => {
  test('is done one piece a task, what is drawn before what is coloured, and not after it was taken back', () => {
    const tasks: (() => void)[] = [];
    const done: string[] = [];
    const slices = new Slices((task) => tasks.push(task));
    const add = (kind: 'draw' | 'colour', name: string): (() => void) =>
      slices.add(kind, () => done.push(name));
    add('colour', 'c1');
    add('draw', 'd1');
    add('draw', 'd2')();
    add('draw', 'd3');
    add('colour', 'c2');
    const seen: string[] = [];
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      task();
      seen.push(done.join(' '));
    }
    expect(seen).toEqual(['d1', 'd1 d3', 'd1 d3 c1', 'd1 d3 c1 c2']);
  });
});
